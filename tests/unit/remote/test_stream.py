"""Frames that wait to be written come out in order, and there are never too many of them."""

from __future__ import annotations

import asyncio

from hookline.remote.proto import bridge_pb2 as pb
from hookline.remote.stream import Outbox
from tests.unit.remote.support import on_loop, settled


def ping(n: int) -> pb.Ping:
    return pb.Ping(n=n)


@on_loop
async def test_frames_come_out_in_order_to_the_end() -> None:
    """What was posted before it was closed is still written."""
    outbox: Outbox[pb.Ping] = Outbox(1000)
    taken: list[int] = []

    async def take() -> None:
        taken.extend([frame.n async for frame in outbox])

    taking = asyncio.get_running_loop().create_task(take())
    await settled()
    assert all([outbox.post(ping(1)), outbox.post(ping(2))])
    await settled()
    assert outbox.post(ping(3))
    outbox.close()
    await taking

    assert taken == [1, 2, 3]
    assert not outbox.post(ping(4))


@on_loop
async def test_no_more_waits_than_there_is_room_for() -> None:
    """Bytes and frames both count; what is taken makes room."""
    outbox: Outbox[pb.Ping] = Outbox(5)
    frames = aiter(outbox)

    assert [outbox.post(ping(n)) for n in (1, 2, 3)] == [True, True, False]
    assert (await anext(frames)).n == 1
    assert outbox.post(ping(3))
    many: Outbox[pb.Pong] = Outbox(1000)
    assert sum(many.post(pb.Pong()) for _ in range(5000)) == 4096


@on_loop
async def test_now_means_now() -> None:
    """What waits is not written any more."""
    outbox: Outbox[pb.Ping] = Outbox(1000)
    outbox.post(ping(1))
    outbox.close(now=True)

    assert [frame async for frame in outbox] == []
