"""Symptoms: what of an output, an exit code and a time is a fault."""

from __future__ import annotations

import pytest

from hookline.engine.doctor.diagnosis import diagnose_outcome
from hookline.model.handler import Command
from hookline.model.outcome import Failure, Outcome
from hookline.model.spec import HookSpec
from hookline.model.verdict import Stance, Verdict

_SPEC = HookSpec(
    id="h",
    dialect="claude-code",
    kind="tool.before",
    native_event="PreToolUse",
    handler=Command(argv=("/opt/a",)),
    timeout=10.0,
)


_TEXT = _SPEC.replace(handler=Command(script="./x; true", shell=("sh",)))  # noqa: S604 - a shell that a hook names


def _told(outcome: Outcome | None, **said: object) -> list[tuple[str, str]]:
    """The name and the severity of each finding."""
    return [
        (each.name, each.severity)
        for each in diagnose_outcome(_SPEC, outcome, Verdict(**said), 5.0)
    ]  # type: ignore[arg-type]  # fields by name


@pytest.mark.parametrize(
    ("stdout", "told"),
    [
        ("", []),
        ('{"decision": "block"}', []),
        ("Nothing to say.", []),
        ("Checking\n{}", [("check.noise", "error")]),
        ('Welcome {"decision": "block"}', [("check.noise", "warning")]),
        ('Welcome {"hookSpecificOutput": {}} and more', [("check.noise", "warning")]),
        ('{not this} but {"permission_decision": "deny"}', [("check.noise", "error")]),
        ('The file has {"name": "x"} in it', []),
        ('A nested {"name": {"decision": 1}} is data', []),
        ("[1]", [("check.not-json", "warning")]),
        ("[1] see below", []),
        ("{" * 100_000, [("check.not-json", "error")]),
    ],
)
def test_an_answer_that_no_host_can_see(stdout: str, told: list[tuple[str, str]]) -> None:
    """In the middle of a line, or not as an object; text that is none is nobody's fault."""
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
    """A failure, an exit code, a refusal, a time."""
    assert _told(outcome, **said) == told


@pytest.mark.parametrize(
    ("stderr", "is_missing"),
    [
        ("sh: 1: ./x: not found\n", True),
        ("bash: line 1: ./x: No such file or directory\n", True),
        ("bash: Zeile 1: ./x: Datei oder Verzeichnis nicht gefunden\n", True),
        ("zsh:1: no such file or directory: ./x\n", True),
        ("./guard.sh: line 4: jq: command not found\n", True),
        ("env: \u2018./x\u2019: Datei oder Verzeichnis nicht gefunden\n", True),
        (
            "timeout: failed to run command \u2018./x\u2019: Datei oder Verzeichnis nicht gefunden\n",
            True,
        ),
        ("", True),
        (
            "./x: error while loading shared libraries: a.so: cannot open shared object file: No such file or directory\n",
            False,
        ),
        ("Error loading shared library a.so: No such file or directory (needed by ./x)\n", False),
        ("the policy server said no\n", False),
    ],
)
def test_a_status_of_127_is_a_missing_file_where_a_shell_says_so(
    stderr: str, *, is_missing: bool
) -> None:
    """In whatever language; a program that ran may end so itself, also because its libraries are not there."""
    outcome = Outcome(exit_code=127, stderr=stderr)

    assert [each.name for each in diagnose_outcome(_TEXT, outcome, Verdict(), 5.0)] == [
        "check.missing" if is_missing else "check.failed"
    ]


def test_a_program_without_a_shell_says_127_itself() -> None:
    """One that is not there is not started at all."""
    assert _told(Outcome(exit_code=127)) == [("check.failed", "warning")]
