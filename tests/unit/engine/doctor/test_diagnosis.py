"""Diagnosis: which output, exit code and duration are a fault."""

from __future__ import annotations

import pytest

from hookline.engine.doctor.diagnosis import diagnose_outcome
from hookline.model.spec import Command, HookSpec
from hookline.model.verdict import Failure, Outcome, Stance, Verdict

_SPEC = HookSpec(
    id="h",
    dialect="claude-code",
    kind="tool.before",
    native_event="PreToolUse",
    handler=Command(argv=("/opt/a",)),
    timeout=10.0,
)


# A shell that a hook names.
_TEXT = _SPEC.replace(handler=Command(script="./x; true", shell=("sh",)))  # noqa: S604


def _told(outcome: Outcome | None, **said: object) -> list[tuple[str, str]]:
    """The name and the severity of each finding."""
    return [
        (each.name, each.severity)
        for each in diagnose_outcome(_SPEC, outcome, Verdict(**said), 5.0)
    ]  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("stdout", "told"),
    [
        ("", []),
        ('{"decision": "block"}', []),
        ("Nothing to say.", []),
        ("Checking\n{}", [("check.noise", "error")]),
        ('Welcome {"decision": "block"}', []),
        ('{not this} but {"permission_decision": "deny"}', [("check.noise", "error")]),
        ('The file has {"name": "x"} in it', []),
        ('A nested {"name": {"decision": 1}} is data', []),
        ("[1] see below", []),
        ("{" * 100_000, [("check.not-json", "error")]),
    ],
)
def test_an_answer_that_no_host_can_see(stdout: str, told: list[tuple[str, str]]) -> None:
    """JSON after other lines, or no object; plain text is no reply."""
    assert _told(Outcome(exit_code=0, stdout=stdout)) == told


@pytest.mark.parametrize(
    ("outcome", "said", "told"),
    [
        (None, {}, [("check.failed", "error")]),
        (Outcome(failure=Failure.TIMED_OUT), {}, [("check.timed-out", "warning")]),
        (Outcome(failure=Failure.NOT_STARTED), {}, [("check.missing", "error")]),
        (
            Outcome(exit_code=126, stderr="sh: 1: ./x: Permission denied"),
            {},
            [("check.not-executable", "error")],
        ),
        (Outcome(exit_code=126), {}, [("check.failed", "warning")]),
        (Outcome(exit_code=1), {}, [("check.failed", "warning")]),
        (Outcome(exit_code=0), {"fault": "it broke"}, [("check.failed", "error")]),
        (Outcome(exit_code=2), {"stance": Stance.DENY}, [("check.refuses", "warning")]),
        (Outcome(exit_code=0, seconds=9.0), {}, [("check.slow", "warning")]),
    ],
)
def test_what_else_a_run_tells(
    outcome: Outcome | None, said: dict[str, object], told: list[tuple[str, str]]
) -> None:
    """A failure, an exit code, a refusal, a duration."""
    assert _told(outcome, **said) == told


@pytest.mark.parametrize(
    "stderr",
    [
        "sh: 1: ./x: not found\n",
        "bash: Zeile 1: ./x: Datei oder Verzeichnis nicht gefunden\n",
        "",
    ],
)
def test_a_shell_that_exits_with_127_did_not_find_a_file(stderr: str) -> None:
    """The language of its message does not matter."""
    outcome = Outcome(exit_code=127, stderr=stderr)

    found = [each.name for each in diagnose_outcome(_TEXT, outcome, Verdict(), 5.0)]
    assert found == ["check.missing"]


def test_a_program_without_a_shell_says_127_itself() -> None:
    """A missing program does not start at all."""
    assert _told(Outcome(exit_code=127)) == [("check.failed", "warning")]
