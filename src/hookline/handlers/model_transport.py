"""Model transport: carries a client library's request with allowed headers to a checked address, and limits its answer."""

from __future__ import annotations

import json
from http.client import HTTPException
from ipaddress import ip_address
from typing import TYPE_CHECKING
from urllib.parse import urlsplit

import httpx2

from hookline.errors import HandlerError
from hookline.handlers.deadline_connection import FloodError
from hookline.handlers.http import CallError, explain_failure, send_request
from hookline.handlers.recursion_guard import MODEL_CALL_HEADER
from hookline.model.outcome import Failure
from hookline.text.ip_addresses import LOCAL, classify_address, unmap_ipv4

if TYPE_CHECKING:
    from typing import Any

    from hookline.handlers.deadline_connection import DeadlineConnection
    from hookline.handlers.name_resolution import Resolve
    from hookline.wire.providers import Endpoint

# The headers that a request may carry besides its key.
_HEADERS = frozenset(
    {"host", "content-type", "content-length", "accept", "anthropic-version", "anthropic-beta"}
)
_KEY_HEADERS = frozenset({"authorization", "x-api-key"})

_LOCAL_HINT = "`-o allow_local=true`, in Python `allow_local=True`, opens these for an address that a file or the environment names"


class ReplyError(Exception):
    """A question without a reply; names the failure and its detail."""

    def __init__(self, failure: Failure, detail: str) -> None:
        super().__init__(detail)
        self.failure = failure
        self.detail = detail


class GuardedTransport(httpx2.AsyncBaseTransport):
    """A transport that sends only what `endpoint` allows, and reads at most `largest` bytes of JSON."""

    def __init__(self, inner: httpx2.AsyncBaseTransport, endpoint: Endpoint, largest: int) -> None:
        self.inner = inner
        self.kept = _HEADERS | (_KEY_HEADERS if endpoint.key else frozenset())
        self.secret = endpoint.key
        self.largest = largest
        self.failed: ReplyError | None = None
        self.answered = False

    async def handle_async_request(self, request: httpx2.Request) -> httpx2.Response:
        headers = [
            (name, value)
            for name, value in request.headers.items()
            if name in self.kept and self._is_ours(name, value)
        ]
        sent = httpx2.Request(
            request.method,
            request.url,
            headers=[
                *headers,
                ("accept-encoding", "identity"),
                ("user-agent", "hookline"),
                ("connection", "close"),
                (MODEL_CALL_HEADER, "1"),
            ],
            stream=request.stream,
            extensions=request.extensions,
        )
        try:
            answer = await self.inner.handle_async_request(sent)
        except ReplyError as error:
            self.failed = error  # client libraries hide it in their own errors
            raise
        try:
            body = await self._read(answer)
        finally:
            await answer.aclose()
        return httpx2.Response(
            answer.status_code,
            headers={"content-type": "application/json"},
            content=body,
            request=request,
        )

    def _is_ours(self, name: str, value: str) -> bool:
        """Return whether a key header has the configured key: a client library may add another from the environment."""
        return name not in _KEY_HEADERS or value.removeprefix("Bearer ") == self.secret

    async def _read(self, answer: httpx2.Response) -> bytes:
        if answer.headers.get("content-encoding", "identity").lower() != "identity":
            raise self._fail(Failure.UNREADABLE, "it is compressed, which was not asked for")
        if 300 <= answer.status_code < 400:  # noqa: PLR2004 - HTTP's redirects
            raise self._fail(
                Failure.REJECTED, f"status {answer.status_code}, and redirects are not followed"
            )
        body = bytearray()
        async for part in answer.stream:  # type: ignore[union-attr]  # an asynchronous transport has this stream
            body += part
            if len(body) > self.largest:
                raise self._fail(Failure.FLOODED, f"more than {self.largest:,} bytes")
        if answer.is_success:
            try:
                json.loads(body)
            except (ValueError, RecursionError):
                raise self._fail(Failure.UNREADABLE, "the provider's answer is no JSON") from None
        self.answered = True
        return bytes(body)

    def _fail(self, failure: Failure, detail: str) -> ReplyError:
        self.failed = ReplyError(failure, detail)
        return self.failed

    async def aclose(self) -> None:
        await self.inner.aclose()


class ConnectionTransport(httpx2.AsyncBaseTransport):
    """A transport over one connection to a checked address, where every step gets what is left of the time.

    It blocks, so it needs a thread of its own. It connects to this machine and private networks only if the endpoint may be
    there. Only there does it send a key unencrypted.
    """

    def __init__(
        self, line: DeadlineConnection, endpoint: Endpoint, *, seconds: float, largest: int
    ) -> None:
        self.line = line
        self.seconds = seconds
        self.largest = largest
        self.local = endpoint.local
        line.resolve = _make_checked_resolver(
            line.resolve,
            local=endpoint.local,
            bare=bool(endpoint.key) and urlsplit(endpoint.base_url).scheme == "http",
        )

    async def handle_async_request(self, request: httpx2.Request) -> httpx2.Response:
        body = b"".join([part async for part in request.stream])  # type: ignore[union-attr]  # an asynchronous client has this stream
        try:
            url, headers = urlsplit(str(request.url)), dict(request.headers)
            answer = send_request(
                self.line,
                url,
                request.method,
                body,
                headers,
                allow_local=self.local,
                largest=self.largest,
            )
            read = answer.read(self.largest + 1)
        except (CallError, HandlerError, FloodError, OSError, HTTPException) as error:
            raise ReplyError(*explain_failure(error, self.seconds)) from error
        if answer.length and len(read) <= self.largest:
            raise ReplyError(Failure.UNREADABLE, "it broke off")
        kept = {
            name: value for name, value in answer.getheaders() if name.lower() == "content-encoding"
        }
        return httpx2.Response(answer.status, headers=kept, stream=httpx2.ByteStream(read))

    async def aclose(self) -> None:
        self.line.hang_up()


def _make_checked_resolver(resolve: Resolve, *, local: bool, bare: bool) -> Resolve:
    """Return a resolver that refuses addresses outside an endpoint's rules; `bare`: a key would be sent unencrypted."""

    def bounded(host: str, port: int, **options: Any) -> list[Any]:
        found = resolve(host, port, **options)
        near = [_is_near(each[4][0]) for each in found]
        if any(near) and not local:
            raise HandlerError(
                f"`{host}` stands for this machine or a private network", hint=_LOCAL_HINT
            )
        if bare and not all(near):
            raise HandlerError(f"`{host}` would be sent a key unencrypted", hint="write `https://`")
        return found

    return bounded


def _is_near(place: str) -> bool:
    try:
        return classify_address(unmap_ipv4(ip_address(place))) in LOCAL
    except ValueError:
        return False
