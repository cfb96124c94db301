"""Request bodies: read as JSON, with limits on size and time."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING, Any

from starlette.requests import ClientDisconnect

from hookline.errors import CodecError, did_you_mean
from hookline.server.responses import RequestError
from hookline.wire.json_reader import read_json

if TYPE_CHECKING:
    from collections.abc import Mapping
    from types import UnionType

    from starlette.requests import Request

LARGEST = 32 << 20  # bytes; hosts send whole files, and `hookline answer` reads them
PATIENCE = 10.0  # seconds for a body
JSON = "application/json"
SECONDS = "Hookline-Seconds"
_TYPES: Mapping[Any, str] = {
    str: "text",
    str | None: "text or null",
    bool: "true or false",
    dict: "a JSON object",
}


async def read_json_body(request: Request, *, patience: float = PATIENCE) -> Any:
    """Read the JSON value of a request.

    Raises:
        RequestError, CodecError: as `read_bytes`, and `parse_body`.
    """
    return parse_body(await read_bytes(request, patience=patience))


def parse_body(sent: bytes) -> Any:
    """Return the value of a body.

    Raises:
        CodecError: it is not JSON.
    """
    return read_json(sent, "the body", constants=False)


async def read_bytes(request: Request, *, patience: float = PATIENCE) -> bytes:
    """Read the body of a request.

    Raises:
        RequestError: it has another type, is too large, or does not arrive in time.
    """
    _check_type(request)
    try:
        async with asyncio.timeout(patience):
            return await _receive(request)
    except TimeoutError:
        message, headers = f"the body did not arrive within {patience:g} s", {"Connection": "close"}
        raise RequestError(408, "serve.request", message, headers=headers) from None
    except ClientDisconnect:
        raise RequestError(400, "serve.request", "the body was broken off") from None


def read_seconds(request: Request) -> float:
    """Return the seconds that the client waits, from its header `Hookline-Seconds`; 0 without one.

    Raises:
        RequestError: the header is not a positive number.
    """
    text = request.headers.get(SECONDS, "")
    if not text:
        return 0.0
    try:
        seconds = float(text)
    except ValueError:
        seconds = 0.0
    if not 0 < seconds < float("inf"):
        message = f"`{SECONDS}: {text:.40}` is not a positive number of seconds"
        raise RequestError(400, "serve.request", message, hint=f"for example `{SECONDS}: 30`")
    return seconds


def _check_type(request: Request) -> None:
    name, _, parameters = request.headers.get("content-type", "").partition(";")
    charset = parameters.strip().lower().removeprefix("charset=").strip('"')
    encoding = request.headers.get("content-encoding", "identity").lower()
    if name.strip().lower() != JSON or charset not in ("", "utf-8"):
        message, headers = "the body must be `application/json` in UTF-8", {"Accept": JSON}
        raise RequestError(415, "serve.request", message, headers=headers)
    if encoding != "identity":
        message, headers = "the body must not be compressed", {"Accept-Encoding": "identity"}
        raise RequestError(415, "serve.request", message, headers=headers)


async def _receive(request: Request) -> bytes:
    """Return the body; of one that is too large, the rest is read and dropped.

    A client that is disconnected while sending may never see the answer.
    """
    sent, arrived = bytearray(), 0
    async for chunk in request.stream():
        arrived += len(chunk)
        if arrived <= LARGEST:
            sent += chunk
    if arrived > LARGEST:
        message = f"the body is larger than {LARGEST} bytes"
        headers = {"Connection": "close"}
        raise RequestError(413, "serve.size", message, headers=headers, sent=bytes(sent))
    return bytes(sent)


def read_fields(sent: Any, example: str, **types: type | UnionType) -> dict[str, Any]:
    """Return the body of a request: an object with no keys but these, with values of these types.

    Raises:
        CodecError: it is not.
    """
    if not isinstance(sent, dict):
        raise CodecError("the body must be a JSON object", hint=example)
    for key, value in sent.items():
        if key not in types:
            hint = did_you_mean(key, types) or f"one of {', '.join(types)}"
            raise CodecError(f"unknown key `{key:.100}`", hint=hint)
        if not isinstance(value, types[key]):
            raise CodecError(f"`{key}` must be {_TYPES[types[key]]}", hint=example)
    return sent


def read_fire_request(sent: Any) -> tuple[str, dict[str, Any], str | None]:
    """Return the event, its payload and its dialect, from the body of a fire request.

    Raises:
        CodecError: it is not an object of these three keys, or a value has the wrong type.
    """
    example = '{"event": ..., "dialect": ..., "payload": {...}}'
    fields = read_fields(sent, example, event=str, dialect=str | None, payload=dict)
    if not fields.get("event"):
        hint = "a canonical one, or a native one with its `dialect`"
        raise CodecError("`event` must be the name of an event", hint=hint)
    return fields["event"], fields.get("payload", {}), fields.get("dialect")
