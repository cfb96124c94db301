"""What one hook's outcome means."""

from __future__ import annotations

import json
from typing import Any

import pytest

import hookline
from hookline.core.interpretation import interpret, make_hook_event
from hookline.core.registry import Registry
from hookline.engine.catalog import make_dialect
from hookline.model.event import Event, ToolCall
from hookline.model.spec import Command, HookSpec, InProcess, Origin
from hookline.model.verdict import Failure, Outcome, Stance, Verdict

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
        (
            Verdict(stance="deny"),  # type: ignore[arg-type]
            "returned a verdict whose stance is 'deny'",
        ),
        (
            hookline.rewrite({"a": {1, 2}}),
            "returned a verdict that JSON cannot say: Object of type set is not JSON serializable",
        ),
    ],
)
def test_a_python_hook_may_return_a_verdict_or_nothing(answer: Any, fault: str | None) -> None:
    """Any other value is a failure with a text for the author of the hook."""
    assert heard(PYTHON, Outcome(answer=answer)).fault == fault


def test_a_clones_hook_says_nothing_until_it_is_approved() -> None:
    """Whatever its file would make of a failure."""
    spec = CLAUDE.replace(trusted=False, on_failure=Stance.DENY, origin=Origin(scope="project"))

    verdict = heard(spec, Outcome(failure=Failure.UNTRUSTED))

    assert (verdict.stance, verdict.for_user) == (
        Stance.SILENT,
        (
            "hookline skipped a hook of this project because it is not approved. To review it: "
            "`hookline approve`"
        ),
    )


@pytest.mark.parametrize("dialect", ["claude-code", "starchild", "cursor", "docker-agent"])
@pytest.mark.parametrize("scope", ["project", "user"])
def test_a_guard_that_does_not_run_says_what_the_gate_says(dialect: str, scope: str) -> None:
    """The same in every dialect, whatever the hook's own rule for failures is."""
    native = {
        "starchild": "pre_tool_call",
        "cursor": "preToolUse",
        "docker-agent": "pre_tool_use",
    }.get(dialect, "PreToolUse")
    spec = CLAUDE.replace(
        dialect=dialect, native_event=native, on_failure=Stance.DENY, origin=Origin(scope=scope)
    )
    outcome = Outcome(failure=Failure.CHANGED, detail="d", note="n", means=Stance.ASK)
    asked, skipped = heard(spec, outcome), heard(spec, outcome.replace(means=Stance.SILENT))

    assert (asked.stance, asked.reason, asked.for_user) == (Stance.ASK, "n", "")
    assert (skipped.stance, skipped.reason, skipped.for_user) == (Stance.SILENT, "", "n")


def test_a_notice_that_the_session_had_is_not_repeated() -> None:
    """The decision says what is wrong for who looks."""
    outcome = Outcome(failure=Failure.UNTRUSTED, detail="d", means=Stance.SILENT, told=True)
    verdict = heard(CLAUDE, outcome)

    assert (verdict.for_user, verdict.told, verdict.fault) == ("", True, "not approved: d")


@pytest.mark.parametrize(
    ("code", "stance"), [(0, Stance.ASK), (2, Stance.DENY)], ids=["permits", "denies"]
)
def test_only_a_denial_of_a_hook_whose_files_changed_meanwhile_stays(
    code: int, stance: Stance
) -> None:
    """Its permission, rewrite and context are dropped (docs/explanation/trust.md 3)."""
    said = {"hookEventName": "PreToolUse", "permissionDecision": "allow", "additionalContext": "x"}
    outcome = Outcome(
        exit_code=code, stdout=json.dumps({"hookSpecificOutput": said}), stderr="no",
        distrusted=Stance.ASK, note="`x` changed while it ran",
    )  # fmt: skip
    verdict = heard(CLAUDE, outcome)

    assert (verdict.stance, verdict.for_agent) == (stance, "")
    assert "`x` changed while it ran" in verdict.reason + verdict.for_user


def test_a_hook_that_asked_for_its_own_words_is_told_and_heard_in_them() -> None:
    """And its rewrite is one of the event."""
    spec = CLAUDE.replace(match_tools="canonical")
    answer = (
        '{"hookSpecificOutput": {"hookEventName": "PreToolUse", "updatedInput": {"command": "ls '
        '-h"}}}'
    )

    verdict = heard(spec, Outcome(exit_code=0, stdout=answer))

    assert make_hook_event(spec, EVENT).input == {"command": "ls"}
    assert make_hook_event(CLAUDE, EVENT) is EVENT
    assert verdict.rewrite is not None
    assert verdict.rewrite.value == {"cmd": "ls -h"}
