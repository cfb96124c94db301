"""Relay: copies bytes both ways between accepted and outgoing connections, for a socket that gRPC cannot reach."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import socket
    from asyncio import StreamReader, StreamWriter
    from collections.abc import Awaitable, Callable
    from typing import Any, Self, TypeAlias

    # The two directions of a connection; raises OSError if there is none.
    Ends: TypeAlias = tuple[StreamReader, StreamWriter]
    Dial: TypeAlias = Callable[[], Awaitable[Ends]]

_CHUNK = 1 << 16  # bytes
_PAUSE = 1.0  # seconds


def allow_all(_: Any) -> bool:
    """Accept every connection; the file permissions of a unix socket have checked it already."""
    return True


class Relay:
    """One listening socket, and an outgoing connection for each that it accepts (docs/formats/a3s.md 10.2, 10.3).

    `accept` is already listening; `close` closes it. `allow` judges the peer's address, as `getpeername` returns it: for
    AF_VSOCK a CID and a port. `most`: concurrent connections; further ones, and those not allowed, are closed at once.
    `patience`: seconds for connecting, and for the last bytes. `tell` receives a line for each connection that was not relayed.
    """

    def __init__(
        self,
        accept: socket.socket,
        dial: Dial,
        allow: Callable[[Any], bool] = allow_all,
        *,
        most: int = 64,
        patience: float = 10.0,
        tell: Callable[[str], None] = lambda _: None,
    ) -> None:
        self._accept = accept
        self._dial = dial
        self._allow = allow
        self._most = most
        self._patience = patience
        self._tell = tell
        self._running: dict[asyncio.Task[None], socket.socket] = {}
        self._again: asyncio.TimerHandle | None = None

    @property
    def relayed(self) -> int:
        """Return how many connections are open."""
        return len(self._running)

    async def start(self) -> None:
        """Accept connections from now on, first those in the socket's queue."""
        self._accept.setblocking(False)
        self._listen()

    async def close(self) -> None:
        """Accept nothing more and end every connection at both ends; bytes in transit are lost."""
        if self._again is not None:
            self._again.cancel()
        if self._accept.fileno() >= 0:
            asyncio.get_running_loop().remove_reader(self._accept)
        self._accept.close()
        for task in self._running:
            task.cancel()
        if self._running:
            await asyncio.wait(self._running)

    async def __aenter__(self) -> Self:
        await self.start()
        return self

    async def __aexit__(self, *error: object) -> None:
        await self.close()

    # -- accepting -------------------------------------------------------------------------------------------------

    def _listen(self) -> None:
        # Not asyncio's own server: one that is closed while it accepts loses the connection, and its descriptor, in 3.11.
        asyncio.get_running_loop().add_reader(self._accept, self._accept_one)

    def _accept_one(self) -> None:
        loop = asyncio.get_running_loop()
        try:
            sock, peer = self._accept.accept()
        except (
            BlockingIOError,
            InterruptedError,
            ConnectionAbortedError,
        ):  # the caller has disconnected
            return
        except (
            OSError
        ) as error:  # for example, no descriptor is left; trying again at once would waste time
            self._tell(f"cannot accept: {error.strerror or error}")
            loop.remove_reader(self._accept)
            self._again = loop.call_later(_PAUSE, self._listen)
            return
        refused = self._explain_refusal(peer)
        if refused:
            self._tell(f"connection of {peer!r} refused: {refused}")
            sock.close()
            return
        task = loop.create_task(self._relay(sock))
        self._running[task] = sock
        task.add_done_callback(self._handle_end)

    def _explain_refusal(self, peer: Any) -> str:
        if not self._allow(peer):
            return "not allowed"
        return (
            f"{self._most} connections at once are the most"
            if len(self._running) >= self._most
            else ""
        )

    def _handle_end(self, task: asyncio.Task[None]) -> None:
        self._running.pop(
            task
        ).close()  # a task that is cancelled before its first step closes nothing
        if not task.cancelled() and (error := task.exception()) is not None:
            self._tell(f"HKL9001 internal error: {type(error).__name__}: {error}")

    # -- one connection --------------------------------------------------------------------------------------------

    async def _relay(self, sock: socket.socket) -> None:
        near = await asyncio.open_connection(sock=sock)
        try:
            far = await self._connect()
            if far is not None:
                await self._copy_both(near, far)
        finally:
            await _end(near[1])

    async def _connect(self) -> Ends | None:
        try:
            async with asyncio.timeout(self._patience):
                return await self._dial()
        except TimeoutError:
            self._tell(f"the target does not answer within {self._patience:g} s")
        except OSError as error:
            self._tell(f"cannot reach the target: {error.strerror or error}")
        return None

    async def _copy_both(self, near: Ends, far: Ends) -> None:
        try:
            async with asyncio.TaskGroup() as both:
                both.create_task(_copy(near[0], far[1]))
                both.create_task(_copy(far[0], near[1]))
            async with asyncio.timeout(
                self._patience
            ):  # for bytes that the kernel did not take yet
                await _flushed(near[1], far[1])
        except* OSError:  # one side broke off, and so does the other
            pass
        finally:
            await _end(far[1])


async def _copy(reader: StreamReader, writer: StreamWriter) -> None:
    """Copy everything as fast as it is taken, then pass on the end; the other direction stays open."""
    while data := await reader.read(_CHUNK):
        writer.write(data)
        await writer.drain()
    if writer.can_write_eof():
        writer.write_eof()
    await writer.drain()


async def _flushed(*writers: StreamWriter) -> None:
    for writer in writers:
        writer.close()
    for writer in writers:
        await writer.wait_closed()


async def _end(writer: StreamWriter) -> None:
    """Close the connection now; unsent bytes are lost."""
    writer.transport.abort()
    try:
        await writer.wait_closed()
    except OSError:  # it was broken off already
        return
