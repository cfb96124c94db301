"""Only JSON is read, not too much of it, and not for ever."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest
from starlette.requests import Request

from hookline.errors import CodecError
from hookline.server.request_bodies import LARGEST, read_fire_request, read_json_body
from hookline.server.responses import RequestError


def request(*chunks: bytes, ends: str = "whole", **headers: str) -> Request:
    """A request that sends these chunks, and then ends, is broken off, or says nothing more."""
    named = {
        "content-type": "application/json",
        **{name.replace("_", "-"): value for name, value in headers.items()},
    }
    messages: list[dict[str, Any]] = [
        {"type": "http.request", "body": chunk, "more_body": True} for chunk in chunks
    ]
    messages += {
        "whole": [{"type": "http.request", "body": b""}],
        "broken": [{"type": "http.disconnect"}],
        "never": [],
    }[ends]

    async def receive() -> dict[str, Any]:
        if messages:
            return messages.pop(0)
        await asyncio.Event().wait()
        raise AssertionError

    scope = {
        "type": "http",
        "method": "POST",
        "path": "/",
        "headers": [(n.encode(), v.encode()) for n, v in named.items() if v],
    }
    return Request(scope, receive)


def read(asked: Request) -> Any:
    """What the body says."""
    return asyncio.run(read_json_body(asked, patience=0.05))


@pytest.mark.parametrize(
    "content_type",
    ["application/json", "Application/JSON; charset=UTF-8", 'application/json;charset="utf-8"'],
)
def test_json_is_read_in_any_number_of_pieces(content_type: str) -> None:
    """The body may come in one chunk or in many."""
    assert read(request(b'{"a"', b": [1", b"]}", content_type=content_type)) == {"a": [1]}


@pytest.mark.parametrize(
    "headers",
    [
        {"content_type": ""},
        {"content_type": "text/plain"},
        {"content_type": "application/x-www-form-urlencoded"},
        {"content_type": "application/json; charset=latin-1"},
        {"content_encoding": "gzip"},
    ],
    ids=str,
)
def test_what_is_not_said_to_be_json_is_not_read(headers: dict[str, str]) -> None:
    """A web page cannot send `application/json` without a preflight request."""
    with pytest.raises(RequestError) as error:
        read(request(b"{}", **headers))
    assert error.value.status == 415


def test_what_is_too_large_is_refused() -> None:
    """The server reads the whole body, so that the client sees the answer."""
    with pytest.raises(RequestError) as error:
        read(request(b'"', b"x" * LARGEST, b'"'))
    assert (error.value.status, error.value.code) == (413, "HKL5006")


def test_the_largest_body_is_read() -> None:
    """1 MiB, its last byte included."""
    assert len(read(request(b'"' + b"x" * (LARGEST - 2) + b'"'))) == LARGEST - 2


@pytest.mark.parametrize(("ends", "status"), [("never", 408), ("broken", 400)])
def test_a_body_that_does_not_come_is_given_up(ends: str, status: int) -> None:
    """At the time limit, or when the client has gone."""
    with pytest.raises(RequestError) as error:
        read(request(b'{"a', ends=ends))
    assert error.value.status == status


@pytest.mark.parametrize(
    "sent",
    [b"", b"{", b"ls", b"\xff", b'{"a": NaN}', b"[" * 500_000, b'{"a": 1} x', "{'ü': 1}".encode()],
)
def test_garbage_is_a_codec_error(sent: bytes) -> None:
    """NaN and Infinity are errors too."""
    with pytest.raises(CodecError, match="the body is no JSON"):
        read(request(sent))


def test_a_firing_is_an_event_its_payload_and_its_dialect() -> None:
    """Payload and dialect may be missing."""
    assert read_fire_request({"event": "stop"}) == ("stop", {}, None)
    assert read_fire_request({"event": "Stop", "dialect": "kimi", "payload": {"a": 1}}) == (
        "Stop",
        {"a": 1},
        "kimi",
    )
    assert read_fire_request({"event": "stop", "dialect": None}) == ("stop", {}, None)


@pytest.mark.parametrize(
    ("sent", "why"),
    [
        ([], "must be a JSON object"),
        ("stop", "must be a JSON object"),
        ({}, "`event` must be"),
        ({"event": ""}, "`event` must be"),
        ({"event": 1}, "`event` must be"),
        ({"event": "stop", "payload": []}, "`payload` must be"),
        ({"event": "stop", "payload": None}, "`payload` must be"),
        ({"event": "stop", "dialect": 1}, "`dialect` must be"),
        ({"event": "stop", "payloads": {}}, "unknown key `payloads`"),
    ],
)
def test_what_is_no_firing_is_said(sent: object, why: str) -> None:
    """The error names the wrong key."""
    with pytest.raises(CodecError, match=why):
        read_fire_request(sent)
