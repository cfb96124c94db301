"""The gRPC client: single calls on one channel, opened with the first call."""

from __future__ import annotations

from contextlib import AsyncExitStack
from typing import TYPE_CHECKING, Any

from grpc import aio

from hookline.remote.connection import resolve_target
from hookline.remote.grpc_transport import channel, metadata, to_link_error
from hookline.remote.proto import bridge_pb2_grpc as rpc

if TYPE_CHECKING:
    from hookline.remote.addresses import Address
    from hookline.remote.limits import Bounds
    from hookline.remote.proto import bridge_pb2 as pb


class GrpcClient:
    """An engine at an address that gRPC can reach."""

    def __init__(self, place: Address, bounds: Bounds, token: str) -> None:
        self._place = place
        self._bounds = bounds
        self._shown = metadata(token)
        self._stub: Any = None
        self._stack = AsyncExitStack()

    async def fire(self, request: pb.FireRequest) -> pb.FireReply:
        """Fire one event.

        Raises:
            LinkError: there is no answer.
        """
        return await self._call("Fire", request)  # type: ignore[no-any-return]  # generated code has no types

    async def answer(self, request: pb.AnswerRequest) -> pb.AnswerReply:
        """Return a host's reply.

        Raises:
            LinkError: there is no answer.
        """
        return await self._call("Answer", request)  # type: ignore[no-any-return]  # as above

    async def close(self) -> None:
        """Close the channel."""
        await self._stack.aclose()

    async def _call(self, method: str, request: Any) -> Any:
        if self._stub is None:
            line = channel(
                await self._stack.enter_async_context(resolve_target(self._place)), self._bounds
            )
            self._stack.push_async_callback(line.close, None)
            self._stub = rpc.HooksStub(line)
        try:
            return await getattr(self._stub, method)(request, metadata=self._shown)
        except aio.AioRpcError as error:
            raise to_link_error(error) from None
