"""Results of Qwen Code's hooks as verdicts (docs/formats/qwen.md 4)."""

from __future__ import annotations

from hookline.core.failure import OVERFLOWED, make_failed_verdict
from hookline.dialects.kit.answer import Answer, AnswerFormat, find_object
from hookline.dialects.qwen.table import DENY
from hookline.model.handler import Model
from hookline.wire.hookoutput import UnreadableError, has_object_start

TYPE_CHECKING = False
if TYPE_CHECKING:
    from hookline.core.dialect import EventRow
    from hookline.model.event import Event
    from hookline.model.outcome import Outcome
    from hookline.model.spec import HookSpec
    from hookline.model.verdict import Verdict

_BLOCKED = 2
_FORMAT = AnswerFormat(
    specific={
        "additionalContext": str,
        "updatedInput": dict,
        "permissionDecision": str,
        "decision": dict,
    },
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

    At exit 2 only stderr counts, and it blocks. At any other exit code an object on stdout counts, or, where that is
    empty, one on stderr; other text at exit 0 is a message to the user.
    """
    if outcome.failure is not None:
        return make_failed_verdict(spec, outcome)
    answer = Answer(_FORMAT, outcome, spec, row, event)
    if type(spec.handler) is Model:
        return _of_model(outcome, spec, answer)
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
    return answer.verdict() if given is not None else _plain(text, outcome, spec, answer)


def _plain(text: str, outcome: Outcome, spec: HookSpec, answer: Answer) -> Verdict:
    """Return what text means that is no object: a message to the user."""
    if outcome.truncated:
        return make_failed_verdict(spec, outcome, OVERFLOWED)
    if spec.strict and has_object_start(text):
        return make_failed_verdict(spec, outcome, "its stdout holds JSON, but is not one object")
    answer.notes += [text] if text else []
    return answer.verdict()


def _of_model(outcome: Outcome, spec: HookSpec, answer: Answer) -> Verdict:
    """Return what the reply of a model means."""
    from hookline.dialects.qwen.prompt_hook import read_reply  # noqa: PLC0415 - few hooks ask a model

    try:
        answer.read(read_reply(outcome.stdout))
    except UnreadableError as error:
        return make_failed_verdict(spec, outcome, str(error))
    return answer.verdict()
