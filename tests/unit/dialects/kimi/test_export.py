"""A config.toml of declarations, read again."""

from __future__ import annotations

from typing import Any

import pytest

from hookline.core.dialect import Declaration, Source
from hookline.dialects.kimi.table import TABLE
from hookline.model.spec import Command, Pattern
from tests.unit.dialects.kimi.support import DIALECT


def declared(native: str, **fields: Any) -> Declaration:
    """A declaration for an event."""
    return Declaration(row=TABLE.rows[native], **{"command": "guard 'a b'", **fields})


def test_what_is_written_is_read_again() -> None:
    """Exact names become an anchored expression.

    A command with quotes and lines comes back as it was.
    """
    line = "printf '%s\\n' \"$X\" |\n  guard"
    written = DIALECT.export(
        (
            declared("PreToolUse", command=line, tools=("Shell", "mcp__a.b"), timeout=2.2),
            declared("Stop"),
        )
    )
    loaded = DIALECT.load(Source(file="config.toml", text=written.files["config.toml"]))
    first, second = loaded.specs
    (condition,) = first.conditions

    assert (loaded.problems, written.lost) == ((), ())
    assert isinstance(first.handler, Command)
    assert (first.handler.script, first.timeout, second.timeout) == (line, 3.0, 60.0)
    assert isinstance(condition, Pattern)
    assert [
        name
        for name in ("Shell", "mcp__a.b", "PowerShell", "mcp__axb")
        if condition.regex.has_match_in(name)
    ] == ["Shell", "mcp__a.b"]


@pytest.mark.parametrize(
    ("declaration", "lost"),
    [
        (declared("PreToolUse", closed=True), "that a failure of the hook denies"),
        (declared("PreToolUse", timeout=900.0), "a timeout of more than 600 s"),
        (declared("SessionEnd", timeout=30.0), "a timeout of more than 5 s"),
    ],
)
def test_what_the_format_cannot_say_is_lost_with_a_notice(
    declaration: Declaration, lost: str
) -> None:
    """It has four keys, and none for a failure."""
    assert DIALECT.export((declaration,)).lost == ((0, lost),)


def test_an_event_of_the_newer_edition_stands_in_its_file() -> None:
    """The older one would refuse all of it."""
    ((file, text),) = DIALECT.export(
        (declared("PermissionRequest"), declared("Stop"))
    ).files.items()
    loaded = DIALECT.load(Source(file=f"/home/u/{file}", text=text))

    assert file == ".kimi-code/config.toml"
    assert [spec.native_event for spec in loaded.specs] == ["PermissionRequest", "Stop"]
    assert loaded.problems == ()
