"""Messages: requests of agents as messages, and replies as decisions or as the engine's errors."""

from __future__ import annotations

import json
import math
from typing import TYPE_CHECKING, Any

from hookline.errors import CODES, CodecError, ConfigError, HookError
from hookline.remote.decisions import parse_decision
from hookline.remote.proto import bridge_pb2 as pb

if TYPE_CHECKING:
    from collections.abc import Mapping

    from hookline.model.verdict import Decision
    from hookline.remote.stream import LinkError

_NAMES = {code: name for name, code in CODES.items()}
_LONGEST = 2**32 - 1  # milliseconds


def make_fire_request(
    request_id: str, event: str, payload: Mapping[str, Any] | None, dialect: str, seconds: float
) -> pb.FireRequest:
    """Return the request for one event. `seconds`: for all hooks together; 0: as long as the engine allows.

    Raises:
        CodecError: the payload is not JSON.
    """
    budget = min(math.ceil(seconds * 1000), _LONGEST) if seconds > 0 else 0
    return pb.FireRequest(
        request_id=request_id,
        event=event,
        dialect=dialect,
        payload_json=_json(payload or {}),
        budget_ms=budget,
    )


def make_answer_request(dialect: str, payload: Mapping[str, Any] | str | bytes) -> pb.AnswerRequest:
    """Return the request for a host's payload, given as an object or as its text.

    Raises:
        CodecError: the payload is not JSON.
    """
    text = payload.encode() if isinstance(payload, str) else payload
    return pb.AnswerRequest(
        dialect=dialect, payload_json=text if isinstance(text, bytes) else _json(text)
    )


def _json(payload: Mapping[str, Any]) -> bytes:
    try:
        return json.dumps(payload, allow_nan=False).encode()
    except (TypeError, ValueError, RecursionError) as error:
        raise CodecError(f"the payload cannot be sent: {error}") from None


def read_decision(reply: pb.FireReply) -> Decision:
    """Return the decision in a reply.

    Raises:
        CodecError, ConfigError, HookError: the engine raised it; or the reply cannot be read.
    """
    if reply.error_code:
        raise make_error(reply.error_code, reply.error)
    try:
        return parse_decision(json.loads(reply.decision_json))
    except (ValueError, RecursionError) as error:
        raise CodecError(f"the answer is not JSON: {error}") from None


def make_error(code: str, words: str) -> HookError:
    """Return an engine's error as it was raised there."""
    name = _NAMES.get(code, "internal")
    cls = (
        CodecError
        if name.startswith("wire.")
        else ConfigError
        if name.startswith("config.")
        else HookError
    )
    return cls(words, name=name)


def parse_error(words: str) -> HookError | None:
    """Return the error in an engine's message that begins with its code."""
    status, _, rest = words.partition(": ")
    code, _, told = (rest if status.isprintable() and rest.startswith("HKL") else words).partition(
        ": "
    )
    return make_error(code, told) if code in _NAMES else None


def make_unreachable_error(address: str, error: LinkError) -> HookError:
    """Return the error for a request without a decision; the caller knows what that means."""
    hint = "nothing was decided; a gate must deny"
    return parse_error(str(error)) or HookError(
        f"`{address}` cannot be reached: {error}", name="remote.unreachable", hint=hint
    )
