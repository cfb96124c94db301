"""Lifecycle: runs a server from its first socket to its last answer.

SIGTERM ends it after running requests are answered.
"""

from __future__ import annotations

import asyncio
import time
from contextlib import contextmanager, nullcontext
from functools import partial
from typing import TYPE_CHECKING

import uvicorn

from hookline.server import connection_limits
from hookline.server.signals import Signals
from hookline.server.sockets import close_sockets

if TYPE_CHECKING:
    import socket
    from collections.abc import Callable, Coroutine, Iterator
    from typing import Any

    from starlette.types import ASGIApp

_TICK = 0.1  # seconds until a signal is noticed


async def _nothing(_: float) -> None:
    """Do nothing."""


class ServerRun(uvicorn.Server):
    """One server on listening sockets.

    Nothing survives its time limit, and a second signal ends it at once.

    `drain`: seconds for running requests after a stop. `head` and `connections` limit each
    connection and their number, as in `LimitedConnection`; `refused` receives the code of each
    problem. `beside` is called with the remaining seconds to stop services that run beside the
    server. `signals` are shared with other parts of the program; by default the server handles its
    own.
    """

    def __init__(
        self,
        app: ASGIApp,
        listening: list[socket.socket],
        *,
        drain: float = 10.0,
        head: float = connection_limits.HEAD,
        connections: int = connection_limits.MOST,
        refused: Callable[[str], None] = lambda _: None,
        beside: Callable[[float], Coroutine[Any, Any, None]] = _nothing,
        signals: Signals | None = None,
    ) -> None:
        protocol = partial(
            connection_limits.LimitedConnection, head=head, most=connections, refused=refused
        )
        config = uvicorn.Config(
            app,
            loop="asyncio",
            http=protocol,  # type: ignore[arg-type]  # it makes one
            ws="none",
            lifespan="off",
            log_config=None,
            log_level="critical",  # answers report the faults of requests
            access_log=False,
            proxy_headers=False,  # the peer of the connection is the sender, whatever a header says
            server_header=False,
            timeout_keep_alive=max(1, round(head)),
        )
        super().__init__(config)
        self._listening = listening
        self._drain = drain
        self._beside = beside
        self._until: float | None = None
        self._signals = signals or Signals()
        self._own_signals = nullcontext() if signals else self._signals
        self._signals.call_on_signal(self.stop)

    def run(self, sockets: list[socket.socket] | None = None) -> None:
        """Answer requests until a signal or `stop`.

        Requests that are not answered within `drain` seconds after it, or at a second signal, get a
        problem (503), and their hooks are ended.
        """
        with close_sockets(self._listening), self._own_signals:
            super().run(sockets or self._listening)

    def stop(self) -> None:
        """Stop accepting, and end once running requests are answered; from any thread."""
        self.should_exit = True

    @property
    def seconds_left(self) -> float:
        """Return the remaining seconds of `drain`; all of them before the stop."""
        return self._drain if self._until is None else max(0.0, self._until - time.monotonic())

    @contextmanager
    def capture_signals(self) -> Iterator[None]:
        """Leave the signals to the program."""
        yield

    async def shutdown(self, sockets: list[socket.socket] | None = None) -> None:
        """Wait for running requests and for what runs beside the server.

        At the time limit or a second signal, break them off.
        """
        loop = asyncio.get_running_loop()
        self._until = time.monotonic() + self._drain
        ending = loop.create_task(super().shutdown(sockets))
        beside = loop.create_task(self._beside(self._drain))
        left: set[asyncio.Task[None]] = {ending, beside}
        while left and not self._signals.hurried and self.seconds_left > 0:
            _, left = await asyncio.wait(left, timeout=min(_TICK, self.seconds_left))
        if left:
            beside.cancel()
            await self._break_off()
        await asyncio.wait([ending, beside])
        for task in (ending, beside):
            if not task.cancelled():
                task.result()

    async def _break_off(self) -> None:
        """Cancel running requests, which then answer with a problem, and close every connection."""
        running = list(self.server_state.tasks)
        for task in running:
            task.cancel()
        if running:
            await asyncio.wait(running)
        for connection in list(self.server_state.connections):
            connection.transport.abort()
        self.force_exit = True
