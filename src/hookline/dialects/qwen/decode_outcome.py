"""Results of Qwen Code's hooks as verdicts (docs/formats/qwen.md 4)."""

from __future__ import annotations

from hookline.core.failure import make_failed_verdict
from hookline.dialects.kit.answer import Answer, AnswerFormat, find_object, find_text_fault
from hookline.dialects.kit.remote_hook import read_reply
from hookline.dialects.qwen.table import KEYS
from hookline.model.spec import HookSpec, Model
from hookline.model.verdict import Outcome, Stance, Verdict
from hookline.wire.hookoutput import UnreadableError, select_typed

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Any

    from hookline.core.dialect import EventRow
    from hookline.model.event import Event

_BLOCKED = 2
# Keys of a model's reply, in lower case.
_TEXTS: Mapping[str, type] = {"reason": str, "additionalcontext": str}
_FORMAT = AnswerFormat(keys=KEYS, permission_first=True, escapes=True)


def decode_outcome(outcome: Outcome, spec: HookSpec, row: EventRow, event: Event) -> Verdict:
    """Return what a hook means.

    At exit 2 only stderr counts, and it blocks. At any other exit code an object on stdout counts,
    or, where that is empty, one on stderr; other text at exit 0 is a message to the user.
    """
    if outcome.failure is not None:
        return make_failed_verdict(spec, outcome)
    answer = Answer(_FORMAT, outcome, spec, row, event)
    if type(spec.handler) is Model:
        return _decode_reply(answer)
    stderr = outcome.stderr.strip()
    blocks = outcome.exit_code == _BLOCKED
    text = stderr if blocks else outcome.stdout.strip() or stderr
    given = find_object(text)
    if given is not None and row.unread:
        answer.unsupported += [f"{key}: `{row.native}` reads no output" for key in given]
    elif given is not None:
        answer.read(given)
    if blocks:
        # Exit 2 blocks where the event can block, also beside an `allow`.
        if answer.stance < Stance.DENY:
            answer.claim(row.blocks, "" if given is not None else text, "deny")
        return answer.verdict()
    if outcome.exit_code and not answer.decided:
        return make_failed_verdict(spec, outcome)
    if given is None:
        if fault := find_text_fault(text, outcome, spec):
            return make_failed_verdict(spec, outcome, fault)
        answer.notes += [text] if text else []
    return answer.verdict()


def _decode_reply(answer: Answer) -> Verdict:
    """Return what the reply of a model means, by the object that the host makes of it."""
    try:
        refused, chosen, _ = read_reply(answer.outcome.stdout, "ok")
        texts = select_typed({key: chosen.get(key) or None for key in _TEXTS}, _TEXTS)
    except UnreadableError as error:
        return make_failed_verdict(answer.spec, answer.outcome, str(error))
    reason, context = texts.get("reason", "").strip(), texts.get("additionalcontext", "")
    given: dict[str, Any] = {"decision": "allow", "reason": reason}
    if refused:
        reason = reason or "Blocked by prompt hook"
        given = {"continue": False, "stopReason": reason, "decision": "block", "reason": reason}
    given["hookSpecificOutput"] = {"additionalContext": context.strip()}
    answer.read(given)
    return answer.verdict()
