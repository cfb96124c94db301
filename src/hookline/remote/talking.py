"""Talking: one stream between the two ends, from its first frame to its last, whatever carries it."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING, Any, Protocol, TypeVar

from hookline.model.frozen import Frozen

if TYPE_CHECKING:
    from collections.abc import AsyncIterable, Awaitable

    from hookline.remote.outbox import Outbox

F_contra = TypeVar("F_contra", contravariant=True)


class LinkError(Exception):
    """A stream broke, or could not be made; the message says why in a few words."""


class Caller(Frozen):
    """Who is at the other end of a stream. `proven`: the way that it came shows that it is this machine's same user."""

    name: str
    proven: bool = False


class Side(Protocol[F_contra]):
    """What one end makes of a stream. `over` is set when it wants no more of it; what `take` returns is done before the next frame."""

    over: asyncio.Event

    def take(self, frame: F_contra) -> Awaitable[None] | None: ...

    async def watch(self) -> None: ...

    def lost(self, why: str) -> None: ...


async def talk(
    side: Side[F_contra], incoming: AsyncIterable[F_contra], outbox: Outbox[Any]
) -> None:
    """Give one end every frame of the other, until either has had enough; the outbox is closed then, and still to be sent.

    Cancelling it is the loss of the stream.
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
        side.lost(why)
        outbox.close()
        await asyncio.gather(*tasks, return_exceptions=True)


async def _read(side: Side[F_contra], incoming: AsyncIterable[F_contra]) -> str:
    """Why there is nothing more to read."""
    try:
        async for frame in incoming:
            if (work := side.take(frame)) is not None:
                await work
            if side.over.is_set():
                return ""
    except LinkError as error:
        return str(error)
    return ""
