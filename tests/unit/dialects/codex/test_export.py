"""Writing a file of hooks, and reading it again."""

from __future__ import annotations

import json

import pytest

from hookline.core.dialect import Declaration, Source
from hookline.core.match import holds
from hookline.dialects.codex import Codex
from hookline.dialects.codex.table import TABLE

DIALECT = Codex()
PRE = TABLE.rows["PreToolUse"]


@pytest.mark.parametrize(
    ("declared", "matcher"),
    [
        ({"tools": ("Bash", "Edit")}, "Bash|Edit"),
        ({"tools": ("a-b",)}, "^(?:a\\-b)$"),
        ({"pattern": "Bash"}, "(?:Bash)"),
        ({"pattern": "mcp__.*"}, "mcp__.*"),
        ({}, None),
    ],
)
def test_a_matcher_means_the_same_when_it_is_read_again(
    declared: dict[str, object], matcher: str | None
) -> None:
    """Codex reads word characters as a list, so such an expression is written in brackets."""
    declaration = Declaration(row=PRE, command="x", **declared)  # type: ignore[arg-type]
    written = DIALECT.export((declaration,))
    (group,) = json.loads(written.files["hooks.json"])["hooks"]["PreToolUse"]

    assert group.get("matcher") == matcher


def test_what_is_written_is_loaded_as_it_was_declared() -> None:
    """The file's text has the hook, its time limit and its tools.

    That a failure denies is lost, and said.
    """
    written = DIALECT.export(
        (Declaration(row=PRE, command="guard.sh", pattern="ash", timeout=1.5, closed=True),)
    )
    loaded = DIALECT.load(Source(file="hooks.json", text=written.files["hooks.json"]))
    (spec,) = loaded.specs
    event = DIALECT.decode_event({"hook_event_name": "PreToolUse", "tool_name": "Bash"})

    assert loaded.problems == ()
    assert (spec.name, spec.timeout, holds(spec.conditions[0], event)) == ("guard.sh", 2.0, True)
    assert written.lost == ((0, "that a failure of the hook denies"),)
