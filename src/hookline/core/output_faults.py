"""Faults in what a hook wrote: missing programs, other encodings, unreadable output."""

from __future__ import annotations

import json
import re

from hookline.core.failure import label, make_failed_verdict
from hookline.model.kinds import kind
from hookline.model.spec import Command, HookSpec
from hookline.model.verdict import Failure, Outcome, Stance, Verdict
from hookline.text.terminal_escape import escape_line

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import NoReturn


def describe_encoding_fault(text: str) -> str:
    """Return why the text cannot be UTF-8 as its author meant it; empty if nothing shows that.

    UTF-16 shows by its NUL bytes: every second byte of ASCII text is NUL.
    """
    if "\0" not in text:
        return ""
    if text.count("\0") * 3 >= len(text):
        return "stdout is UTF-16, not UTF-8"
    return "stdout contains NUL bytes"


# Each such line contains one of these texts. They spare most stderr the expressions.
_HINTS = ("ot found", "o such file", "ermission denied", "annot execute", "nknown command")
_NAME = r"(?P<program>[^\s:][^:\n]*)"
_SHELL = r"(?:\S*/)?-?(?:ba|da|k|mk|pdk|z|a|fi)?sh"
_ENDS = (
    r"(?:command not found|inaccessible or not found|not found(?: \[.*\])?"
    r"|No such file or directory|Permission denied"
    r"|cannot execute(?: binary file)?: .*|cannot execute)"
)
# One expression for each family of shells. A place is a line number: `sh: 1:`, `x.sh: line 3:`,
# `x.sh[3]:`.
_FORMS = (
    # dash and bash in a script, ksh: `FILE: 3: jq: not found`, `FILE: line 3: jq: command not
    # found`
    rf"^[^\s:][^:\n]*(?:: line \d+:|: \d+:|\[\d+\]:) (?:exec: )?{_NAME}: {_ENDS}$",
    # bash at a prompt, busybox, mksh: `sh: jq: not found`
    rf"^{_SHELL}: (?:exec: )?{_NAME}: {_ENDS}$",
    # zsh: `zsh:1: command not found: jq`
    (
        r"^[^\s:][^:\n]*:\d+: (?:command not found|no such file or directory|permission denied):"
        r" (?P<program>\S.*)$"
    ),
    # fish: `fish: Unknown command: jq`
    r"^fish: Unknown command: (?P<program>\S+)$",
    # env, which starts a script for its first line: `/usr/bin/env: 'node': No such file or
    # directory`
    (
        r"^(?:/usr/bin/|/bin/)?env: ['\"\u2018]?(?P<program>[^'\"\u2019:\n]+)['\"\u2019]?:"
        r" (?:No such file or directory|Permission denied)$"
    ),
)
# How dash reports a failed redirection, which says nothing about the program.
_REDIRECTIONS = ("cannot open ", "cannot create ")


def find_missing_program(stderr: str) -> tuple[str, str] | None:
    """Return the first program that a shell could not find or start, and the line that says so.

    None if there is none.

    Only a whole line in a shell's own form counts. Text that merely contains the words does not.
    """
    if not any(hint in stderr for hint in _HINTS):
        return None

    for line in stderr.replace("\r", "\n").split("\n"):
        for form in _FORMS:
            found = re.match(form, line)
            if found is not None and not found["program"].startswith(_REDIRECTIONS):
                return found["program"], line
    return None


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
