"""Asking without gRPC: one stream for events, and a connection for each host's reply."""

from __future__ import annotations

import asyncio
from contextlib import AsyncExitStack
from typing import TYPE_CHECKING

from hookline.remote.framed import ANSWER, FIRE, framed, messages, poured
from hookline.remote.outbox import Outbox
from hookline.remote.proto import bridge_pb2 as pb
from hookline.remote.talking import LinkError

if TYPE_CHECKING:
    from collections.abc import AsyncIterator

    from hookline.remote.bounds import Bounds


class FramedAsks:
    """An engine on a unix socket, by frames."""

    def __init__(self, path: str, bounds: Bounds) -> None:
        self._path = path
        self._bounds = bounds

    async def fire(self, request: pb.FireRequest) -> pb.FireReply:
        """One event on a connection of its own.

        Raises:
            LinkError: there is no answer.
        """
        async for reply in self._said(FIRE, request, pb.FireReply):
            return reply
        raise LinkError("it hung up without an answer")

    async def answer(self, request: pb.AnswerRequest) -> pb.AnswerReply:
        """A host's reply; an error comes in its place, as a reply to an event.

        Raises:
            LinkError: there is no answer.
        """
        async for told in self._said(ANSWER, request, pb.FireReply):
            if told.error_code:
                raise LinkError(f"{told.error_code}: {told.error}")
            return pb.AnswerReply.FromString(told.decision_json)
        raise LinkError("it hung up without an answer")

    async def close(self) -> None:
        """There is nothing that is kept."""

    async def _said(
        self, method: str, request: pb.FireRequest | pb.AnswerRequest, kind: type[pb.FireReply]
    ) -> AsyncIterator[pb.FireReply]:
        async with AsyncExitStack() as stack:
            reader, writer = await stack.enter_async_context(framed(self._path, method))
            outbox: Outbox[pb.FireRequest | pb.AnswerRequest] = Outbox(self._bounds.queue)
            await stack.enter_async_context(poured(outbox, writer))
            if not outbox.post(request):
                raise LinkError("what is sent is too large")
            async for reply in messages(reader, kind, self._bounds.frame):
                yield reply
                await asyncio.sleep(0)
