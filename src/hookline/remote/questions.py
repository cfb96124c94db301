"""Questions: what an agent asks, as messages, and what it is told, as decisions or as the errors that were raised there."""

from __future__ import annotations

import json
import math
from typing import TYPE_CHECKING, Any

from hookline.errors import CODES, CodecError, ConfigError, HookError
from hookline.remote.decisions import decision_of
from hookline.remote.proto import bridge_pb2 as pb

if TYPE_CHECKING:
    from collections.abc import Mapping

    from hookline.model.verdict import Decision
    from hookline.remote.talking import LinkError

_NAMES = {code: name for name, code in CODES.items()}
_LONGEST = 2**32 - 1  # milliseconds


def question(
    request_id: str, event: str, payload: Mapping[str, Any] | None, dialect: str, seconds: float
) -> pb.FireRequest:
    """One event. `seconds`: for all hooks together; 0: as long as the engine allows.

    Raises:
        CodecError: the payload is no JSON.
    """
    budget = min(math.ceil(seconds * 1000), _LONGEST) if seconds > 0 else 0
    return pb.FireRequest(
        request_id=request_id,
        event=event,
        dialect=dialect,
        payload_json=_json(payload or {}),
        budget_ms=budget,
    )


def host_question(dialect: str, payload: Mapping[str, Any] | str | bytes) -> pb.AnswerRequest:
    """A host's payload, as an object or as the text that it sent.

    Raises:
        CodecError: the payload is no JSON.
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


def decided(reply: pb.FireReply) -> Decision:
    """The decision of a reply.

    Raises:
        CodecError, ConfigError, HookError: what was raised there; or the reply cannot be read.
    """
    if reply.error_code:
        raise error_of(reply.error_code, reply.error)
    try:
        return decision_of(json.loads(reply.decision_json))
    except (ValueError, RecursionError) as error:
        raise CodecError(f"the answer is no JSON: {error}") from None


def error_of(code: str, words: str) -> HookError:
    """An engine's error as it was raised there."""
    name = _NAMES.get(code, "internal")
    cls = (
        CodecError
        if name.startswith("wire.")
        else ConfigError
        if name.startswith("config.")
        else HookError
    )
    return cls(words, name=name)


def error_in(words: str) -> HookError | None:
    """The error that an engine told in words that begin with its code."""
    status, _, rest = words.partition(": ")
    code, _, told = (rest if status.isprintable() and rest.startswith("HKL") else words).partition(
        ": "
    )
    return error_of(code, told) if code in _NAMES else None


def unreachable(address: str, error: LinkError) -> HookError:
    """Nothing was decided: what that means is for whoever asked."""
    hint = "nothing was decided; a gate must deny"
    return error_in(str(error)) or HookError(
        f"`{address}` cannot be asked: {error}", name="remote.unreachable", hint=hint
    )
