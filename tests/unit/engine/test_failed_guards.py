"""A guard that failed at a host that cannot ask: the failure does not permit the call."""

from __future__ import annotations

import json
from typing import Any

import pytest

import hookline
from hookline.core.fit import fit
from hookline.model.verdict import Decision, Stance, Verdict

CODEX = {
    "hook_event_name": "PreToolUse",
    "session_id": "s",
    "cwd": "/",
    "tool_name": "shell",
    "tool_input": {},
}
CURSOR = {
    "hook_event_name": "preToolUse",
    "conversation_id": "c",
    "workspace_roots": ["/"],
    "tool_name": "Shell",
    "tool_input": {},
}
KIMI = {
    "hook_event_name": "PreToolUse",
    "session_id": "k",
    "cwd": "/",
    "tool_name": "Shell",
    "tool_input": {},
}
HOSTS = pytest.mark.parametrize(
    ("host", "payload"),
    [("codex", CODEX), ("cursor", CURSOR), ("kimi", KIMI)],
    ids=["codex", "cursor", "kimi"],
)
# A hook that cannot be loaded fails without starting anything; its own event has a word for a
# question.
BROKEN = {"hooks": {"PreToolUse": [{"hooks": [{"type": "command"}]}]}}


def denial(reply: Any) -> str:
    """The reason of the denial that a host reads in a reply."""
    said = json.loads(reply.stdout)
    if "permission" in said:
        assert said["permission"] == "deny"
        return str(said["agent_message"])
    specific = said["hookSpecificOutput"]
    assert specific["permissionDecision"] == "deny"
    return str(specific["permissionDecisionReason"])


@HOSTS
def test_a_strict_guard_that_failed_denies(host: str, payload: dict[str, Any]) -> None:
    """The reply says which one, and that it failed."""
    engine = hookline.Engine(cwd="/").add_source(BROKEN, dialect="claude-code", mode="strict")

    assert "failed: could not be loaded" in denial(engine.answer(host, payload))


@HOSTS
def test_a_question_that_a_hook_put_is_a_denial(host: str, payload: dict[str, Any]) -> None:
    """The host cannot ask before the action, and the decision says so."""
    decided: list[hookline.Decision] = []
    engine = hookline.Engine(cwd="/", observe=lambda _, decision: decided.append(decision))
    engine.on("tool.before")(lambda _: hookline.ask("sure?"))

    assert denial(engine.answer(host, payload)) == "sure?"
    assert [(lost.effect, decided[0].stance) for lost in decided[0].lowered] == [
        ("ask", Stance.DENY)
    ]


@HOSTS
def test_beside_a_question_the_failure_counts(host: str, payload: dict[str, Any]) -> None:
    """The failure gives the reason, whichever came first."""
    engine = hookline.Engine(cwd="/")
    engine.on("tool.before")(lambda _: hookline.ask("sure?"))
    engine.add_source(BROKEN, dialect="claude-code", mode="strict")

    assert "failed: could not be loaded" in denial(engine.answer(host, payload))


@HOSTS
def test_a_guard_that_is_only_observed_denies_nothing(host: str, payload: dict[str, Any]) -> None:
    """Nor does one that fails open by its own rule."""
    for how in ({"mode": "strict", "shadow": True}, {}):
        engine = hookline.Engine(cwd="/").add_source(BROKEN, dialect="claude-code", **how)
        assert "deny" not in engine.answer(host, payload).stdout


FAILED = Verdict(hook_id="a", stance=Stance.ASK, reason="it failed", fault="it failed")


@pytest.mark.parametrize(
    ("powers", "redoes", "stance", "redo"),
    [
        ({"deny"}, False, Stance.DENY, False),
        ({"deny"}, True, Stance.DENY, True),
        ({"ask", "deny"}, False, Stance.ASK, False),
        ({"note"}, False, Stance.SILENT, False),
    ],
)
def test_what_a_failed_ask_becomes_is_what_the_event_can_say(
    powers: set[str], stance: Stance, *, redoes: bool, redo: bool
) -> None:
    """An ask where it can ask, else a denial where it can deny.

    At a stop gate that sends the agent back.
    """
    decision = Decision(
        kind="tool.before",
        dialect="x",
        native_event="y",
        stance=Stance.ASK,
        reason="it failed",
        verdicts=(FAILED,),
    )
    fitted = fit(decision, frozenset(powers), redoes=redoes)

    assert (fitted.stance, fitted.redo, fitted.reason) == (
        stance,
        redo,
        "it failed" if stance else "",
    )
