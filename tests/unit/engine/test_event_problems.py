"""The errors that concern one event."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import pytest

from hookline import Engine
from hookline.engine.notices import list_errors

if TYPE_CHECKING:
    from pathlib import Path

TREE = {
    "hooks": {
        "PreToolUse": [{"matcher": "(", "hooks": [{"type": "command", "command": "true"}]}],
        "Stop": [{"hooks": [{"type": "command"}], "note": "ignored"}],
        "Stopp": [],
    }
}


@pytest.mark.parametrize(
    ("host", "payload", "said"),
    [
        (
            "claude-code",
            {"hook_event_name": "PreToolUse", "tool_name": "Bash", "tool_input": {}},
            ["event.unknown", "matcher.regex"],
        ),
        ("claude-code", {"hook_event_name": "Stop"}, ["event.unknown", "key.missing"]),
        ("claude-code", {"hook_event_name": "SessionEnd"}, ["event.unknown"]),
        ("codex", {"hook_event_name": "Stop"}, ["event.unknown", "key.missing"]),
    ],
)
def test_errors_below_another_event_are_left_out(
    tmp_path: Path, host: str, payload: dict[str, object], said: list[str]
) -> None:
    """By the event's name in its own dialect, and by its kind in others.

    An unknown event concerns each.
    """
    file = tmp_path / "settings.json"
    file.write_text(json.dumps(TREE), encoding="utf-8")
    engine = Engine().add_source(file, dialect="claude-code")
    event = engine.host(host).decode_event({"session_id": "s", "cwd": "/", **payload})

    assert sorted(problem.name for problem in list_errors(engine, event)) == said
