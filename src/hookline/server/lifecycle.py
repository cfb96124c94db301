"""Lifecycle: runs a server from its first socket to its last answer.

It opens its addresses before it reports that it is ready. SIGTERM ends it after running requests
are answered. The work for a client that disconnects is cancelled.
"""

from __future__ import annotations

import asyncio
import os
import socket
import time
from contextlib import contextmanager, suppress
from functools import partial
from typing import TYPE_CHECKING, Any, TypeVar

import uvicorn

from hookline.errors import ConfigError
from hookline.remote.addresses import listen_unix, make_taken_error, parse_host_and_port
from hookline.server.connection_limits import HEAD, MOST, LimitedConnection, Pool
from hookline.server.responses import RequestError

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable, Coroutine, Iterator
    from types import FrameType

    from starlette.types import ASGIApp, Receive

_T = TypeVar("_T")
_BACKLOG = 512  # as many connections as there may be at once
_TICK = 0.1  # seconds until a signal is noticed
_GONE = 499  # the status for a client that disconnected; no client sees it


# -- sockets ---------------------------------------------------------------------------------------


def listen_http(address: str, *, allow_remote: bool = False) -> socket.socket:
    """Return a socket that listens at `HOST:PORT`.

    The host is an IP address or `localhost`, port 0 is any free one.

    Raises:
        ConfigError: it is not an address, is reachable from other machines (without
            `allow_remote`), or is taken.
    """
    has_host = ":" in address.removeprefix(":")
    host, port = parse_host_and_port(
        address if has_host else f"localhost:{address.removeprefix(':')}"
    )
    if host is None:
        hint = "for example 127.0.0.1:8465, or [::1]:8465"
        words = f"`{address}` is not an address to listen on"
        raise ConfigError(words, name="serve.address", hint=hint)
    if not host.is_loopback and not allow_remote:
        hint = "to let other machines ask: --allow-remote, with --token-file"
        raise ConfigError(f"`{address}` is open to other machines", name="serve.address", hint=hint)
    # The version of IP.
    family = socket.AF_INET6 if host.version == 6 else socket.AF_INET  # noqa: PLR2004
    try:
        return socket.create_server((str(host), port), family=family, backlog=_BACKLOG)
    except OSError as error:
        raise make_taken_error(address, error, "serve.address") from None


def listen_unix_path(path: str) -> socket.socket:
    """Return a socket that listens at a path, for its user only.

    A socket without a listener is replaced.

    Raises:
        ConfigError: another file is there, a server listens there, or it cannot be created.
    """
    return listen_unix(path, name="serve.address", backlog=_BACKLOG)


def describe_socket(listening: socket.socket) -> str:
    """Return the address of a socket as a client writes it."""
    at = listening.getsockname()
    if isinstance(at, str):
        return f"unix:{at}"
    host, port = at[:2]
    return f"http://[{host}]:{port}" if ":" in host else f"http://{host}:{port}"


@contextmanager
def close_sockets(listening: list[socket.socket]) -> Iterator[None]:
    """Close the sockets at the end of a block, and remove their files if these are unchanged."""
    files = [
        (sock.getsockname(), os.lstat(sock.getsockname()))
        for sock in listening
        if sock.family == socket.AF_UNIX
    ]
    try:
        yield
    finally:
        for sock in listening:
            sock.close()
        for path, made in files:
            with suppress(OSError):
                found = os.lstat(path)
                if (found.st_dev, found.st_ino) == (made.st_dev, made.st_ino):
                    os.unlink(path)


# -- the server ------------------------------------------------------------------------------------


async def do_nothing(_: float) -> None:
    """Do nothing."""


class ServerRun(uvicorn.Server):
    """One server on listening sockets.

    Nothing survives its time limit, and a second signal ends it at once. It catches signals while
    it runs, and in a block of `capture_signals`.

    `drain`: seconds for running requests after a stop. `head` and `connections` limit each
    connection and their number, as in `connection_limits`; `refused` receives the code of each
    problem. `beside` is called with the remaining seconds to stop services that run beside the
    server. `first_signal`: the number of the first signal, or 0. `hurried`: there was another one.
    """

    def __init__(
        self,
        app: ASGIApp,
        listening: list[socket.socket],
        *,
        drain: float = 10.0,
        head: float = HEAD,
        connections: int = MOST,
        refused: Callable[[str], None] = lambda _: None,
    ) -> None:
        protocol = partial(LimitedConnection, pool=Pool(connections), head=head, refused=refused)
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
        self.first_signal = 0
        self.hurried = False
        self._listening = listening
        self._drain = drain
        self.beside: Callable[[float], Awaitable[None]] = do_nothing
        self._until: float | None = None

    def run(self, sockets: list[socket.socket] | None = None) -> None:
        """Answer requests until a signal or `stop`.

        Requests that are not answered within `drain` seconds after it, or at a second signal, get a
        problem (503), and their hooks are ended.
        """
        super().run(sockets or self._listening)

    def stop(self) -> None:
        """Stop accepting, and end once running requests are answered; from any thread."""
        self.should_exit = True

    def handle_exit(self, sig: int, frame: FrameType | None) -> None:  # noqa: ARG002 - uvicorn's
        """Stop at the first signal, and hurry at any further one."""
        self.hurried = bool(self.first_signal)
        self.first_signal = self.first_signal or sig
        self.should_exit = True

    @property
    def seconds_left(self) -> float:
        """Return the remaining seconds of `drain`; all of them before the stop."""
        return self._drain if self._until is None else max(0.0, self._until - time.monotonic())

    async def shutdown(self, sockets: list[socket.socket] | None = None) -> None:
        """Wait for running requests and for what runs beside the server.

        At the time limit or a second signal, break them off.
        """
        loop = asyncio.get_running_loop()
        self._until = time.monotonic() + self._drain
        beside = asyncio.ensure_future(self.beside(self._drain))
        tasks = left = {loop.create_task(super().shutdown(sockets)), beside}
        while left and not self.hurried and self.seconds_left > 0:
            _, left = await asyncio.wait(left, timeout=min(_TICK, self.seconds_left))
        if left:
            beside.cancel()
            await self._break_off()
        await asyncio.wait(tasks)

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


async def cancel_on_disconnect(receive: Receive, asked: Coroutine[Any, Any, _T]) -> _T:
    """Return the result of the work; `receive` is that of the request, whose body has been read.

    A host disconnects when its own time limit is over, or its user interrupted it. Its hooks would
    then run for nothing.

    Raises:
        RequestError: the client disconnected first; the work was cancelled, and has ended.
    """
    loop = asyncio.get_running_loop()
    asking, going = loop.create_task(asked), loop.create_task(_wait_for_disconnect(receive))
    both = (asking, going)
    try:
        await asyncio.wait(both, return_when=asyncio.FIRST_COMPLETED)
    finally:
        hung_up = not asking.done()
        for task in both:
            task.cancel()
        await asyncio.wait(both)
    if hung_up:
        raise RequestError(_GONE, "serve.gone", "the client hung up before there was an answer")
    return asking.result()


async def _wait_for_disconnect(receive: Receive) -> None:
    while (await receive())["type"] != "http.disconnect":
        pass
