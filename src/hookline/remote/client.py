"""Client: the agent's side: sends events to a remote engine, and returns its decisions."""

from __future__ import annotations

import asyncio
import json
import math
from contextlib import AsyncExitStack, asynccontextmanager, contextmanager
from itertools import count
from typing import TYPE_CHECKING, Any

from hookline.errors import CODES, CodecError, ConfigError, HookError
from hookline.model.verdict import Reply
from hookline.remote.addresses import parse_address
from hookline.remote.decisions import parse_decision
from hookline.remote.event_loop import REMOTE
from hookline.remote.grpc_transport import call_once, open_channel, open_stream
from hookline.remote.limits import Bounds
from hookline.remote.proto import bridge_pb2 as pb
from hookline.remote.stream import LinkError, Outbox

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Iterator, Mapping
    from typing import Self

    from grpc.aio import Channel

    from hookline.model.verdict import Decision

_IN_FLIGHT = 64
_LONGEST = 2**32 - 1  # milliseconds
_NAMES = {code: name for name, code in CODES.items()}


class _Asking:
    """What fires events: a client by single calls, or one of its streams."""

    def __init__(self, address: str) -> None:
        self.address = address
        self._ids = count(1)

    async def fire(
        self,
        event: str,
        payload: Mapping[str, Any] | None = None,
        *,
        dialect: str = "",
        seconds: float = 0.0,
    ) -> Decision:
        """Return what `Engine.fire` would return there.

        `seconds`: for all hooks together (0: as long as the engine allows).

        The verdicts have what a decision document contains. At most 64 requests of a stream run at
        once, and further ones wait.

        Raises:
            CodecError, ConfigError: as `Engine.fire`; or the payload is not JSON.
            HookError: the engine cannot be reached, refuses the token, or is too busy. There is no
                decision then.
        """
        request = pb.FireRequest(
            request_id=str(next(self._ids)),
            event=event,
            dialect=dialect,
            payload_json=_to_json(payload or {}),
            budget_ms=min(math.ceil(seconds * 1000), _LONGEST) if seconds > 0 else 0,
        )
        reply = await REMOTE.wait(self._reach(self._exchange, request))
        if reply.error_code:
            raise _make_error(reply.error_code, reply.error)
        try:
            return parse_decision(json.loads(reply.decision_json))
        except (ValueError, RecursionError) as error:
            raise CodecError(f"the answer is not JSON: {error}") from None

    async def _exchange(self, request: pb.FireRequest) -> pb.FireReply:
        raise NotImplementedError

    async def _reach(self, call: Any, *given: Any) -> Any:
        """Return what a call of the engine returns; an error says that nothing was decided."""
        try:
            return await call(*given)
        except LinkError as error:
            raise _parse_error(str(error)) or HookError(
                f"`{self.address}` cannot be reached: {error}",
                name="remote.unreachable",
                hint="nothing was decided; a gate must deny",
            ) from None


class Client(_Asking):
    """An engine at an address, usable from any event loop.

    It connects with the first event, and again after a loss.

    `token` is needed unless the address is a unix socket.
    """

    def __init__(self, address: str, *, token: str = "", bounds: Bounds | None = None) -> None:
        super().__init__(address)
        parse_address(address)
        self.token = token
        self.bounds = bounds or Bounds()
        self._channel: Channel | None = None
        self._stack = AsyncExitStack()

    async def answer(self, dialect: str, payload: Mapping[str, Any] | str | bytes) -> Reply:
        """Return what `Engine.answer` would return there.

        Raises:
            CodecError, ConfigError, HookError: as `fire`.
        """
        text = payload.encode() if isinstance(payload, str) else payload
        sent = text if isinstance(text, bytes) else _to_json(text)
        request = pb.AnswerRequest(dialect=dialect, payload_json=sent)
        reply = await REMOTE.wait(self._reach(self._call, "Answer", request))
        return Reply(stdout=reply.stdout, stderr=reply.stderr, exit_code=reply.exit_code)

    @asynccontextmanager
    async def stream(self) -> AsyncIterator[Stream]:
        """Fire many events on one stream, each answered when it is done.

        Takes about half the time of single calls.

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
        self._channel = None
        await REMOTE.wait(self._stack.aclose())

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(self, *error: object) -> None:
        await self.close()

    async def _exchange(self, request: pb.FireRequest) -> pb.FireReply:
        reply: pb.FireReply = await self._call("Fire", request)
        return reply

    async def _call(self, method: str, request: Any) -> Any:
        return await call_once(await self.open_channel(), method, request, self.token)

    async def open_channel(self) -> Channel:
        """Return the channel to the engine."""
        if self._channel is None:
            opening = open_channel(self.address, self.bounds)
            self._channel = await self._stack.enter_async_context(opening)
        return self._channel


class Stream(_Asking):
    """One stream of a client; replies find their requests by id, in any order."""

    def __init__(self, client: Client) -> None:
        super().__init__(client.address)
        self._client = client
        self._outbox: Outbox[pb.FireRequest] = Outbox(client.bounds.queue)
        self._asked: dict[str, asyncio.Future[pb.FireReply]] = {}
        self._slots = asyncio.Semaphore(_IN_FLIGHT)
        self._stack = AsyncExitStack()
        self._why = ""

    async def _exchange(self, request: pb.FireRequest) -> pb.FireReply:
        async with self._slots:
            if not self._outbox.post(request):
                raise LinkError(self._why or "the stream is closed, or what is sent is too large")
            reply: asyncio.Future[pb.FireReply] = asyncio.get_running_loop().create_future()
            self._asked[request.request_id] = reply
            try:
                return await reply
            finally:
                del self._asked[request.request_id]

    async def open(self) -> None:
        """Open the stream."""
        client = self._client
        channel = await client.open_channel()
        opening = open_stream(channel, "FireStream", self._outbox, client.token)
        incoming = await self._reach(self._stack.enter_async_context, opening)
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


class _SyncAsking:
    """What fires events for programs without an event loop."""

    def __init__(self, asking: _Asking) -> None:
        self._asking = asking

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
        return REMOTE.run(self._asking.fire(event, payload, dialect=dialect, seconds=seconds))


class SyncStream(_SyncAsking):
    """A `Stream` for programs without an event loop."""


class SyncClient(_SyncAsking):
    """A `Client` for programs without an event loop."""

    def __init__(self, address: str, *, token: str = "", bounds: Bounds | None = None) -> None:
        self._client = Client(address, token=token, bounds=bounds)
        super().__init__(self._client)

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


def _to_json(payload: Mapping[str, Any]) -> bytes:
    try:
        return json.dumps(payload, allow_nan=False).encode()
    except (TypeError, ValueError, RecursionError) as error:
        raise CodecError(f"the payload cannot be sent: {error}") from None


def _make_error(code: str, words: str) -> HookError:
    """Return an engine's error as it was raised there."""
    name = _NAMES.get(code, "internal")
    kinds: dict[str, type[HookError]] = {"wire": CodecError, "config": ConfigError}
    return kinds.get(name.partition(".")[0], HookError)(words, name=name)


def _parse_error(words: str) -> HookError | None:
    """Return the error in a status of gRPC whose message begins with the code of an error."""
    code, _, message = words.partition(": ")[2].partition(": ")
    return _make_error(code, message) if code in _NAMES else None
