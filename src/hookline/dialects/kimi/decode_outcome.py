"""Results of Kimi's hooks as verdicts: a block or nothing, and a report of what Kimi does not read (docs/formats/kimi.md 5)."""

from __future__ import annotations

import json

from hookline.core.failure import OVERFLOWED, make_failed_verdict
from hookline.core.output_faults import find_garbled_answer
from hookline.dialects.kimi.table import UNEXPLAINED
from hookline.dialects.kit.answer import to_verdict
from hookline.model.kinds import ACTIONS
from hookline.model.verdict import Stance, Verdict
from hookline.wire.hookoutput import NoObjectError, UnreadableError, parse_object

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping
    from typing import Any

    from hookline.core.dialect import EventRow
    from hookline.model.event import Event
    from hookline.model.spec import HookSpec
    from hookline.model.verdict import Outcome

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


def decode_outcome(outcome: Outcome, spec: HookSpec, row: EventRow, _event: Event) -> Verdict:
    """Return what a hook means, with its stdout, which Kimi itself shows nowhere (docs/formats/kimi.md 5)."""
    verdict = to_verdict(spec, outcome, stdout=outcome.stdout)
    text = outcome.stdout.strip()
    if outcome.failure is not None or outcome.exit_code not in (0, _BLOCK):
        return make_failed_verdict(spec, outcome).replace(stdout=outcome.stdout)
    if outcome.exit_code == _BLOCK:
        return _block(verdict, outcome.stderr.strip(), row)
    if not text:
        return verdict
    try:
        given = parse_object(text)
    except UnreadableError as error:
        if outcome.truncated:
            failed = make_failed_verdict(spec, outcome, OVERFLOWED)
            return failed.replace(stdout=outcome.stdout)
        if isinstance(error, NoObjectError) or find_garbled_answer(text):
            return verdict.replace(unsupported=(f"stdout: {error}",))
        # An effect that no event has: it stays in the hook's result, and the decision says that it
        # was not carried out.
        return verdict.replace(effects={"stdout": text})
    return _decode_object(verdict, given, row)


def _decode_object(verdict: Verdict, given: Mapping[str, Any], row: EventRow) -> Verdict:
    specific = given.get(_SPECIFIC)
    ignored = list(_list_unread(given))
    if specific is not None and not isinstance(specific, dict):
        ignored.append(f"{_SPECIFIC}: it is no object")
    if not isinstance(specific, dict):
        return verdict.replace(unsupported=tuple(ignored))
    ignored += _list_unread(specific)
    word, reason = specific.get("permissionDecision"), specific.get("permissionDecisionReason")
    asks = word == "ask" and row.kind in ACTIONS and row.can_block
    if word in ("ask", "defer") and not asks:
        ignored.append(f"{word}: Kimi knows no `{word}`, so the call goes on")
    elif word not in (None, "", "allow", "ask", "defer", "deny"):
        ignored.append(f"permissionDecision: `{_to_text(word):.40}` is none")
    verdict = verdict.replace(unsupported=tuple(ignored))
    if asks:
        return verdict.replace(stance=Stance.ASK, reason=_to_text(reason))
    return _block(verdict, _to_text(reason), row) if word == "deny" else verdict


def _block(verdict: Verdict, reason: str, row: EventRow) -> Verdict:
    if row.can_block:
        return verdict.replace(stance=row.blocks, reason=reason or UNEXPLAINED)
    given = f", whose reason is: {reason}" if reason else ""
    lost = f"deny: `{row.native}` ignores a block{given}"
    return verdict.replace(unsupported=(*verdict.unsupported, lost))


def _list_unread(given: Mapping[str, Any]) -> Iterator[str]:
    """Yield what the keys of an output object ask for that Kimi does not read, each with its key."""
    for key, value in given.items():
        asks = value is False if key == "continue" else value not in (None, "", False, [], {})
        if asks and key not in _IDLE:
            refuses = key == "decision" and value in ("block", "deny")
            yield f"{'deny' if refuses else _MEANT.get(key, key)}: Kimi does not read `{key}`"


def _to_text(value: Any) -> str:
    """Return a reason, or what stands in its place, as text."""
    if value is None:
        return ""
    return value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)
