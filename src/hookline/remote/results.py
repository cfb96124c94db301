"""Results: a handler's outcome as a message, and the checked answer that an engine reads from it."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

from hookline.core.failure import describe_failure
from hookline.dialects.a3s.response import BLOCK, CONTINUE, RETRY, SKIP, read_response
from hookline.model.verdict import Failure, RemoteHandlerError
from hookline.remote.proto import bridge_pb2 as pb
from hookline.wire.hookoutput import UnreadableError

if TYPE_CHECKING:
    from hookline.model.verdict import Outcome
    from hookline.remote.limits import Bounds

_ACTIONS = {CONTINUE: pb.CONTINUE, BLOCK: pb.BLOCK, RETRY: pb.RETRY, SKIP: pb.SKIP}
_NAMES = {number: action for action, number in _ACTIONS.items()}
_RAISED = f"{Failure.RAISED.value}: "
_LONGEST = 4000  # characters of a failure's words
_LARGEST = 2**53  # of whole numbers that every JSON has


def to_result(outcome: Outcome, invocation_id: str) -> pb.Result:
    """Return a handler's outcome as a message.

    Any fault of the handler is a failure, never a Continue.
    """
    result = pb.Result(
        invocation_id=invocation_id, handler_ms=min(round(outcome.seconds * 1000), 2**32 - 1)
    )
    if outcome.failure is not None:
        result.failure = to_utf8(describe_failure(outcome))[:_LONGEST]
        return result
    try:
        response = read_response(outcome.answer)
        modified = None if response.modified is None else json.dumps(response.modified).encode()
    except (UnreadableError, RecursionError) as error:
        result.failure = to_utf8(str(error))[:_LONGEST]
        return result
    result.action = _ACTIONS[response.action]
    if response.reason is not None:
        result.reason = to_utf8(response.reason)
    if modified is not None:
        result.modified_json = modified
    if response.retry_delay_ms is not None:
        result.retry_delay_ms = min(round(response.retry_delay_ms), _LARGEST)
    return result


def to_utf8(text: str) -> str:
    """Return a text without characters that UTF-8 cannot express."""
    return text.encode("utf-8", "replace").decode()


def read_answer(result: pb.Result, bounds: Bounds) -> dict[str, Any]:
    """Return what a Result says, in the dialect's form.

    Raises:
        RemoteHandlerError: the handler failed, or its answer cannot be used.
    """
    if result.HasField("failure"):
        words = result.failure[:_LONGEST]
        if words.startswith(_RAISED):
            raise RemoteHandlerError(Failure.RAISED, words.removeprefix(_RAISED))
        raise RemoteHandlerError(Failure.UNREADABLE, words or "it failed and gave no reason")
    if result.action not in _NAMES:
        number = result.action
        words = f"unknown action {number}" if number else "the answer has no `action`"
        raise RemoteHandlerError(Failure.UNREADABLE, words)
    answer: dict[str, Any] = {"action": _NAMES[result.action]}
    if result.HasField("reason"):
        answer["reason"] = result.reason
    if result.HasField("retry_delay_ms"):
        answer["retry_delay_ms"] = min(result.retry_delay_ms, _LARGEST)
    if result.HasField("modified_json"):
        if len(result.modified_json) > bounds.payload:
            words = f"`modified_json` has more than {bounds.payload:,} bytes"
            raise RemoteHandlerError(Failure.FLOODED, words)
        try:
            text = result.modified_json.decode("utf-8")
            answer["modified"] = json.loads(text, parse_constant=_refuse_constant)
        except (ValueError, RecursionError) as error:
            why = "nested too deeply" if isinstance(error, RecursionError) else f"{error}"
            words = f"`modified_json` is not JSON: {why:.200}"
            raise RemoteHandlerError(Failure.UNREADABLE, words) from None
    return answer


def _refuse_constant(constant: str) -> Any:
    raise ValueError(f"`{constant}` is no number of JSON")
