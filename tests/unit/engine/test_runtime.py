"""What an engine remembers beside its hooks."""

from __future__ import annotations

from hookline.engine.runtime import Runtime
from hookline.model.event import Event, Stop
from hookline.sessions.store import Sessions

TYPE_CHECKING = False
if TYPE_CHECKING:
    from pathlib import Path

EVENT = Event(kind="stop", dialect="claude-code", native_name="Stop", session_id="s", body=Stop())


def test_a_notice_is_told_once_by_a_process() -> None:
    """Where no sessions are kept."""
    runtime = Runtime(environ={})

    assert [runtime.was_told(EVENT, what) for what in ("a", "a", "b")] == [False, True, False]


def test_a_notice_is_told_once_in_a_session(tmp_path: Path) -> None:
    """Also by another process, and again in another session."""
    folder = tmp_path / "sessions"
    first, second = (Runtime(environ={}, sessions=Sessions(folder)) for _ in range(2))

    assert not first.was_told(EVENT, "a")
    assert second.was_told(EVENT, "a")
    assert not second.was_told(EVENT.replace(session_id="t"), "a")


def test_the_limit_of_redos_is_the_hosts_or_ones_own() -> None:
    """Claude Code has its own, which an engine may replace."""
    hosts = Runtime(environ={})
    table = hosts.host("claude-code").table

    assert hosts.find_redo_limit(EVENT) == table.redo_limit
    assert Runtime(environ={}, redo_limit=7).find_redo_limit(EVENT) == 7
    assert hosts.count_redos(EVENT) == 0
