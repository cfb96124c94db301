"""Results of Kimi's hooks: a block or nothing (docs/formats/kimi.md 5)."""

from __future__ import annotations

import json

from hookline.core.failure import OVERFLOWED, make_failed_verdict
from hookline.core.output_faults import find_garbled_answer
from hookline.dialects.kimi.table import UNEXPLAINED
from hookline.dialects.kit.answer import EMPTY, Claims
from hookline.model.kinds import ACTIONS
from hookline.model.verdict import Outcome, Stance, Verdict
from hookline.wire.hookoutput import NoObjectError, UnreadableError, parse_object

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Any

    from hookline.core.dialect import EventRow
    from hookline.model.event import Event
    from hookline.model.spec import HookSpec

_BLOCK = 2  # exit code
_SPECIFIC = "hookSpecificOutput"
# Key of other dialects -> the effect that its author meant; a key that is not here is reported by
# its own name.
_MEANT: Mapping[str, str] = {
    "continue": "halt",
    "systemMessage": "note",
    "additionalContext": "context",
    "updatedInput": "input",
    "updatedToolOutput": "output",
}
# Keys that ask for no more than what happens anyway: Kimi shows no stdout, and goes on.
_IDLE = (
    "suppressOutput",
    "hookEventName",
    "permissionDecision",
    "permissionDecisionReason",
    _SPECIFIC,
)


def decode_outcome(outcome: Outcome, spec: HookSpec, row: EventRow, event: Event) -> Verdict:
    """Return what a hook means, with its stdout, which Kimi itself shows nowhere."""
    claims, text = Claims(outcome, spec, row, event), outcome.stdout.strip()
    if outcome.failure is not None or outcome.exit_code not in (0, _BLOCK):
        return make_failed_verdict(spec, outcome).replace(stdout=outcome.stdout)
    if outcome.exit_code == _BLOCK:
        _block(claims, outcome.stderr.strip())
        return claims.verdict(stdout=outcome.stdout)
    try:
        if text:
            _read(claims, parse_object(text))
    except UnreadableError as error:
        if outcome.truncated:
            failed = make_failed_verdict(spec, outcome, OVERFLOWED)
            return failed.replace(stdout=outcome.stdout)
        if isinstance(error, NoObjectError) or find_garbled_answer(text):
            claims.unsupported.append(f"stdout: {error}")
        else:
            # An effect that no event has: it stays in the hook's result, and the decision says that
            # it was not carried out.
            claims.effects["stdout"] = text
    return claims.verdict(stdout=outcome.stdout)


def _read(claims: Claims, given: Mapping[str, Any]) -> None:
    """Take in an output object, of which Kimi reads a denial."""
    specific = given.get(_SPECIFIC)
    _report_unread(claims, given)
    if not isinstance(specific, dict):
        claims.unsupported += [] if specific is None else [f"{_SPECIFIC}: it is no object"]
        return
    _report_unread(claims, specific)
    word, row = specific.get("permissionDecision"), claims.row
    reason = _to_text(specific.get("permissionDecisionReason"))
    if word == "deny":
        _block(claims, reason)
    elif word == "ask" and row.kind in ACTIONS and row.can_block:
        claims.claim(Stance.ASK, reason, "ask")
    elif word in ("ask", "defer"):
        claims.unsupported.append(f"{word}: Kimi knows no `{word}`, so the call goes on")
    elif word not in (None, "", "allow"):
        claims.unsupported.append(f"permissionDecision: `{_to_text(word):.40}` is none")


def _block(claims: Claims, reason: str) -> None:
    given = f", whose reason is: {reason}" if reason else ""
    lost = f"deny: `{claims.row.native}` ignores a block{given}"
    claims.claim(claims.row.blocks, reason or UNEXPLAINED, lost)


def _report_unread(claims: Claims, given: Mapping[str, Any]) -> None:
    """Report what the keys of an object ask for that Kimi does not read, each with its key."""
    for key, value in given.items():
        asks = value is False if key == "continue" else value not in EMPTY
        if asks and key not in _IDLE:
            refuses = key == "decision" and value in ("block", "deny")
            effect = "deny" if refuses else _MEANT.get(key, key)
            claims.unsupported.append(f"{effect}: Kimi does not read `{key}`")


def _to_text(value: Any) -> str:
    """Return a reason, or what stands in its place, as text."""
    if value is None:
        return ""
    return value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)
