"""Connection limits: a time limit for requests, a maximum number, and notice of lost clients.

uvicorn's one limit, `timeout_keep_alive`, ends with the first byte of the next request; h11 has
none. So a client that sends a byte a minute, or reads its answer so slowly, could hold its
connection for ever. And uvicorn reads nothing after a request until it has answered, so it would
not notice a disconnect.
"""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

import h11
from uvicorn.protocols.http.h11_impl import STATUS_PHRASES, H11Protocol

from hookline.server.auth import ADMIT
from hookline.server.responses import RequestError, make_problem

if TYPE_CHECKING:
    import asyncio
    from collections.abc import Callable
    from typing import Any

    from starlette.types import Receive, Scope, Send

HEAD = 10.0  # seconds
MOST = 512
_AHEAD = 1 << 16  # bytes of further requests to keep until their turn


class Pool:
    """The open connections of a server, of which at most `most` are admitted.

    A connection is admitted if it uses a unix socket, or with the first request that shows the
    token. The others have a budget of half as many: each new one closes the oldest.
    """

    def __init__(self, most: int = MOST) -> None:
        self._most = most
        self._admitted: set[LimitedConnection] = set()
        self._others: dict[LimitedConnection, None] = {}  # the oldest first

    def add(self, connection: LimitedConnection, *, is_unix: bool) -> None:
        """Take a new connection."""
        if is_unix and len(self._admitted) < self._most:
            self._admitted.add(connection)
            return
        if len(self._others) >= max(1, self._most // 2):
            oldest = next(iter(self._others))
            del self._others[oldest]
            oldest.transport.abort()
        self._others[connection] = None

    def admit(self, connection: LimitedConnection) -> None:
        """Count a connection as admitted.

        Raises:
            RequestError: the maximum is reached.
        """
        if connection not in self._admitted and len(self._admitted) >= self._most:
            message = f"{self._most} connections at once are the most"
            headers = {"Connection": "close"}
            raise RequestError(503, "serve.busy", message, hint="ask again", headers=headers)
        self._others.pop(connection, None)
        self._admitted.add(connection)

    def remove(self, connection: LimitedConnection) -> None:
        """Forget a closed connection."""
        self._admitted.discard(connection)
        self._others.pop(connection, None)


class LimitedConnection(H11Protocol):
    """A connection of uvicorn's.

    `head`: seconds for the head of a request, counted from the connection or the previous answer,
    which must also be read by then. `pool`: of all connections of the server; one that it does not
    admit gets a problem (503). `refused` receives the code of each problem.
    """

    def __init__(
        self,
        *given: Any,
        pool: Pool,
        head: float = HEAD,
        refused: Callable[[str], None] = lambda _: None,
        **named: Any,
    ) -> None:
        super().__init__(*given, **named)
        self._head = head
        self._pool = pool
        self._refused = refused
        self._limit: asyncio.TimerHandle | None = None
        self._is_unix = False
        self._inner, self.app = self.app, self._serve

    def connection_made(  # type: ignore[override]  # as uvicorn has it
        self, transport: asyncio.Transport
    ) -> None:
        super().connection_made(transport)
        self._is_unix = self.server is not None and self.server[1] is None  # a path and no port
        self._pool.add(self, is_unix=self._is_unix)
        self._start_timer()

    async def _serve(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer a request; over a unix socket, it needs no token."""
        try:
            if self._is_unix:
                self._pool.admit(self)
        except RequestError as error:
            self._refused(error.code)
            await make_problem(error)(scope, receive, send)
        else:
            await self._inner({**scope, ADMIT: partial(self._pool.admit, self)}, receive, send)

    def data_received(self, data: bytes) -> None:
        super().data_received(data)
        # Keep reading during an answer, because only that reveals a disconnect.
        kept = len(self.conn.trailing_data[0])
        if self._answering and self.conn.their_state is h11.DONE and kept <= _AHEAD:
            self.flow.resume_reading()
        self._start_timer()

    def on_response_complete(self) -> None:
        super().on_response_complete()
        self._start_timer()

    def connection_lost(self, exc: Exception | None) -> None:
        super().connection_lost(exc)
        self._pool.remove(self)
        self._stop_timer()

    @property
    def _answering(self) -> bool:
        return self.cycle is not None and not self.cycle.response_complete

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
        """Answer a client that began a request.

        Close the connection of one that is silent or does not read.
        """
        if self.conn.our_state is h11.IDLE and self.conn.trailing_data[0]:
            self._refuse(408, f"the head of the request did not arrive within {self._head:g} s")
        else:
            self.transport.abort()

    def send_400_response(self, msg: str) -> None:
        """Answer a request that is not HTTP with a problem."""
        self._refuse(400, msg.lower().rstrip("."))

    def _refuse(self, status: int, message: str) -> None:
        """Answer with a problem, unless another answer is being sent, and close the connection."""
        if self.conn.our_state in (h11.IDLE, h11.SEND_RESPONSE) and not self.transport.is_closing():
            error = RequestError(status, "serve.request", message)
            self._refused(error.code)
            problem = make_problem(error)
            headers = [*problem.raw_headers, (b"connection", b"close")]
            head = h11.Response(status_code=status, headers=headers, reason=STATUS_PHRASES[status])
            for event in (head, h11.Data(data=bytes(problem.body)), h11.EndOfMessage()):
                self.transport.write(self.conn.send(event) or b"")
        self.transport.close()
