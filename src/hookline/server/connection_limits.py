"""Connection limits: what uvicorn lacks per connection: time limits for requests, a maximum number, and detection of lost clients.

uvicorn's one limit, `timeout_keep_alive`, ends with the first byte of the next request; h11 has none. So a client that sends
a byte a minute, or reads its answer so slowly, could hold its connection for ever. uvicorn reads nothing after a request until
it has answered, so it would not notice a disconnect; and it treats a half-closed connection as lost.
"""

from __future__ import annotations

from itertools import count
from typing import TYPE_CHECKING

import h11
from uvicorn.protocols.http.h11_impl import STATUS_PHRASES, H11Protocol

from hookline.server.auth import ADMIT
from hookline.server.problems import RequestError, make_problem

if TYPE_CHECKING:
    import asyncio
    from collections.abc import Callable
    from typing import Any

    from starlette.types import ASGIApp, Receive, Scope, Send

HEAD = 10.0  # seconds
MOST = 512
_AHEAD = 1 << 16  # bytes of further requests to keep until their turn
_NUMBERS = count()  # of connections, in order of arrival
_PROBE = 0.1  # seconds to the second check of a half-closed connection; each further wait is twice as long


class LimitedConnection(H11Protocol):
    """A connection of uvicorn's.

    `head`: seconds for the head of a request, counted from the connection or the previous answer, which must also be read
    by then. `most`: concurrent admitted connections; further ones get a problem (503),
    and beyond twice as many they are closed without an answer. A connection is admitted if it uses a unix socket,
    or after a request has shown the token. The others have a budget of half as many: each new one closes the oldest.
    `refused` receives the code of each problem.
    """

    def __init__(
        self,
        *given: Any,
        head: float = HEAD,
        most: int = MOST,
        refused: Callable[[str], None] = lambda _: None,
        **named: Any,
    ) -> None:
        super().__init__(*given, **named)
        self._head = head
        self._began = next(_NUMBERS)
        self._most = most
        self._refused = refused
        self._limit: asyncio.TimerHandle | None = None
        self._probe: asyncio.TimerHandle | None = None
        self._deaf = self._ended = self._admitted = False
        self.app = _check_framing(self.app, refused, self._admit)

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]  # as uvicorn has it
        super().connection_made(transport)
        others = self._others()
        if (
            self.server is not None and self.server[1] is None
        ):  # a unix socket has a path and no port
            self._admitted = True
            admitted = sum(each._admitted for each in others)
            if admitted >= 2 * self._most:
                transport.abort()
            elif admitted >= self._most:
                self.app = self._answer_busy
        else:
            unknown = [each for each in others if not each._admitted]
            if len(unknown) >= max(1, self._most // 2):
                min(unknown, key=lambda each: each._began).transport.abort()
        self._start_timer()

    def _others(self) -> list[LimitedConnection]:
        """Return the other open connections of this server."""
        return [
            each
            for each in self.connections
            if isinstance(each, LimitedConnection)
            and each is not self
            and not each.transport.is_closing()
        ]

    def _admit(self) -> None:
        """Count this connection as admitted.

        Raises:
            RequestError: the maximum is reached.
        """
        if not self._admitted:
            if sum(each._admitted for each in self._others()) >= self._most:
                raise self._busy_error()
            self._admitted = True

    def data_received(self, data: bytes) -> None:
        if not self._deaf:
            super().data_received(data)
            self._keep_reading()
        self._start_timer()

    def eof_received(self) -> bool:  # type: ignore[override]  # uvicorn's never stays
        """Keep a half-closed connection open if its client may still read the answer; close it in all other cases."""
        if not self._answering or self.conn.their_state is h11.SEND_BODY:
            return False
        # Only an interim answer shows whether the client reads. HTTP/1.0 has none; an unread answer does little harm.
        if not self._ended and self.scope["http_version"] != "1.0":
            self._probe_client(_PROBE)
        self._ended = True
        return True

    def on_response_complete(self) -> None:
        super().on_response_complete()
        if self._ended and not self._answering:
            self.transport.close()
        self._start_timer()

    def connection_lost(self, exc: Exception | None) -> None:
        super().connection_lost(exc)
        self._stop_timer()
        if self._probe is not None:
            self._probe.cancel()

    @property
    def _answering(self) -> bool:
        return self.cycle is not None and not self.cycle.response_complete

    def _keep_reading(self) -> None:
        """Keep reading during an answer, because only that reveals a disconnect."""
        if self._answering and self.conn.their_state is h11.DONE:
            self.flow.resume_reading()
            if len(self.conn.trailing_data[0]) > _AHEAD:
                self._deaf, self.cycle.keep_alive = True, False

    def _probe_client(self, pause: float) -> None:
        """Check whether a half-closed client still reads: if delivery fails, the connection ends.

        Clients skip interim answers that they did not ask for (RFC 9110 15.2).
        """
        if self._answering and not self.cycle.response_started:
            head = h11.InformationalResponse(
                status_code=100, headers=[], reason=STATUS_PHRASES[100]
            )
            self.transport.write(self.conn.send(head) or b"")
        self._probe = self.loop.call_later(pause, self._probe_client, 2 * pause)

    async def _answer_busy(self, scope: Scope, receive: Receive, send: Send) -> None:
        error = self._busy_error()
        self._refused(error.code)
        await make_problem(error)(scope, receive, send)

    def _busy_error(self) -> RequestError:
        return RequestError(
            503,
            "serve.busy",
            f"{self._most} connections at once are the most",
            hint="ask again",
            headers={"Retry-After": "1", "Connection": "close"},
        )

    def _start_timer(self) -> None:
        """Start the time limit while no request is being answered."""
        if self._answering:
            self._stop_timer()
        elif self._limit is None:
            self._limit = self.loop.call_later(self._head, self._end_slow)

    def _stop_timer(self) -> None:
        if self._limit is not None:
            self._limit.cancel()
            self._limit = None

    def _end_slow(self) -> None:
        """Answer a client that began a request; close the connection of one that is silent or does not read."""
        if (
            self.conn.our_state is h11.IDLE
            and self.conn.trailing_data[0]
            and not self.transport.is_closing()
        ):
            self._refuse(
                RequestError(
                    408,
                    "serve.request",
                    f"the head of the request did not arrive within {self._head:g} s",
                )
            )
        else:
            self.transport.abort()

    def send_400_response(self, msg: str) -> None:
        """Answer a request that is not HTTP with a problem."""
        if self.conn.our_state in (h11.IDLE, h11.SEND_RESPONSE):
            self._refuse(RequestError(400, "serve.request", msg.lower().rstrip(".")))
        else:  # an answer is already being sent
            self.transport.close()

    def _refuse(self, error: RequestError) -> None:
        self._refused(error.code)
        told = make_problem(error)
        headers = [*self.server_state.default_headers, *told.raw_headers, (b"connection", b"close")]
        head = h11.Response(
            status_code=told.status_code, headers=headers, reason=STATUS_PHRASES[told.status_code]
        )
        for event in (head, h11.Data(data=bytes(told.body)), h11.EndOfMessage()):
            self.transport.write(self.conn.send(event) or b"")
        self.transport.close()


def _check_framing(
    app: ASGIApp, refused: Callable[[str], None], admit: Callable[[], None]
) -> ASGIApp:
    """Wrap an application: put `admit` in its scope, and refuse requests whose length is ambiguous (RFC 9112 6.1).

    A proxy may have read the length differently; its body would then be a request here.
    """

    async def framed_once(scope: Scope, receive: Receive, send: Send) -> None:
        named = {name for name, _ in scope["headers"]}
        if b"transfer-encoding" in named and (
            b"content-length" in named or scope["http_version"] == "1.0"
        ):
            words = (
                "`Content-Length` and `Transfer-Encoding` exclude each other"
                if b"content-length" in named
                else "HTTP/1.0 has no chunks"
            )
            error = RequestError(400, "serve.request", words, headers={"Connection": "close"})
            refused(error.code)
            await make_problem(error)(scope, receive, send)
        else:
            await app({**scope, ADMIT: admit}, receive, send)

    return framed_once
