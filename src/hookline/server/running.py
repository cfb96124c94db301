"""Running: a server from its first socket to its last answer; SIGTERM ends it when what is running has been answered."""

from __future__ import annotations

import asyncio
import signal
import threading
from contextlib import contextmanager
from functools import partial
from typing import TYPE_CHECKING

import uvicorn

from hookline.server import guard
from hookline.server.sockets import closing

if TYPE_CHECKING:
    import socket
    from collections.abc import Callable, Coroutine, Iterator
    from types import FrameType
    from typing import Any

    from starlette.types import ASGIApp

_SIGNALS = (signal.SIGTERM, signal.SIGINT)
_TICK = 0.1  # seconds in which a signal is noticed


async def _nothing(_: float) -> None:
    """There is nothing beside the server."""


class Running:
    """One server on sockets that listen already.

    `drain`: seconds for what is running when it is told to stop. `head` and `connections` bound each connection and their
    number, as `guard.Guarded` does; `refused` is told the code of each problem of one. `beside` ends what ends together with
    the server; it is given as many seconds.
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
    ) -> None:
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
        self._server = _Server(config, drain, beside)

    def run(self) -> int:
        """Answer until a signal, or until `stop`; returns the signal, or 0.

        What is not answered within `drain` seconds after it, or when there is another signal, gets a problem as its answer
        (503), and the hooks that it waited for are ended.
        """
        with closing(self._listening), self._caught() as caught:
            self._server.run(sockets=self._listening)
        return caught[0] if caught else 0

    def stop(self) -> None:
        """Accept nothing more, and end when what is running has been answered; from any thread."""
        self._server.should_exit = True

    @property
    def hurried(self) -> bool:
        """Whether it was told to stop a second time."""
        return self._server.hurried

    @contextmanager
    def _caught(self) -> Iterator[list[int]]:
        """Signals end the server, and not the process, which still has detached hooks to wait for."""
        caught: list[int] = []
        if threading.current_thread() is not threading.main_thread():
            yield caught
            return

        def catch(number: int, _: object) -> None:
            caught.append(number)
            self.stop()

        before = {number: signal.signal(number, catch) for number in _SIGNALS}
        try:
            yield caught
        finally:
            for number, handler in before.items():
                signal.signal(number, handler)


class _Server(uvicorn.Server):
    """uvicorn's, which leaves nothing running when its time is over, and which any second signal ends at once."""

    def __init__(self, config: uvicorn.Config, drain: float, beside: Callable[[float], Coroutine[Any, Any, None]]) -> None:
        super().__init__(config)
        self.hurried = False
        self._drain = drain
        self._beside = beside

    def handle_exit(self, sig: int, frame: FrameType | None) -> None:
        self.hurried = self.should_exit
        if not self.hurried:
            super().handle_exit(sig, frame)

    async def shutdown(self, sockets: list[socket.socket] | None = None) -> None:
        loop = asyncio.get_running_loop()
        until = loop.time() + self._drain
        ending = loop.create_task(super().shutdown(sockets))
        beside = loop.create_task(self._beside(self._drain))
        while not (ending.done() and beside.done()) and not self.hurried and loop.time() < until:
            await asyncio.wait([ending, beside], timeout=min(_TICK, until - loop.time()))
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
