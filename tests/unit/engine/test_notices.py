"""Notices: what the user is told beside what hooks said, and how often."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from hookline.engine.engine import Engine
from hookline.engine.notices import NOT_ASKED, add_notice

if TYPE_CHECKING:
    from pathlib import Path

GUARD = {"hooks": [{"type": "command", "command": "pwd >&2; exit 2"}]}
GONE = "the working folder `/nowhere` does not exist, so hooks ran in"


@pytest.mark.process
def test_the_user_reads_once_a_session_that_a_folder_is_gone(tmp_path: Path) -> None:
    """The next event of the session needs no second notice."""
    engine = Engine(cwd=tmp_path)
    engine.add_source({"hooks": {"PreToolUse": [GUARD]}}, dialect="claude-code")
    call = {"tool_name": "Bash", "tool_input": {}, "cwd": "/nowhere", "session_id": "s"}

    first, second = (engine.fire("PreToolUse", call, dialect="claude-code") for _ in range(2))
    assert GONE in first.for_user[0]
    assert (second.for_user, second.reason) == ((), str(tmp_path.resolve()))


def test_where_an_event_has_no_notices_the_loss_is_listed() -> None:
    """Kimi shows its user nothing at a stop."""
    engine = Engine()
    event = engine.event("Stop", {"session_id": "s"}, dialect="kimi")
    told = add_notice(engine, event, engine.fire(event), "hookline: a folder is gone")

    assert told.for_user == ()
    assert [(each.effect, each.reason) for each in told.lowered] == [
        (NOT_ASKED, "hookline: a folder is gone")
    ]
