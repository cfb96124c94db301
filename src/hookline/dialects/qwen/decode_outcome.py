"""Results of Qwen Code's hooks as verdicts (docs/formats/qwen.md 4)."""

from __future__ import annotations

from hookline.core.failure import make_failed_verdict
from hookline.dialects.kit.answer import Answer, AnswerFormat, find_object, find_text_fault
from hookline.dialects.qwen.prompt_hook import read_output
from hookline.dialects.qwen.table import DENY
from hookline.model.spec import Model
from hookline.wire.hookoutput import UnreadableError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from hookline.core.dialect import EventRow
    from hookline.model.event import Event
    from hookline.model.spec import HookSpec
    from hookline.model.verdict import Outcome, Verdict

_BLOCKED = 2
_FORMAT = AnswerFormat(
    powers={
        "additionalContext": "context",
        "updatedInput": "input",
        "permissionDecision": "deny",
        "decision": "deny",
    },
    words={"deny": "deny", "block": "deny", "ask": "ask", "allow": "", "approve": ""},
    permission_first=True,
    escapes=True,
    rewrites={"updatedInput": "input"},
)


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
        if answer.stance < DENY:
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
    """Return what the reply of a model means."""
    try:
        answer.read(read_output(answer.outcome.stdout))
    except UnreadableError as error:
        return make_failed_verdict(answer.spec, answer.outcome, str(error))
    return answer.verdict()
