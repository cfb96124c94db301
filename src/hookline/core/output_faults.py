"""Output faults: signs that a program's answer went wrong, although it exited with 0."""

from __future__ import annotations

import json
import re

from hookline.core.failure import label, make_failed_verdict
from hookline.model.handler import Command
from hookline.model.kinds import kind
from hookline.model.outcome import Failure
from hookline.model.verdict import Stance
from hookline.text.output_encoding import describe_encoding_fault
from hookline.text.shell_errors import find_missing_program
from hookline.text.terminal_escape import escape_line

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import NoReturn

    from hookline.model.outcome import Outcome
    from hookline.model.spec import HookSpec
    from hookline.model.verdict import Verdict

_LONGEST = 200  # characters of a line that a fault quotes
# Keys by which a hook of any dialect decides. One of them within other text shows an answer, not a
# log.
_DECIDING = (
    "decision|permission|permissionDecision|permission_decision|hookSpecificOutput"
    "|hook_specific_output|behavior|action|continue|block"
)


def check_output(spec: HookSpec, outcome: Outcome, verdict: Verdict) -> Verdict:
    """Return the verdict of a command that exited with 0, with the faults that its output shows.

    In fidelity mode the verdict stays as its dialect reads it, with a fault and a notice. In strict
    mode the hook has failed, as its `on_failure` says. A verdict that asks or denies stays as it
    is.
    """
    if not (outcome.stdout or outcome.stderr) or type(spec.handler) is not Command:
        return verdict
    if outcome.failure is not None or outcome.exit_code or verdict.fault is not None:
        return verdict
    if verdict.stance > Stance.ALLOW:
        return verdict
    if garbled := _find_garbled(spec, outcome, verdict):
        if spec.strict:
            return make_failed_verdict(
                spec, outcome.replace(failure=Failure.UNREADABLE, detail=garbled)
            )
        return _with_notice(spec, verdict, garbled)
    missing = find_missing_program(outcome.stderr)
    if missing is None:
        return verdict
    program, line = missing
    fault = f"its shell could not run `{escape_line(program)}` ({escape_line(line)[:_LONGEST]})"
    if spec.strict and spec.on_failure > verdict.stance:
        return make_failed_verdict(spec, outcome, fault)
    return _with_notice(spec, verdict, fault)


def find_garbled_answer(stdout: str) -> str:
    """Return why text that looks like an answer is not one JSON object.

    Empty for an answer and for a log.
    """
    text = stdout.strip().removeprefix("\ufeff").strip()
    if not text or not ("{" in text or "[" in text):
        return ""
    if wrong := describe_encoding_fault(text):
        return wrong
    try:
        value = json.loads(text, parse_constant=_refuse_constant)
    except (ValueError, RecursionError) as error:
        return f"stdout is not one JSON object: {_describe(error)}" if _has_answer(text) else ""
    if isinstance(value, list) or (isinstance(value, str) and _has_answer(value)):
        return "stdout is JSON, but no object"
    return ""


def _describe(error: ValueError | RecursionError) -> str:
    if isinstance(error, RecursionError):
        return "it is nested too deeply"
    if not isinstance(error, json.JSONDecodeError):
        return str(error)
    if not error.pos or error.msg == "Extra data":
        return "there is other text beside it"
    return f"{error.msg.lower()} at line {error.lineno}"


def _refuse_constant(constant: str) -> NoReturn:
    raise ValueError(f"`{constant}` is no JSON")


def _has_answer(text: str) -> bool:
    """Return whether a line begins like an object or a list, or the text has a deciding key."""
    begins = r"^[ \t]*(?:\{|\[\s*[\[{\"])"
    return bool(
        re.search(begins, text.replace("\r", "\n"), re.MULTILINE)
        or re.search(rf"""[{{,]\s*\\?["'](?:{_DECIDING})\\?["']\s*:""", text)
    )


def _find_garbled(spec: HookSpec, outcome: Outcome, verdict: Verdict) -> str:
    """Do the same for a hook whose verdict is silent.

    Text that its host takes for context stays context in fidelity mode.
    """
    if verdict.stance or verdict.rewrite is not None:
        return ""
    if not spec.strict and (verdict.for_agent or verdict.effects):
        return ""
    return find_garbled_answer(outcome.stdout)


def _with_notice(spec: HookSpec, verdict: Verdict, fault: str) -> Verdict:
    """Return the verdict with the fault, and a notice to the user if the hook may refuse something.

    A verdict that already reports an effect its dialect does not honour needs no second notice.
    """
    if verdict.unsupported or not kind(spec.kind).can_guard:
        return verdict.replace(fault=fault)
    notice = f"hook `{label(spec)}` may not have checked anything: {fault}"
    return verdict.replace(
        fault=fault, for_user="\n".join(filter(None, (verdict.for_user, notice)))
    )
