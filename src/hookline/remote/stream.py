"""Stream: runs one stream between the two ends, from the first frame to the last, over any transport."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING, Any, Protocol, TypeVar

from hookline.model.frozen import Frozen

if TYPE_CHECKING:
    from collections.abc import AsyncIterable, Awaitable

    from hookline.remote.outbox import Outbox

F_contra = TypeVar("F_contra", contravariant=True)


class LinkError(Exception):
    """A stream broke, or could not be opened; the message says why in a few words."""


class Caller(Frozen):
    """The other end of a stream. `proven`: its way here shows that it is the same user on this machine."""

    name: str
    proven: bool = False


class StreamSide(Protocol[F_contra]):
    """One end of a stream. `over` is set when it wants no more frames; the result of `take` is awaited before the next frame."""

    over: asyncio.Event

    def take(self, frame: F_contra) -> Awaitable[None] | None: ...

    async def watch(self) -> None: ...

    def handle_end(self, why: str) -> None: ...


async def run_stream(
    side: StreamSide[F_contra], incoming: AsyncIterable[F_contra], outbox: Outbox[Any]
) -> None:
    """Pass every frame to one end, until either end has had enough; the outbox is then closed, but must still be sent.

    A cancellation counts as the loss of the stream.
    """
    loop = asyncio.get_running_loop()
    reading = loop.create_task(_read(side, incoming))
    tasks = {reading, loop.create_task(side.watch()), loop.create_task(side.over.wait())}
    why = ""
    try:
        await asyncio.wait(tasks, return_when=asyncio.FIRST_COMPLETED)
        why = reading.result() if reading.done() else ""
    finally:
        for task in tasks:
            task.cancel()
        side.handle_end(why)
        outbox.close()
        await asyncio.gather(*tasks, return_exceptions=True)


async def _read(side: StreamSide[F_contra], incoming: AsyncIterable[F_contra]) -> str:
    """Read all frames, and return why there are no more."""
    try:
        async for frame in incoming:
            if (work := side.take(frame)) is not None:
                await work
            if side.over.is_set():
                return ""
    except LinkError as error:
        return str(error)
    return ""
