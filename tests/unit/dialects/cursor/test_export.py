"""Hooks of other dialects as a `hooks.json`, which loads again."""

from __future__ import annotations

import json

from hookline.core.dialect import Declaration, Source
from hookline.dialects.cursor import Cursor
from hookline.dialects.cursor.table import TABLE


def declared(native: str, command: str = "./h.sh", **fields: object) -> Declaration:
    """A declaration for one of our events."""
    return Declaration(row=TABLE.rows[native], command=command, **fields)  # type: ignore[arg-type]


def test_what_is_written_loads_again() -> None:
    """Event, command, tools and timeout are kept."""
    written = Cursor().export(
        (
            declared("preToolUse", tools=("Shell", "MCP:a.b"), timeout=5.0),
            declared("stop", timeout=9.0),
        )
    )
    loaded = Cursor().load(Source(text=written.files["hooks.json"], file="hooks.json"))

    assert loaded.problems == ()
    assert [(spec.native_event, spec.timeout, len(spec.conditions)) for spec in loaded.specs] == [
        ("preToolUse", 5.0, 1),
        ("stop", 9.0, 0),
    ]
    assert (
        json.loads(written.files["hooks.json"])["hooks"]["preToolUse"][0]["matcher"]
        == r"^(?:Shell|MCP:a\.b)$"
    )
    assert written.lost == ()


def test_what_the_host_would_misread_is_lost_with_a_notice() -> None:
    """Empty output with `failClosed` blocks; a URL drops the file (docs/formats/cursor.md)."""
    written = Cursor().export(
        (declared("preToolUse", closed=True), declared("stop", "curl https://x"))
    )

    assert written.lost == ((0, "that a failure of the hook denies"),)
    assert written.left_out == {1: "a command with `://` in it makes the host drop the file"}
    assert json.loads(written.files["hooks.json"])["hooks"] == {
        "preToolUse": [{"type": "command", "command": "./h.sh", "timeout": 60.0}]
    }
