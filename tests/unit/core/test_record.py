"""A record says what happened without a word of what passed through."""

from __future__ import annotations

import json

from hookline.core.record import make_record
from hookline.model.event import ToolCall
from hookline.model.verdict import Stance, Verdict
from tests.plays.play import CALL, DENIES, TIMED_OUT, Stage, hook, patches, play, row

SECRET = "AKIA1234567890SECRET"  # noqa: S105 - looked for, never used


def a_record() -> dict[str, object]:
    """The account of a dispatch in which everything that can hold text holds a secret."""
    event = CALL.replace(
        cwd=f"/home/{SECRET}",
        body=ToolCall(tool="bash", input={"command": SECRET}, result=SECRET),
        raw={"tool_input": {"x": SECRET}},
    )
    loud = DENIES.replace(
        reason=SECRET,
        evidence={"x": SECRET},
        for_agent=SECRET,
        for_user=SECRET,
        effects={"env": {"KEY": SECRET}},
        exit_code=2,
    )
    stage = Stage(row(powers=frozenset({"deny", "input", "context", "note"})))
    cast = [hook("a", stage=stage), hook("b", stage=stage), hook("c", stage=stage, shadow=True)]
    happened = play(
        cast,
        {"a": patches(command=f"echo {SECRET}"), "b": loud, "c": TIMED_OUT},
        event=event,
        stage=stage,
    )
    return make_record(event, happened.decision, event_id="e1", at="2026-01-01T00:00:00Z")


def test_no_payload_is_in_a_record() -> None:
    """Neither input nor output, neither reasons nor contexts, neither environment nor folder."""
    assert SECRET not in json.dumps(a_record())


def test_a_record_says_what_happened() -> None:
    """Ids, stances, faults, the names of what changed and of what was lowered."""
    assert a_record() == {
        "schema": "hookline.record/1",
        "id": "e1",
        "at": "2026-01-01T00:00:00Z",
        "kind": "tool.before",
        "dialect": "stage",
        "native_event": "before",
        "session": "s1",
        "tool": "bash",
        "stance": "deny",
        "rewritten": {"target": "input", "keys": ["command"]},
        "redo": False,
        "lowered": ["env"],
        "seconds": 0.0,
        "hooks": [
            {
                "hook": "a",
                "stance": "silent",
                "failed": False,
                "exit_code": None,
                "seconds": 0.0,
                "shadow": False,
            },
            {
                "hook": "b",
                "stance": "deny",
                "failed": False,
                "exit_code": 2,
                "seconds": 0.0,
                "shadow": False,
            },
            {
                "hook": "c",
                "stance": "silent",
                "failed": True,
                "exit_code": None,
                "seconds": 0.0,
                "shadow": True,
            },
        ],
    }


def test_a_record_of_silence_is_short() -> None:
    """Nothing rewritten, nobody asked."""
    happened = play([hook("a")], {"a": Verdict(stance=Stance.SILENT)})
    account = make_record(CALL, happened.decision, event_id="e1", at="")

    assert (account["rewritten"], account["stance"], account["lowered"]) == (None, "silent", [])
