"""Guard: bounds of each connection, which uvicorn does not have: how long a request may take to arrive, and how many there are.

uvicorn's one limit, `timeout_keep_alive`, ends with the first byte of the next request; h11 has none. So a client that sends
a byte a minute, or reads its answer no faster, would hold its connection for ever.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import h11
from uvicorn.protocols.http.h11_impl import STATUS_PHRASES, H11Protocol

from hookline.server.problems import RequestError, problem

if TYPE_CHECKING:
    import asyncio
    from collections.abc import Callable
    from typing import Any

    from starlette.types import Receive, Scope, Send

HEAD = 10.0  # seconds
MOST = 512


class Guarded(H11Protocol):
    """A connection of uvicorn's.

    `head`: seconds in which the head of a request arrives, counted from the connection, or from the answer before; by then
    that answer has been read, too. `most`: connections at once; each further one is answered with a problem (503), and when
    there are twice as many it is closed without a word. `refused` is told the code of each problem.
    """

    def __init__(
        self, *given: Any, head: float = HEAD, most: int = MOST, refused: Callable[[str], None] = lambda _: None, **named: Any
    ) -> None:
        super().__init__(*given, **named)
        self._head = head
        self._most = most
        self._refused = refused
        self._limit: asyncio.TimerHandle | None = None

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]  # as uvicorn has it
        super().connection_made(transport)
        if len(self.connections) > 2 * self._most:
            transport.abort()
        elif len(self.connections) > self._most:
            self.app = self._crowded
        self._watch()

    def data_received(self, data: bytes) -> None:
        super().data_received(data)
        self._watch()

    def on_response_complete(self) -> None:
        super().on_response_complete()
        self._watch()

    def connection_lost(self, exc: Exception | None) -> None:
        super().connection_lost(exc)
        self._forget()

    async def _crowded(self, scope: Scope, receive: Receive, send: Send) -> None:
        headers = {"Retry-After": "1", "Connection": "close"}
        error = RequestError(503, "serve.busy", f"{self._most} connections at once are the most", hint="ask again", headers=headers)
        self._refused(error.code)
        await problem(error)(scope, receive, send)

    def _watch(self) -> None:
        """While nothing is being answered, the time runs."""
        if self.cycle is not None and not self.cycle.response_complete:
            self._forget()
        elif self._limit is None:
            self._limit = self.loop.call_later(self._head, self._too_slow)

    def _forget(self) -> None:
        if self._limit is not None:
            self._limit.cancel()
            self._limit = None

    def _too_slow(self) -> None:
        """Somebody who began to say something is told; whoever is silent, or does not read, is left without a word."""
        if self.conn.our_state is h11.IDLE and self.conn.trailing_data[0] and not self.transport.is_closing():
            self._refuse(RequestError(408, "serve.request", f"the head of the request did not arrive within {self._head:g} s"))
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
        head = h11.Response(status_code=told.status_code, headers=headers, reason=STATUS_PHRASES[told.status_code])
        for event in (head, h11.Data(data=bytes(told.body)), h11.EndOfMessage()):
            self.transport.write(self.conn.send(event) or b"")
        self.transport.close()
