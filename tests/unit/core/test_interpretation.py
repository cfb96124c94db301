"""What one hook's outcome means."""

from __future__ import annotations

from typing import Any

import pytest

import hookline
from hookline.core.interpretation import interpret, make_hook_event
from hookline.core.registry import Registry
from hookline.engine.catalog import make_dialect
from hookline.model.event import Event, ToolCall
from hookline.model.handler import Command, InProcess
from hookline.model.outcome import Failure, Outcome
from hookline.model.problem import Origin
from hookline.model.spec import HookSpec
from hookline.model.verdict import Stance, Verdict

EVENT = Event(
    kind="tool.before", dialect="docker-agent", body=ToolCall(tool="shell", input={"cmd": "ls"})
)
PYTHON = HookSpec(
    id="h",
    dialect="hookline",
    kind="tool.before",
    native_event="tool.before",
    handler=InProcess(call=print),
)
CLAUDE = HookSpec(
    id="h",
    dialect="claude-code",
    kind="tool.before",
    native_event="PreToolUse",
    handler=Command(script="x"),
)


def heard(spec: HookSpec, outcome: Outcome) -> Verdict:
    """The verdict of a hook that came to this."""
    (entry,) = Registry().with_([spec], make_dialect(spec.dialect)).entries()
    return interpret(entry, outcome, EVENT)


@pytest.mark.parametrize(
    ("answer", "fault"),
    [
        (None, None),
        (hookline.deny("no"), None),
        ("no", "returned 'no', which is no verdict"),
        (Verdict(stance="deny"), "returned a verdict whose stance is 'deny'"),  # type: ignore[arg-type]  # what is tested
        (
            hookline.rewrite({"a": {1, 2}}),
            "returned a verdict that JSON cannot say: Object of type set is not JSON serializable",
        ),
    ],
)
def test_a_python_hook_may_return_a_verdict_or_nothing(answer: Any, fault: str | None) -> None:
    """Anything else is a failure, with words for whoever wrote it."""
    assert heard(PYTHON, Outcome(answer=answer)).fault == fault


def test_a_clones_hook_says_nothing_until_it_is_approved() -> None:
    """Whatever its file would make of a failure."""
    spec = CLAUDE.replace(trusted=False, on_failure=Stance.DENY, origin=Origin(scope="project"))

    verdict = heard(spec, Outcome(failure=Failure.UNTRUSTED))

    assert (verdict.stance, verdict.for_user) == (
        Stance.SILENT,
        "a hook of this project had no say: it is not approved (`hookline list` tells more)",
    )


@pytest.mark.parametrize("dialect", ["claude-code", "starchild", "cursor", "docker-agent"])
@pytest.mark.parametrize(
    ("failure", "why"), [(Failure.CHANGED, "changed since it was approved"), (Failure.ABSENT, "what it runs is missing")], ids=["changed", "missing"]
)  # fmt: skip
def test_a_clones_guard_that_may_not_run_refuses_in_our_words(
    dialect: str, failure: Failure, why: str
) -> None:
    """The same in every dialect: where it is, what happened, and where to look."""
    native = {
        "starchild": "pre_tool_call",
        "cursor": "preToolUse",
        "docker-agent": "pre_tool_use",
    }.get(dialect, "PreToolUse")
    spec = CLAUDE.replace(
        dialect=dialect,
        native_event=native,
        name="EVIL",
        on_failure=Stance.DENY,
        origin=Origin(scope="project"),
    )
    called = f"a hook of this project ({native})"

    verdict = heard(spec, Outcome(failure=failure, detail="EVIL", called=called, told=True))

    assert (verdict.stance, verdict.for_user) == (Stance.DENY, "")
    assert verdict.reason == f"{called} may not run: {why} (`hookline list` tells more)"


def test_what_a_session_knows_already_is_not_said_again() -> None:
    """Also of a user's hook, whose failure its own dialect reads."""
    outcome = Outcome(failure=Failure.ABSENT, detail="`x` was not found")

    assert "had no say" in heard(CLAUDE, outcome).for_user
    assert heard(CLAUDE, outcome.replace(told=True)).for_user == ""
    assert (heard(CLAUDE, outcome.replace(told=True)).told, heard(CLAUDE, outcome).told) == (
        True,
        False,
    )
    assert (
        heard(CLAUDE, outcome.replace(told=True)).fault
        == "what it runs is missing: `x` was not found"
    )


def test_a_hook_that_asked_for_its_own_words_is_told_and_heard_in_them() -> None:
    """And its rewrite is one of the event."""
    spec = CLAUDE.replace(alike=True)
    answer = '{"hookSpecificOutput": {"hookEventName": "PreToolUse", "updatedInput": {"command": "ls -h"}}}'

    verdict = heard(spec, Outcome(exit_code=0, stdout=answer))

    assert make_hook_event(spec, EVENT).input == {"command": "ls"}
    assert make_hook_event(CLAUDE, EVENT) is EVENT
    assert verdict.rewrite is not None
    assert verdict.rewrite.value == {"cmd": "ls -h"}
