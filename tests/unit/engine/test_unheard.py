"""An event that a dialect does not have is never passed over in silence."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import pytest

from hookline.engine.engine import Engine
from hookline.engine.notices import heard
from hookline.errors import CodecError
from hookline.model.reply import Reply
from hookline.model.verdict import Lowered, Stance
from hookline.sessions.store import Sessions

if TYPE_CHECKING:
    from pathlib import Path

GATE = {"hooks": {"PreToolUse": [{"hooks": [{"type": "command", "command": "exit 2"}]}]}}
WATCH = {"hooks": {"SessionEnd": [{"hooks": [{"type": "command", "command": "exit 2"}]}]}}
TYPO = {
    "hook_event_name": "PreToolUze",
    "session_id": "s",
    "cwd": "/",
    "tool_name": "Bash",
    "tool_input": {"command": "ls"},
}
TOLD = "HKL4002 unknown event `PreToolUze` of claude-code, so no hook was asked (did you mean `PreToolUse`?)"


def an_engine(
    tree: object = GATE, mode: str = "fidelity", sessions: Sessions | None = None
) -> Engine:
    """An engine with the hooks of one file of Claude Code."""
    return Engine(sessions=sessions, environ={}).add_source(tree, dialect="claude-code", mode=mode)  # type: ignore[arg-type]  # a tree


def test_nobody_is_asked_and_it_is_said() -> None:
    """In the decision, and to the user; nothing is blocked."""
    engine = an_engine()
    event = engine.host("claude-code").decode_event(TYPO)
    decision = heard(engine, event, engine.fire(event))

    assert decision.stance is Stance.SILENT
    assert decision.lowered == (Lowered(effect="event", reason=TOLD),)
    assert decision.for_user == (f"hookline: {TOLD}",)


def test_an_event_that_is_near_to_none_may_be_a_newer_one() -> None:
    """The hint names no other event."""
    reply = an_engine().answer("claude-code", TYPO | {"hook_event_name": "PreDream"})

    assert (
        "unknown event `PreDream` of claude-code, so no hook was asked (a newer version"
        in json.loads(reply.stdout)["systemMessage"]
    )


@pytest.mark.parametrize("lasting", [True, False])
def test_the_user_is_told_once(tmp_path: Path, *, lasting: bool) -> None:
    """In a session, whatever process answers; where nothing outlives the process, by each of them."""
    sessions = [Sessions(tmp_path) if lasting else None for _ in range(2)]
    first, second = (an_engine(sessions=each) for each in sessions)
    told = [bool(engine.answer("claude-code", TYPO).stdout) for engine in (first, first, second)]

    assert told == [True, False, not lasting]


def test_who_was_told_much_is_told_more() -> None:
    """What a process cannot remember any more is said again, and nothing is left list_lost."""
    engine = an_engine()
    names = [f"PreDream{number}" for number in range(300)]

    assert all(
        engine.answer("claude-code", TYPO | {"hook_event_name": name}).stdout for name in names
    )
    assert not engine.answer("claude-code", TYPO | {"hook_event_name": names[-1]}).stdout


@pytest.mark.parametrize(
    ("tree", "refused"), [(GATE, True), (WATCH, False), ({"hooks": {}}, False)]
)
def test_in_strict_mode_it_may_be_a_gate(tree: object, *, refused: bool) -> None:
    """Where there is a gate at all: who cannot be asked about an event has not let it through."""
    engine = an_engine(tree, "strict")
    if not refused:
        assert TOLD in json.loads(engine.answer("claude-code", TYPO).stdout)["systemMessage"]
        return
    with pytest.raises(CodecError, match="may be a gate") as raised:
        engine.answer("claude-code", TYPO)
    assert (raised.value.code, raised.value.hint) == ("HKL4002", "did you mean `PreToolUse`?")


def test_an_event_that_somebody_listens_to_is_known() -> None:
    """A program may have hooks on what its host invented, under the name by which that passes."""
    engine = an_engine()
    engine.on("x.claude-code.PreToolUze", tool="Read")(lambda _: None)

    assert engine.answer("claude-code", TYPO) == Reply()
