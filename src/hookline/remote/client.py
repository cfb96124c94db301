"""Client: the agent's side: sends events to a remote engine, and returns its decisions."""

from __future__ import annotations

import asyncio
import json
import math
from contextlib import (
    AbstractAsyncContextManager,
    AbstractContextManager,
    AsyncExitStack,
    asynccontextmanager,
    closing,
    contextmanager,
)
from itertools import count
from typing import TYPE_CHECKING, Any

from grpc import aio

from hookline.errors import CodecError, HookError
from hookline.model.event import Rewrite
from hookline.model.verdict import (
    NO_EFFECTS,
    SCHEMA,
    Decision,
    Lowered,
    Reply,
    Stance,
    Verdict,
)
from hookline.remote.grpc_transport import (
    REMOTE,
    exchange,
    make_error,
    make_grpc_error,
    make_metadata,
    open_channel,
    wait_for_admission,
)
from hookline.remote.proto import bridge_pb2 as pb
from hookline.remote.proto import bridge_pb2_grpc as rpc

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Iterator, Mapping
# Fields that a decision document and a value have in common.
_DECISION = (
    "kind", "dialect", "native_event", "reason", "evidence", "retry_after", "redo", "seconds",
)  # fmt: skip
_VERDICT = ("reason", "for_agent", "for_user", "fault", "exit_code", "seconds", "shadow")


class _Asking:
    """What fires events: a client by single calls, or one of its streams."""

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

        The verdicts have what a decision document contains. At most 64 events of a stream run at
        once, and further ones wait.

        Raises:
            CodecError: the payload is not JSON.
            HookError: the engine cannot decide, for example because it does not know the event; or
                it cannot be reached, refuses the token, or is too busy.
        """
        request = pb.FireRequest(
            event=event,
            dialect=dialect,
            payload_json=_to_json(payload or {}),
            budget_ms=math.ceil(seconds * 1000),
        )
        reply = await REMOTE.wait(self._exchange(request))
        if reply.error_code:
            raise make_error(f"{reply.error_code}: {reply.error}")
        try:
            return parse_decision(json.loads(reply.decision_json))
        except (AttributeError, LookupError, RecursionError, TypeError, ValueError) as error:
            words = f"the answer is no decision: {type(error).__name__}: {error}"
            raise CodecError(words) from None

    async def _exchange(self, request: pb.FireRequest) -> pb.FireReply:
        raise NotImplementedError


class Client(_Asking, AbstractAsyncContextManager["Client"]):
    """An engine at an address, usable from any event loop.

    It connects with the first event, and again after a loss.

    `token` is needed unless the address is a unix socket.
    """

    def __init__(self, address: str, *, token: str = "") -> None:
        self.metadata = make_metadata(token)
        self._stack = AsyncExitStack()
        opening = self._stack.enter_async_context(open_channel(address))
        self.hooks = rpc.HooksStub(REMOTE.run(opening))

    async def answer(self, dialect: str, payload: Mapping[str, Any] | str | bytes) -> Reply:
        """Return what `Engine.answer` would return there.

        Raises:
            CodecError, HookError: as `fire`.
        """
        text = payload.encode() if isinstance(payload, str) else payload
        sent = text if isinstance(text, bytes) else _to_json(text)
        request = pb.AnswerRequest(dialect=dialect, payload_json=sent)
        reply = await REMOTE.wait(self._exchange(request, "Answer"))
        return Reply(stdout=reply.stdout, stderr=reply.stderr, exit_code=reply.exit_code)

    @asynccontextmanager
    async def stream(self) -> AsyncIterator[Stream]:
        """Fire many events on one stream, each answered when it is done.

        Takes about half the time of single calls.
        """
        with closing(Stream(self)) as stream:
            yield stream

    async def close(self) -> None:
        """Close the connection."""
        await REMOTE.wait(self._stack.aclose())

    async def __aexit__(self, *error: object) -> None:
        await self.close()

    async def _exchange(self, request: Any, method: str = "Fire") -> Any:
        try:
            return await getattr(self.hooks, method)(request, metadata=self.metadata)
        except aio.AioRpcError as error:
            raise make_grpc_error(error) from None


class Stream(_Asking):
    """One stream of a client; replies find their requests by id, in any order."""

    def __init__(self, client: Client) -> None:
        self._ids = count(1)
        self._frames: asyncio.Queue[pb.FireRequest] = asyncio.Queue()
        self._asked: dict[str, asyncio.Future[pb.FireReply]] = {}
        self._end: HookError | None = None
        self._conversing = REMOTE.submit(self._converse(client))

    def close(self) -> None:
        """Close the stream; running requests get no answer."""
        self._conversing.cancel()

    async def _converse(self, client: Client) -> None:
        """Send requests and take replies until the stream breaks; then fail what has none."""
        call = client.hooks.FireStream(metadata=client.metadata)
        end = make_error("the stream has ended")
        try:
            await wait_for_admission(call)
            await exchange(call, self._frames, call.write, self._take)
        except HookError as error:
            end = error
        finally:
            call.cancel()
            self._end = end
            for waiting in self._asked.values():
                if not waiting.done():
                    waiting.set_exception(end)

    async def _take(self, reply: pb.FireReply) -> None:
        waiting = self._asked.get(reply.request_id)
        if waiting is not None and not waiting.done():
            waiting.set_result(reply)

    async def _exchange(self, request: pb.FireRequest) -> pb.FireReply:
        if self._end is not None:
            raise self._end
        request.request_id = str(next(self._ids))
        self._frames.put_nowait(request)
        reply: asyncio.Future[pb.FireReply] = asyncio.get_running_loop().create_future()
        self._asked[request.request_id] = reply
        try:
            return await reply
        finally:
            del self._asked[request.request_id]


class SyncStream:
    """A `Stream` for programs without an event loop; several threads may fire on it at once."""

    def __init__(self, asking: _Asking) -> None:
        self._asking = asking

    def fire(self, *given: Any, **named: Any) -> Decision:
        """Do what `Client.fire` does, with the same arguments.

        Raises:
            CodecError, HookError: as `Client.fire`.
        """
        return REMOTE.run(self._asking.fire(*given, **named))


class SyncClient(SyncStream, AbstractContextManager["SyncClient"]):
    """A `Client` for programs without an event loop."""

    def __init__(self, address: str, *, token: str = "") -> None:
        self._client = Client(address, token=token)
        super().__init__(self._client)

    def answer(self, *given: Any) -> Reply:
        """Do what `Client.answer` does, with the same arguments.

        Raises:
            CodecError, HookError: as `Client.answer`.
        """
        return REMOTE.run(self._client.answer(*given))

    @contextmanager
    def stream(self) -> Iterator[SyncStream]:
        """Do what `Client.stream` does."""
        with closing(Stream(self._client)) as stream:
            yield SyncStream(stream)

    def close(self) -> None:
        """Close the connection."""
        REMOTE.run(self._client.close())

    def __exit__(self, *error: object) -> None:
        self.close()


def _to_json(payload: Mapping[str, Any]) -> bytes:
    try:
        return json.dumps(payload, allow_nan=False).encode()
    except (TypeError, ValueError, RecursionError) as error:
        raise CodecError(f"the payload cannot be sent: {error}") from None


# -- decisions -------------------------------------------------------------------------------------


def parse_decision(document: Any) -> Decision:
    """Return the decision in a document; its own document equals the given one.

    Fields that documents lack get their defaults.

    Raises:
        CodecError: it is not such a document.
        AttributeError, LookupError, TypeError: a part of it has another form.
    """
    if not isinstance(document, dict) or document.get("schema") != SCHEMA:
        raise CodecError(f"the answer is not a document `{SCHEMA}`")
    return Decision(
        stance=Stance[document["stance"].upper()],
        decider=document.get("decider", ""),
        rewrite=_parse_rewrite(document["rewrite"]),
        for_agent=tuple(document["for_agent"]),
        for_user=tuple(document["for_user"]),
        effects=document.get("effects", NO_EFFECTS),
        lowered=tuple(Lowered(**entry) for entry in document["lowered"]),
        verdicts=tuple(_parse_verdict(entry) for entry in document["verdicts"]),
        **{name: document[name] for name in _DECISION},
    )


def _parse_verdict(entry: Mapping[str, Any]) -> Verdict:
    return Verdict(
        hook_id=entry["hook"],
        stance=Stance[entry["stance"].upper()],
        rewrite=_parse_rewrite(entry["rewrite"]),
        labels=tuple(entry.get("labels", ())),
        warnings=tuple(entry.get("warnings", ())),
        **{name: entry[name] for name in _VERDICT},
    )


def _parse_rewrite(given: Mapping[str, Any] | None) -> Rewrite | None:
    if given is None:
        return None
    if "input" in given:
        return Rewrite(target="input", value=given["input"], patch=given["patch"])
    ((target, value),) = given.items()
    return Rewrite(target=target, value=value)
