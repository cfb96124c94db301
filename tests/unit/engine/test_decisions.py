"""What a decision tells: decider, labels, warnings, and what shadow hooks would change."""

from __future__ import annotations

import json

import pytest

import hookline
from hookline.model.verdict import Stance
from hookline.remote.client import parse_decision

CALL = {"tool": "shell", "input": {"command": "make"}}


def test_a_decision_names_the_hook_that_decided() -> None:
    """It is the first of the strongest; without a decision it is empty."""
    engine = hookline.Engine()
    engine.on("tool.before", name="first")(lambda _: hookline.ask("a"))
    engine.on("tool.before", name="second")(lambda _: hookline.deny("b"))
    engine.on("tool.before", name="third")(lambda _: hookline.deny("c"))

    decision = engine.fire("tool.before", CALL)
    assert decision.decider == decision.to_dict()["decider"] == "python#second"
    assert engine.fire("tool.after", CALL).decider == ""


def test_what_would_have_happened_if_shadow_hooks_counted() -> None:
    """The decision itself ignores them; its `shadow` does not.

    Without a shadow hook there is none.
    """
    engine = hookline.Engine()
    engine.on("tool.before", name="real")(lambda _: hookline.allow("fine"))
    assert engine.fire("tool.before", CALL).shadow is None
    engine.on("tool.before", name="trial", shadow=True)(lambda _: hookline.deny("no"))

    decision = engine.fire("tool.before", CALL)
    assert (decision.stance, decision.decider) == (Stance.ALLOW, "python#real")
    assert decision.shadow is not None
    assert (decision.shadow.stance, decision.shadow.decider) == (Stance.DENY, "python#trial")
    assert "shadow" not in decision.to_dict()


def test_a_shadow_decision_fits_its_host() -> None:
    """It contains nothing that the host cannot do."""
    engine = hookline.Engine()
    engine.on("tool.before", shadow=True)(lambda _: hookline.ask("sure?"))
    payload = {"session_id": "s", "cwd": "/", "tool_name": "Bash", "tool_input": {}}

    shadow = engine.fire("PreToolUse", payload, dialect="codex").shadow
    assert shadow is not None
    assert shadow.stance is Stance.DENY


def test_labels_and_warnings_of_all_verdicts_are_united() -> None:
    """Each is there once, in the order of the plan.

    The user sees the warnings, whatever is decided.
    """
    engine = hookline.Engine()
    engine.on("tool.before", name="a")(
        lambda _: hookline.allow(labels=["secrets", "git"], warnings="rotate the key")
    )
    engine.on("tool.before", name="b")(
        lambda _: hookline.note("hi", labels="git", warnings=["rotate the key", "old branch"])
    )
    engine.on("tool.before", name="c", shadow=True)(lambda _: hookline.note(labels=["trial"]))

    decision = engine.fire("tool.before", CALL)
    document = decision.to_dict()
    assert decision.labels == ("secrets", "git")
    assert (document["labels"], document["warnings"]) == (
        ["secrets", "git"],
        ["rotate the key", "old branch"],
    )
    assert document["verdicts"][1]["labels"] == ["git"]
    assert document["for_user"] == ["rotate the key", "hi", "old branch"]
    assert parse_decision(json.loads(json.dumps(document))).to_dict() == document


@pytest.mark.parametrize("labels", [[1], "ab"])
def test_labels_are_texts(labels: object) -> None:
    """One text is one label, and what is no text is a failure of the hook."""
    engine = hookline.Engine()
    engine.on("tool.before")(lambda _: hookline.allow(labels=labels))  # type: ignore[arg-type]
    (verdict,) = engine.fire("tool.before", CALL).verdicts

    assert verdict.labels == ("ab",) or "must be texts" in (verdict.fault or "")


@pytest.mark.parametrize("kind", ["session.start", "prompt.submit", "stop", "subagent.start"])
@pytest.mark.parametrize("answer", [hookline.ask, hookline.deny])
def test_a_program_that_reads_decisions_can_be_told_to_ask_or_deny(
    kind: str, answer: object
) -> None:
    """Also when a session starts, a prompt comes or the agent stops."""
    engine = hookline.Engine()
    engine.on(kind)(lambda _: answer("why"))  # type: ignore[operator]
    decision = engine.fire(kind, {})

    assert decision.stance is answer("why").stance  # type: ignore[operator]
    assert (decision.reason, decision.lowered) == ("why", ())


@pytest.mark.parametrize("answer", [hookline.ask, hookline.deny])
def test_a_host_that_cannot_express_it_says_so_in_lowered(answer: object) -> None:
    """Claude Code starts a session whatever its hooks say."""
    engine = hookline.Engine()
    engine.on("session.start")(lambda _: answer("why"))  # type: ignore[operator]
    payload = {"session_id": "s", "cwd": "/", "source": "startup"}
    decision = engine.fire("SessionStart", payload, dialect="claude-code")

    assert decision.stance is Stance.SILENT
    effect = answer("").stance.name.lower()  # type: ignore[operator]
    assert [each.effect for each in decision.lowered] == [effect]
