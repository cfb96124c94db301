"""Running: a server from its first socket to its last answer; SIGTERM ends it when what is running has been answered."""

from __future__ import annotations

import signal
import threading
from contextlib import contextmanager
from typing import TYPE_CHECKING

import uvicorn

from hookline.server.sockets import closing

if TYPE_CHECKING:
    import socket
    from collections.abc import Iterator

    from starlette.types import ASGIApp

_SIGNALS = (signal.SIGTERM, signal.SIGINT)
_MOST_CONNECTIONS = 512


class Running:
    """One server on sockets that listen already. `drain`: seconds for what is running when it is told to stop."""

    def __init__(self, app: ASGIApp, listening: list[socket.socket], *, drain: float = 10.0) -> None:
        self._listening = listening
        self._server = uvicorn.Server(
            uvicorn.Config(
                app,
                loop="asyncio",
                http="h11",
                ws="none",
                lifespan="off",
                log_config=None,
                log_level="critical",  # what goes wrong with a request is told by its answer
                access_log=False,
                proxy_headers=False,  # whoever connects is who asks, whatever a header says
                server_header=False,
                limit_concurrency=_MOST_CONNECTIONS,
                timeout_graceful_shutdown=max(1, round(drain)),
            )
        )

    def run(self) -> int:
        """Answer until a signal, or until `stop`; returns the signal, or 0.

        What is not answered within `drain` seconds after it is cut off, and the hooks that it waits for are ended.
        """
        with closing(self._listening), self._caught() as caught:
            self._server.run(sockets=self._listening)
        return caught[0] if caught else 0

    def stop(self) -> None:
        """Accept nothing more, and end when what is running has been answered; from any thread."""
        self._server.should_exit = True

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
