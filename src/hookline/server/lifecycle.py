"""Lifecycle: runs a server from its first socket to its last answer; SIGTERM ends it after running requests are answered."""

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


class ServerRun:
    """One server on listening sockets.

    `drain`: seconds for running requests after a stop. `head` and `connections` limit each connection and their
    number, as in `LimitedConnection`; `refused` receives the code of each problem. `beside` is called with the remaining seconds to
    stop services that run beside the server. `signals` are shared with other parts of the program; by default the server handles its own.
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
        own = Signals()
        self._signals = own if signals is None else None
        self._drain = drain
        self._listening = listening
        config = uvicorn.Config(
            app,
            loop="asyncio",
            http=partial(
                connection_limits.LimitedConnection, head=head, most=connections, refused=refused
            ),  # type: ignore[arg-type]  # it makes one
            ws="none",
            lifespan="off",
            log_config=None,
            log_level="critical",  # answers report the faults of requests
            access_log=False,
            proxy_headers=False,  # the peer of the connection is the sender, whatever a header says
            server_header=False,
            timeout_keep_alive=max(1, round(head)),
        )
        self._server = _Server(config, drain, beside, signals or own)
        (signals or own).call_on_signal(self.stop)

    def run(self) -> None:
        """Answer requests until a signal or `stop`.

        Requests that are not answered within `drain` seconds after it, or at a second signal, get a problem
        (503), and their hooks are ended.
        """
        with close_sockets(self._listening), self._signals or nullcontext():
            self._server.run(sockets=self._listening)

    def stop(self) -> None:
        """Stop accepting, and end once running requests are answered; from any thread."""
        self._server.should_exit = True

    @property
    def seconds_left(self) -> float:
        """Return the remaining seconds of `drain`; all of them before the stop."""
        until = self._server.until
        return self._drain if until is None else max(0.0, until - time.monotonic())


class _Server(uvicorn.Server):
    """uvicorn's server, but nothing survives its time limit, and a second signal ends it at once."""

    def __init__(
        self,
        config: uvicorn.Config,
        drain: float,
        beside: Callable[[float], Coroutine[Any, Any, None]],
        signals: Signals,
    ) -> None:
        super().__init__(config)
        self.until: float | None = None
        self._drain = drain
        self._beside = beside
        self._signals = signals

    @contextmanager
    def capture_signals(self) -> Iterator[None]:
        """Leave the signals to the program."""
        yield

    async def shutdown(self, sockets: list[socket.socket] | None = None) -> None:
        loop = asyncio.get_running_loop()
        self.until = until = time.monotonic() + self._drain
        ending = loop.create_task(super().shutdown(sockets))
        beside = loop.create_task(self._beside(self._drain))
        while (
            not (ending.done() and beside.done())
            and not self._signals.hurried
            and (left := until - time.monotonic()) > 0
        ):
            await asyncio.wait([ending, beside], timeout=min(_TICK, left))
        if not (ending.done() and beside.done()):
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
