"""Client: the agent's side: sends events to a remote engine, and returns its decisions."""

from __future__ import annotations

import asyncio
from contextlib import AsyncExitStack, asynccontextmanager, contextmanager
from itertools import count
from typing import TYPE_CHECKING, Any

from hookline.model.reply import Reply
from hookline.remote.addresses import parse_address
from hookline.remote.connection import open_stream, require_grpc
from hookline.remote.event_loop import REMOTE
from hookline.remote.limits import Bounds
from hookline.remote.messages import (
    make_answer_request,
    make_fire_request,
    make_unreachable_error,
    read_decision,
)
from hookline.remote.outbox import Outbox
from hookline.remote.stream import LinkError

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Iterator, Mapping
    from typing import Self

    from hookline.model.verdict import Decision
    from hookline.remote.grpc_client import GrpcClient
    from hookline.remote.proto import bridge_pb2 as pb

_IN_FLIGHT = 64


class Client:
    """An engine at an address, usable from any event loop. It connects with the first event, and again after a loss.

    `token` is needed unless the address is a unix socket.
    """

    def __init__(self, address: str, *, token: str = "", bounds: Bounds | None = None) -> None:
        self.address = address
        self.token = token
        self.bounds = bounds or Bounds()
        self._place = parse_address(address)
        require_grpc()
        self._asks: GrpcClient | None = None

    async def fire(
        self,
        event: str,
        payload: Mapping[str, Any] | None = None,
        *,
        dialect: str = "",
        seconds: float = 0.0,
    ) -> Decision:
        """Return what `Engine.fire` would return there. `seconds`: for all hooks together (0: as long as the engine allows).

        The verdicts have what a decision document contains.

        Raises:
            CodecError, ConfigError: as `Engine.fire`; or the payload is not JSON.
            HookError: the engine cannot be reached, refuses the token, or is too busy. There is no decision then.
        """
        return read_decision(
            await REMOTE.wait(self._fire(make_fire_request("1", event, payload, dialect, seconds)))
        )

    async def answer(self, dialect: str, payload: Mapping[str, Any] | str | bytes) -> Reply:
        """Return what `Engine.answer` would return there.

        Raises:
            CodecError, ConfigError, HookError: as `fire`.
        """
        return await REMOTE.wait(self._answer(make_answer_request(dialect, payload)))

    @asynccontextmanager
    async def stream(self) -> AsyncIterator[Stream]:
        """Fire many events on one stream, each answered when it is done; takes about half the time of single calls.

        Raises:
            HookError: the engine cannot be reached.
        """
        stream = Stream(self)
        await REMOTE.wait(stream.open())
        try:
            yield stream
        finally:
            await REMOTE.wait(stream.close())

    async def close(self) -> None:
        """Close the connection."""
        await REMOTE.wait(self._close())

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(self, *error: object) -> None:
        await self.close()

    # -- on the remote loop ----------------------------------------------------------------------------------------

    async def _fire(self, request: pb.FireRequest) -> pb.FireReply:
        try:
            return await self._connect().fire(request)
        except LinkError as error:
            raise make_unreachable_error(self.address, error) from None

    async def _answer(self, request: pb.AnswerRequest) -> Reply:
        try:
            reply = await self._connect().answer(request)
        except LinkError as error:
            raise make_unreachable_error(self.address, error) from None
        return Reply(stdout=reply.stdout, stderr=reply.stderr, exit_code=reply.exit_code)

    def _connect(self) -> GrpcClient:
        if self._asks is None:
            from hookline.remote.grpc_client import GrpcClient  # noqa: PLC0415 - gRPC is an extra

            self._asks = GrpcClient(self._place, self.bounds, self.token)
        return self._asks

    async def _close(self) -> None:
        asks, self._asks = self._asks, None
        if asks is not None:
            await asks.close()


class Stream:
    """One stream of a client; replies find their requests by id, in any order."""

    def __init__(self, client: Client) -> None:
        self._client = client
        self._outbox: Outbox[pb.FireRequest] = Outbox(client.bounds.queue)
        self._asked: dict[str, asyncio.Future[pb.FireReply]] = {}
        self._ids = count(1)
        self._slots = asyncio.Semaphore(_IN_FLIGHT)
        self._stack = AsyncExitStack()
        self._why = ""

    async def fire(
        self,
        event: str,
        payload: Mapping[str, Any] | None = None,
        *,
        dialect: str = "",
        seconds: float = 0.0,
    ) -> Decision:
        """Do what `Client.fire` does; at most 64 requests run at once, and further ones wait.

        Raises:
            CodecError, ConfigError, HookError: as `Client.fire`.
        """
        return read_decision(
            await REMOTE.wait(
                self._fire(
                    make_fire_request(str(next(self._ids)), event, payload, dialect, seconds)
                )
            )
        )

    async def _fire(self, request: pb.FireRequest) -> pb.FireReply:
        async with self._slots:
            if self._outbox.closed or not self._outbox.post(request):
                raise make_unreachable_error(
                    self._client.address,
                    LinkError(self._why or "the stream is closed, or what is sent is too large"),
                )
            reply: asyncio.Future[pb.FireReply] = asyncio.get_running_loop().create_future()
            self._asked[request.request_id] = reply
            try:
                return await reply
            except LinkError as error:
                raise make_unreachable_error(self._client.address, error) from None
            finally:
                self._asked.pop(request.request_id, None)

    async def open(self) -> None:
        """Open the stream."""
        client = self._client
        line = open_stream(client.address, "fire", self._outbox, client.bounds, token=client.token)
        try:
            incoming = await self._stack.enter_async_context(line)
        except LinkError as error:
            raise make_unreachable_error(client.address, error) from None
        reading = asyncio.get_running_loop().create_task(self._read(incoming))
        self._stack.callback(reading.cancel)

    async def close(self) -> None:
        """Close the stream; running requests get no answer."""
        self._why = "the stream was closed"
        await self._stack.aclose()
        self._fail_pending()

    async def _read(self, incoming: AsyncIterator[pb.FireReply]) -> None:
        try:
            async for reply in incoming:
                waiting = self._asked.get(reply.request_id)
                if waiting is not None and not waiting.done():
                    waiting.set_result(reply)
        except LinkError as error:
            self._why = str(error)
        finally:
            self._fail_pending()

    def _fail_pending(self) -> None:
        self._outbox.close()
        for waiting in self._asked.values():
            if not waiting.done():
                waiting.set_exception(LinkError(self._why or "it hung up"))


class SyncClient:
    """A `Client` for programs without an event loop."""

    def __init__(self, address: str, *, token: str = "", bounds: Bounds | None = None) -> None:
        self._client = Client(address, token=token, bounds=bounds)

    def fire(
        self,
        event: str,
        payload: Mapping[str, Any] | None = None,
        *,
        dialect: str = "",
        seconds: float = 0.0,
    ) -> Decision:
        """Do what `Client.fire` does.

        Raises:
            CodecError, ConfigError, HookError: as `Client.fire`.
        """
        return REMOTE.run(self._client.fire(event, payload, dialect=dialect, seconds=seconds))

    def answer(self, dialect: str, payload: Mapping[str, Any] | str | bytes) -> Reply:
        """Do what `Client.answer` does.

        Raises:
            CodecError, ConfigError, HookError: as `Client.answer`.
        """
        return REMOTE.run(self._client.answer(dialect, payload))

    @contextmanager
    def stream(self) -> Iterator[SyncStream]:
        """Do what `Client.stream` does; several threads may fire on it at once.

        Raises:
            HookError: the engine cannot be reached.
        """
        stream = Stream(self._client)
        REMOTE.run(stream.open())
        try:
            yield SyncStream(stream)
        finally:
            REMOTE.run(stream.close())

    def close(self) -> None:
        """Close the connection."""
        REMOTE.run(self._client.close())

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *error: object) -> None:
        self.close()


class SyncStream:
    """A `Stream` for programs without an event loop."""

    def __init__(self, stream: Stream) -> None:
        self._stream = stream

    def fire(
        self,
        event: str,
        payload: Mapping[str, Any] | None = None,
        *,
        dialect: str = "",
        seconds: float = 0.0,
    ) -> Decision:
        """Do what `Stream.fire` does.

        Raises:
            CodecError, ConfigError, HookError: as `Client.fire`.
        """
        return REMOTE.run(self._stream.fire(event, payload, dialect=dialect, seconds=seconds))
