"""Guard: what uvicorn does not see to at each connection: how long a request may take to arrive, how many there are, who is still there.

uvicorn's one limit, `timeout_keep_alive`, ends with the first byte of the next request; h11 has none. So a client that sends
a byte a minute, or reads its answer no faster, would hold its connection for ever. uvicorn reads no further behind a request
that it has not answered, so that it would not see its client go; and it takes one that will send nothing more for gone.
"""

from __future__ import annotations

from itertools import count
from typing import TYPE_CHECKING

import h11
from uvicorn.protocols.http.h11_impl import STATUS_PHRASES, H11Protocol

from hookline.server.border import ADMIT
from hookline.server.problems import RequestError, problem

if TYPE_CHECKING:
    import asyncio
    from collections.abc import Callable
    from typing import Any

    from starlette.types import ASGIApp, Receive, Scope, Send

HEAD = 10.0  # seconds
MOST = 512
_AHEAD = 1 << 16  # bytes of further requests that are kept until it is their turn
_NUMBERS = count()  # of connections, in the order in which they came
_PROBE = 0.1  # seconds to the second look at who will send nothing more; each further one takes twice as long


class Guarded(H11Protocol):
    """A connection of uvicorn's.

    `head`: seconds in which the head of a request arrives, counted from the connection, or from the answer before; by then
    that answer has been read, too. `most`: admitted connections at once; each further one is answered with a problem (503),
    and when there are twice as many it is closed without an answer. A connection is admitted that comes through a unix socket,
    or on which a request has shown the token. Of the others there are half as many, in a budget of their own: the oldest of them
    is closed for each new one. `refused` is told the code of each problem.
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
        self.app = _framed_once(self.app, refused, self._admit)

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
                self.app = self._crowded
        else:
            unknown = [each for each in others if not each._admitted]
            if len(unknown) >= max(1, self._most // 2):
                min(unknown, key=lambda each: each._began).transport.abort()
        self._watch()

    def _others(self) -> list[Guarded]:
        """The other connections of this server that are still open."""
        return [
            each
            for each in self.connections
            if isinstance(each, Guarded) and each is not self and not each.transport.is_closing()
        ]

    def _admit(self) -> None:
        """Count this connection among those that may ask.

        Raises:
            RequestError: there are as many of them as there may be.
        """
        if not self._admitted:
            if sum(each._admitted for each in self._others()) >= self._most:
                raise self._too_many()
            self._admitted = True

    def data_received(self, data: bytes) -> None:
        if not self._deaf:
            super().data_received(data)
            self._read_on()
        self._watch()

    def eof_received(self) -> bool:  # type: ignore[override]  # uvicorn's never stays
        """Whoever sends nothing more may still read; in the middle of a request, or between two, nobody waits for an answer."""
        if not self._answering or self.conn.their_state is h11.SEND_BODY:
            return False
        # Whether it reads can be asked with an interim answer alone. HTTP/1.0 has none, and an answer for nobody is the lesser harm.
        if not self._ended and self.scope["http_version"] != "1.0":
            self._look(_PROBE)
        self._ended = True
        return True

    def on_response_complete(self) -> None:
        super().on_response_complete()
        if self._ended and not self._answering:
            self.transport.close()
        self._watch()

    def connection_lost(self, exc: Exception | None) -> None:
        super().connection_lost(exc)
        self._forget()
        if self._probe is not None:
            self._probe.cancel()

    @property
    def _answering(self) -> bool:
        return self.cycle is not None and not self.cycle.response_complete

    def _read_on(self) -> None:
        """Read behind a request that is being answered: only so is it seen that its client hangs up."""
        if self._answering and self.conn.their_state is h11.DONE:
            self.flow.resume_reading()
            if len(self.conn.trailing_data[0]) > _AHEAD:
                self._deaf, self.cycle.keep_alive = True, False

    def _look(self, pause: float) -> None:
        """See whether somebody who sends nothing more still reads: what cannot be delivered ends the connection.

        A client passes over interim answers that it did not ask for (RFC 9110 15.2).
        """
        if self._answering and not self.cycle.response_started:
            head = h11.InformationalResponse(
                status_code=100, headers=[], reason=STATUS_PHRASES[100]
            )
            self.transport.write(self.conn.send(head) or b"")
        self._probe = self.loop.call_later(pause, self._look, 2 * pause)

    async def _crowded(self, scope: Scope, receive: Receive, send: Send) -> None:
        error = self._too_many()
        self._refused(error.code)
        await problem(error)(scope, receive, send)

    def _too_many(self) -> RequestError:
        return RequestError(
            503,
            "serve.busy",
            f"{self._most} connections at once are the most",
            hint="ask again",
            headers={"Retry-After": "1", "Connection": "close"},
        )

    def _watch(self) -> None:
        """While nothing is being answered, the time runs."""
        if self._answering:
            self._forget()
        elif self._limit is None:
            self._limit = self.loop.call_later(self._head, self._too_slow)

    def _forget(self) -> None:
        if self._limit is not None:
            self._limit.cancel()
            self._limit = None

    def _too_slow(self) -> None:
        """Somebody who began to say something is told; whoever is silent, or does not read, is left without a word."""
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
        """What is no HTTP is a problem, as whatever else is wrong with a request."""
        if self.conn.our_state in (h11.IDLE, h11.SEND_RESPONSE):
            self._refuse(RequestError(400, "serve.request", msg.lower().rstrip(".")))
        else:  # an answer is on its way already
            self.transport.close()

    def _refuse(self, error: RequestError) -> None:
        self._refused(error.code)
        told = problem(error)
        headers = [*self.server_state.default_headers, *told.raw_headers, (b"connection", b"close")]
        head = h11.Response(
            status_code=told.status_code, headers=headers, reason=STATUS_PHRASES[told.status_code]
        )
        for event in (head, h11.Data(data=bytes(told.body)), h11.EndOfMessage()):
            self.transport.write(self.conn.send(event) or b"")
        self.transport.close()


def _framed_once(
    app: ASGIApp, refused: Callable[[str], None], admit: Callable[[], None]
) -> ASGIApp:
    """The application, with `admit` in its scope for the check of the token, and without requests that say in two ways where they end, or in one that their version has not (RFC 9112 6.1).

    Somebody before us may have taken the other one, and what he took for a body is a request to us.
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
            await problem(error)(scope, receive, send)
        else:
            await app({**scope, ADMIT: admit}, receive, send)

    return framed_once
