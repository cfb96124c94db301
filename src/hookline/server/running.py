"""Running: a server from its first socket to its last answer; SIGTERM ends it when what is running has been answered."""

from __future__ import annotations

import asyncio
import time
from contextlib import contextmanager, nullcontext
from functools import partial
from typing import TYPE_CHECKING

import uvicorn

from hookline.server import guard
from hookline.server.signals import Signals
from hookline.server.sockets import closing

if TYPE_CHECKING:
    import socket
    from collections.abc import Callable, Coroutine, Iterator
    from typing import Any

    from starlette.types import ASGIApp

_TICK = 0.1  # seconds in which a signal is noticed


async def _nothing(_: float) -> None:
    """There is nothing beside the server."""


class Running:
    """One server on sockets that listen already.

    `drain`: seconds for what is running when it is told to stop. `head` and `connections` bound each connection and their
    number, as `guard.Guarded` does; `refused` is told the code of each problem of one. `beside` ends what ends together with
    the server; it is given as many seconds. `signals` are those of somebody who ends more than this server; without them it
    listens to its own while it runs.
    """

    def __init__(
        self,
        app: ASGIApp,
        listening: list[socket.socket],
        *,
        drain: float = 10.0,
        head: float = guard.HEAD,
        connections: int = guard.MOST,
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
            http=partial(guard.Guarded, head=head, most=connections, refused=refused),  # type: ignore[arg-type]  # it makes one
            ws="none",
            lifespan="off",
            log_config=None,
            log_level="critical",  # what goes wrong with a request is told by its answer
            access_log=False,
            proxy_headers=False,  # whoever connects is who asks, whatever a header says
            server_header=False,
            timeout_keep_alive=max(1, round(head)),
        )
        self._server = _Server(config, drain, beside, signals or own)
        (signals or own).tell(self.stop)

    def run(self) -> None:
        """Answer until a signal, or until `stop`.

        What is not answered within `drain` seconds after it, or when there is another signal, gets a problem as its answer
        (503), and the hooks that it waited for are ended.
        """
        with closing(self._listening), self._signals or nullcontext():
            self._server.run(sockets=self._listening)

    def stop(self) -> None:
        """Accept nothing more, and end when what is running has been answered; from any thread."""
        self._server.should_exit = True

    @property
    def left(self) -> float:
        """How many of the seconds of `drain` are left, for what has still to end; all of them before it was told to stop."""
        until = self._server.until
        return self._drain if until is None else max(0.0, until - time.monotonic())


class _Server(uvicorn.Server):
    """uvicorn's, which leaves nothing running when its time is over, and which any second signal ends at once."""

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
        """Whoever runs us listens to them."""
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
        """Cancel what is running, which answers so, and close every connection."""
        running = list(self.server_state.tasks)
        for task in running:
            task.cancel()
        if running:
            await asyncio.wait(running)
        for connection in list(self.server_state.connections):
            connection.transport.abort()
        self.force_exit = True
