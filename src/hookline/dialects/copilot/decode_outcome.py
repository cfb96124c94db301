"""What a Copilot hook meant: its exit code, and the one object that it printed.

Facts: docs/formats/comparison.md 2; docs/formats/copilot.md 5, 6.
"""

from __future__ import annotations

import json

from hookline.core.failure import OVERFLOWED, make_failed_verdict, show_failure
from hookline.dialects.copilot.table import KEYS
from hookline.dialects.kit.answer import Claims
from hookline.model.event import Event, Rewrite
from hookline.model.verdict import Failure, Outcome, Stance, Verdict
from hookline.wire.hookoutput import (
    NoObjectError,
    UnreadableError,
    has_object_start,
    parse_object,
    split_lines,
)

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Any

    from hookline.core.dialect import EventRow
    from hookline.model.spec import HookSpec

_STANCES = {"allow": Stance.ALLOW, "ask": Stance.ASK, "deny": Stance.DENY}
# Key that decides -> the key of its reason, and its words.
_DECIDING: Mapping[str, tuple[str, Mapping[str, Stance]]] = {
    "permissionDecision": ("permissionDecisionReason", _STANCES),
    "behavior": ("message", {"allow": Stance.ALLOW, "deny": Stance.DENY}),
    "decision": ("reason", {"allow": Stance.SILENT, "block": Stance.DENY}),
}
# What an event does not read -> the power; keys of other hosts, which no event reads, included.
_UNREAD: Mapping[str, str] = {
    **{key: known.power or key for key, known in KEYS.items()},
    "updatedInput": "input",
    "systemMessage": "note",
    "continue": "halt",
}
# Keys that only explain another.
_COMPANIONS = ("permissionDecisionReason", "message", "reason", "hookEventName", "interrupt")
_POWERS = {"block": "deny"}
_REFUSES = 2


def decode_outcome(outcome: Outcome, spec: HookSpec, row: EventRow, event: Event) -> Verdict:
    """Return the verdict of one hook."""
    claims = Claims(outcome, spec, row, event)
    if outcome.failure is not None:
        # A timeout fails open on every event, `preToolUse` and policy included
        # (docs/formats/comparison.md 4).
        return _fail(claims, opens=outcome.failure is Failure.TIMED_OUT)
    lines = (line for line in split_lines(outcome.stdout) if not _is_progress(line))
    text = "\n".join(lines).strip().removeprefix("\ufeff").strip()
    return _read_exit(claims, text) if outcome.exit_code else _read_output(claims, text)


def _fail(claims: Claims, fault: str = "", *, opens: bool = False) -> Verdict:
    """Return the verdict of a failed hook, which the host shows on every event.

    `opens`: only strict mode refuses.
    """
    spec = claims.spec
    if opens and not spec.strict:
        spec = spec.replace(on_failure=Stance.SILENT)
    return show_failure(make_failed_verdict(spec, claims.outcome, fault), spec)


def _is_progress(line: str) -> bool:
    try:
        return line.strip().startswith("{") and json.loads(line).get("type") == "progress"
    except (ValueError, RecursionError):
        return False


def _read_exit(claims: Claims, text: str) -> Verdict:
    """Return what an exit code means: 2 refuses, and where a failure denies any other one too."""
    row, stderr, failed = claims.row, claims.outcome.stderr.strip(), _fail(claims)
    refuses = claims.outcome.exit_code == _REFUSES
    key = next((key for key in ("permissionDecision", "behavior") if key in row.reads), "")
    if key and (refuses or row.fails is Stance.DENY):
        try:
            given = parse_object(text)
        except UnreadableError:
            given = {}
        _read_answer(claims, {**given, key: "deny"})
        claims.rewrite = None
        ((stance, reason),) = claims.claims
        otherwise = stderr if key == "permissionDecision" else ""  # the other event ignores stderr
        claims.claims = [(stance, reason or (otherwise if refuses else failed.reason))]
        return claims.verdict(fault=None if refuses else failed.fault)
    if refuses and row.shows:
        return claims.verdict(for_agent=text)
    if refuses and stderr and failed.stance is Stance.SILENT:
        return failed.replace(for_user=stderr)
    return failed


def _read_output(claims: Claims, text: str) -> Verdict:
    """Return what exit 0 means.

    To the host, what is no JSON object is no answer; in strict mode it is no yes either.
    """
    try:
        _read_answer(claims, parse_object(text) if text else {})
    except UnreadableError as error:
        fault = OVERFLOWED if claims.outcome.truncated else str(error)
        if fault is OVERFLOWED or has_object_start(text) or isinstance(error, NoObjectError):
            return _fail(claims, fault, opens=True)
    return claims.verdict()


def _read_answer(claims: Claims, given: Mapping[str, Any]) -> None:
    """Take in an output object."""
    row, specific = claims.row, given.get("hookSpecificOutput")
    if row.native == row.called and isinstance(specific, dict):
        # Files with PascalCase keys are Claude's and VS Code's as well, and so is what their hooks
        # print.
        given = {**specific, **given, "hookSpecificOutput": None}
    words = {key: given[key] for key in _DECIDING if isinstance(given.get(key), str)}
    powers = {**_UNREAD, **{key: _POWERS.get(word, word) for key, word in words.items()}}
    asked = {key: each for key, each in given.items() if key in row.reads or key not in _COMPANIONS}
    read = claims.select(asked, {key: KEYS[key].type for key in row.reads}, powers)
    for key in read.keys() & _DECIDING.keys():
        companion, stances = _DECIDING[key]
        stance = stances.get(read[key])
        if stance is None:
            claims.unsupported.append(f"{read[key]}: `{key}` has no such decision")
        elif stance is not Stance.SILENT:
            halts = stance is Stance.DENY and read.get("interrupt", False)
            claims.claims.append((Stance.HALT if halts else stance, read.get(companion, "")))
    for key, value in read.items():
        if key == "modifiedTransformedPrompt" and not value:
            why = "an empty prompt is refused, so the prompt stays as it is"
            claims.unsupported.append(f"text: {why}")
        elif key == "modifiedResponse" and value and claims.stance is Stance.DENY:
            claims.unsupported.append("response: an agent that goes on has no last response")
        elif key == "modifiedResult":
            _read_result(claims, value)
        elif KEYS[key].power:
            claims.take(KEYS[key].power, value)


def _read_result(claims: Claims, given: Mapping[str, Any]) -> None:
    """Take in a new result: its text.

    And that it is a failure after all, which raises `postToolUseFailure` in the host.
    """
    text = given.get("textResultForLlm", given.get("text_result_for_llm"))
    if not isinstance(text, str):
        claims.unsupported.append("output: `modifiedResult` needs `textResultForLlm`, a text")
        return
    claims.rewrite = Rewrite(target="output", value=text)
    kind = given.get("resultType", given.get("result_type", "success"))
    if kind != "success":
        claims.effects["result_type"] = kind
