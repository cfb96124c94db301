"""An ask at hosts that cannot ask a person."""

from __future__ import annotations

import json
from typing import Any

import pytest

import hookline
from hookline.model.verdict import Stance

CALL = {"session_id": "s", "cwd": "/", "tool_name": "Bash", "tool_input": {"command": "make"}}


def asked(host: str, native: str, payload: dict[str, Any], *, reason: str = "sure?") -> Any:
    """The engine, after a hook that asks about everything was added to it."""
    engine = hookline.Engine()
    kind = engine.event(native, payload, dialect=host).kind
    engine.on(kind, name="guard")(lambda _: hookline.ask(reason))
    return engine.fire(native, payload, dialect=host), engine.answer(
        host, {"hook_event_name": native, **payload}
    )


@pytest.mark.parametrize("host", ["codex", "kimi"])
def test_before_an_action_it_is_a_denial_with_its_reason(host: str) -> None:
    """The decision says so in `lowered`, and the host reads a denial."""
    decision, reply = asked(host, "PreToolUse", CALL)
    (lost,) = decision.lowered
    said = json.loads(reply.stdout)["hookSpecificOutput"]

    assert (decision.stance, decision.reason, decision.decider) == (
        Stance.DENY,
        "sure?",
        "python#guard",
    )
    assert (lost.effect, lost.hook) == ("ask", "python#guard")
    assert lost.reason.startswith("ask -> deny: ")
    assert (said["permissionDecision"], said["permissionDecisionReason"]) == ("deny", "sure?")


@pytest.mark.parametrize(
    ("host", "said"),
    [
        ("openhands", {"decision": "deny", "reason": "sure?"}),
        ("cline", {"cancel": True, "errorMessage": "sure?"}),
    ],
)
def test_a_host_without_a_word_for_it_reads_a_denial(host: str, said: dict[str, Any]) -> None:
    """Before an action only: at a prompt and at the end of a session the ask has no effect."""
    payload = {"tool_name": "execute_command", "session_id": "s", "working_dir": "/"}
    sections = {"preToolUse": {"toolName": "execute_command", "parameters": {}}}
    engine = hookline.Engine()
    for kind in ("tool.before", "prompt.submit", "session.end"):
        engine.on(kind)(lambda _: hookline.ask("sure?"))
    names = {"hookName": "PreToolUse", "event_type": "PreToolUse"}

    assert json.loads(engine.answer(host, {**names, **payload, **sections}).stdout) == said
    for native in ("UserPromptSubmit", "TaskComplete" if host == "cline" else "SessionEnd"):
        decision = engine.fire(native, {"prompt": "hello"}, dialect=host)
        assert decision.stance is Stance.SILENT
        assert [each.effect for each in decision.lowered] == ["ask"]


def test_a_denial_of_an_ask_without_a_reason_says_why() -> None:
    """A refusal needs a text that explains it."""
    decision, _ = asked("codex", "PreToolUse", CALL, reason="")

    assert decision.reason == "a hook wants a person to decide, and codex cannot ask one here"


@pytest.mark.parametrize(
    ("native", "payload"),
    [
        ("UserPromptSubmit", {"session_id": "s", "cwd": "/", "prompt": "hello"}),
        ("Stop", {"session_id": "s", "cwd": "/", "stop_hook_active": False}),
        ("PostToolUse", {**CALL, "tool_response": "done"}),
        ("PermissionRequest", CALL),
    ],
)
def test_elsewhere_it_stays_without_effect(native: str, payload: dict[str, Any]) -> None:
    """A refusal would trap the user or the agent there.

    And a permission request is a question already.
    """
    decision, _ = asked("codex", native, payload)

    assert (decision.stance, decision.decider) == (Stance.SILENT, "")
    assert [each.effect for each in decision.lowered] == ["ask"]


def test_a_dialect_that_says_otherwise_is_obeyed() -> None:
    """AgentHooks has an option for what an unanswered ask is."""
    for unanswered, stance in (("allow", Stance.SILENT), ("deny", Stance.DENY)):
        engine = hookline.Engine()
        engine.loader.dialects.make_host("agenthooks", {"unanswered": unanswered})
        engine.on("tool.before")(lambda _: hookline.ask("sure?"))

        assert (
            engine.fire("pre-tool-call", {"tool_name": "x"}, dialect="agenthooks").stance is stance
        )
