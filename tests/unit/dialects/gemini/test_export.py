"""Writing a file of hooks, and reading it again."""

from __future__ import annotations

import json

import pytest

from hookline.core.dialect import Declaration, Source
from hookline.core.match import holds
from hookline.dialects.gemini import Gemini
from hookline.dialects.gemini.table import TABLE

DIALECT = Gemini()
BEFORE = TABLE.rows["BeforeTool"]


@pytest.mark.parametrize(
    ("declared", "matcher"),
    [
        ({"tools": ("glob", "read_file")}, "^(?:glob|read_file)$"),
        ({"pattern": "read_.*"}, "read_.*"),
        ({}, None),
    ],
)
def test_a_matcher_means_the_same_when_it_is_read_again(
    declared: dict[str, object], matcher: str | None
) -> None:
    """A name is searched in the tool's, so exact ones are anchored."""
    declaration = Declaration(row=BEFORE, command="x", **declared)  # type: ignore[arg-type]
    written = DIALECT.export((declaration,))
    (group,) = json.loads(written.files["settings.json"])["hooks"]["BeforeTool"]

    assert group.get("matcher") == matcher


def test_what_is_written_is_loaded_as_it_was_declared() -> None:
    """The file's text has the hook, its time limit in milliseconds and its tools.

    That a failure denies is lost, and said.
    """
    written = DIALECT.export(
        (
            Declaration(
                row=BEFORE,
                command="guard.sh",
                name="guard",
                tools=("glob",),
                timeout=1.5,
                closed=True,
            ),
        )
    )
    loaded = DIALECT.load(Source(file="settings.json", text=written.files["settings.json"]))
    (spec,) = loaded.specs
    event = DIALECT.decode_event({"hook_event_name": "BeforeTool", "tool_name": "glob"})

    assert loaded.problems == ()
    assert (spec.name, spec.timeout, holds(spec.conditions[0], event)) == ("guard", 1.5, True)
    assert written.lost == ((0, "that a failure of the hook denies"),)
