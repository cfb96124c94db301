"""Results of OpenHands hooks as verdicts (docs/formats/openhands.md 6)."""

from __future__ import annotations

from hookline.core.failure import make_failed_verdict
from hookline.dialects.kit.answer import EMPTY, Claims, find_text_fault
from hookline.dialects.kit.remote_hook import read_reply
from hookline.model.spec import HookSpec, Model
from hookline.wire.hookoutput import UnreadableError, has_object_start, parse_object

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping
    from typing import Any

    from hookline.core.dialect import EventRow
    from hookline.model.event import Event
    from hookline.model.verdict import Outcome, Verdict

_BLOCKED = 2
_KNOWN = ("decision", "reason", "additionalContext", "continue")
# Words of other hosts, and what their authors mean by them.
_MEANT: Mapping[str, str] = {"block": "deny", "ask": "ask"}


def decode_outcome(outcome: Outcome, spec: HookSpec, row: EventRow, event: Event) -> Verdict:
    """Return what a hook means. The host reads an object on stdout at every exit code."""
    if outcome.failure is not None:
        return make_failed_verdict(spec, outcome)
    claims = Claims(outcome, spec, row, event)
    if type(spec.handler) is Model:
        return _decode_reply(claims)
    answer: dict[str, Any] = {}
    try:
        answer = parse_object(outcome.stdout) if outcome.stdout.strip() else {}
    except UnreadableError as error:
        if fault := find_text_fault(outcome.stdout, outcome, spec):
            return make_failed_verdict(spec, outcome, fault)
        if has_object_start(outcome.stdout):
            claims.unsupported.append(f"stdout: {error}")
    word = answer.get("decision", "")
    if not isinstance(word, str):
        return make_failed_verdict(spec, outcome, "`decision` must be text")
    refuses = word.lower() == "deny" or not answer.get("continue", True)
    context, reads_context = str(answer.get("additionalContext", "")), "context" in row.powers
    claims.context = context if reads_context else ""
    if outcome.exit_code not in (0, _BLOCKED) and not refuses:
        return make_failed_verdict(spec, outcome).replace(for_agent=claims.context)
    claims.unsupported += _list_unread(answer, word.lower(), row)
    if refuses or outcome.exit_code == _BLOCKED:
        reason = str(answer.get("reason", "")) or outcome.stderr.strip()
        # A refused stop tells the agent the context instead.
        reason = reason if reads_context else context or reason
        claims.claim(row.blocks, reason, f"deny: `{row.native}` cannot be blocked")
    elif context and not reads_context:
        claims.unsupported.append("context")
    return claims.verdict(ends=bool(claims.stance))


def _decode_reply(claims: Claims) -> Verdict:
    """Return what a model's reply means (docs/formats/openhands.md 2).

    `deny` blocks the event, where it can be blocked, and ends the run.
    """
    try:
        denies, chosen, _ = read_reply(claims.outcome.stdout, "decision")
    except UnreadableError as error:
        return make_failed_verdict(claims.spec, claims.outcome, str(error))
    if denies:
        reason = str(chosen.get("reason") or "").strip()
        claims.claim(claims.row.blocks, reason, f"deny: `{claims.row.native}` cannot be blocked")
    return claims.verdict(ends=bool(claims.stance))


def _list_unread(answer: Mapping[str, Any], word: str, row: EventRow) -> Iterator[str]:
    """Yield what the host does not read."""
    if word not in ("", "allow", "deny"):
        yield f"{_MEANT.get(word, 'decision')}: OpenHands knows no decision `{word}`"
    for key, value in answer.items():
        if key not in _KNOWN and value not in EMPTY:
            yield f"{key}: OpenHands does not read it on `{row.native}`"
