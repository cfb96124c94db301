"""Answers agents in other processes over gRPC, and opens an engine to them."""

from __future__ import annotations

import asyncio
import json
import random
from contextlib import AbstractContextManager, AsyncExitStack
from dataclasses import dataclass, field
from functools import partial
from typing import TYPE_CHECKING, Any

import grpc

from hookline.engine.notices import add_notices, write_reply
from hookline.errors import CODES, CodecError, HookError
from hookline.remote.admission import Admission
from hookline.remote.bridge import Bridge
from hookline.remote.grpc_transport import (
    REMOTE,
    BackgroundLoop,
    TokenCheck,
    admit,
    listen,
    make_metadata,
    open_channel,
    required_token,
)
from hookline.remote.messages import to_utf8
from hookline.remote.proto import bridge_pb2 as pb
from hookline.remote.proto import bridge_pb2_grpc as rpc
from hookline.wire.json_reader import read_json

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable, Iterable, Mapping

    from grpc import aio

    from hookline.engine.engine import Engine
    from hookline.model.event import Event
    from hookline.model.verdict import Decision


# Plain Python hooks block the loop that calls them, so they get one of their own.
_HOOK_LOOP = BackgroundLoop()
_AT_ONCE = 64  # events of one stream
# The status of a refusal that is not the caller's fault.
_STATUS = {
    "serve.busy": grpc.StatusCode.RESOURCE_EXHAUSTED,
    "serve.ending": grpc.StatusCode.UNAVAILABLE,
    "internal": grpc.StatusCode.INTERNAL,
}


@dataclass(kw_only=True)
class FireService(rpc.HooksServicer):
    """Answers requests with an engine.

    `turns`: limits concurrent events, here and at other entrances of the engine. `own` returns the
    engines for hosts whose own files start this server. `seconds`: for all hooks of an event.
    `refused` receives the code of each request without a decision. `elsewhere` adds notices about
    the event's folder to a decision. `tell` receives a line for each internal fault.
    """

    engine: Engine
    turns: Admission = field(default_factory=partial(Admission, 64))
    own: Callable[[], Mapping[str, Engine]] = dict
    seconds: float = 600.0
    refused: Callable[[str], object] = lambda _: None
    elsewhere: Callable[[Engine, Event, Decision], Awaitable[Decision]] | None = None
    tell: Callable[[str], object] = lambda _: None
    running: set[asyncio.Task[Any] | None] = field(default_factory=set)
    is_closed: bool = False

    # -- the methods, by their names in the contract -----------------------------------------------

    async def Fire(self, request: pb.FireRequest, _: object = None) -> pb.FireReply:  # noqa: N802
        """Return the decision on one event, or what is wrong with the request."""
        reply = pb.FireReply(request_id=request.request_id)
        try:
            payload = _read_object(request.payload_json or b"{}")
            event = self.engine.event(request.event, payload, dialect=request.dialect or None)
            engine = self.own().get(event.dialect, self.engine)
            seconds = min(request.budget_ms / 1000 or self.seconds, self.seconds)
            decision = await self._decide(engine, event, seconds)
            reply.decision_json = json.dumps(decision.to_dict()).encode()
        except (Exception, KeyboardInterrupt) as error:  # noqa: BLE001 - the outermost frame
            refusal = self._refuse(error)
            reply.error_code, reply.error = refusal.code, to_utf8(str(refusal))
        return reply

    async def FireStream(self, incoming: Any, context: Any) -> None:  # noqa: N802 - as above
        """Answer many events, each when it is decided; a caller that disconnects cancels them."""
        await admit(context)
        slots, writing = asyncio.Semaphore(_AT_ONCE), asyncio.Lock()

        async def answer(request: pb.FireRequest) -> None:
            reply = await self.Fire(request)
            async with writing:
                await context.write(reply)
            slots.release()

        async with asyncio.TaskGroup() as group:
            async for request in incoming:
                await slots.acquire()
                group.create_task(answer(request))

    async def Answer(self, request: pb.AnswerRequest, context: Any) -> pb.AnswerReply:  # noqa: N802
        """Return a host's reply to its payload, or a status whose message begins with a code."""
        try:
            engine = self.own().get(request.dialect, self.engine)
            host = engine.host(request.dialect)
            event = host.decode_event(read_json(request.payload_json))
            decided = await self._decide(engine, event, self.seconds)
            decision = add_notices(engine.runtime, event, decided)
            reply = write_reply(host.encode_decision, event, decision)
        except (Exception, KeyboardInterrupt) as error:  # noqa: BLE001 - the outermost frame
            refusal = self._refuse(error)
            status = _STATUS.get(refusal.name, grpc.StatusCode.INVALID_ARGUMENT)
            await context.abort(status, to_utf8(f"{refusal.code}: {refusal}"))
        return pb.AnswerReply(
            stdout=to_utf8(reply.stdout), stderr=to_utf8(reply.stderr), exit_code=reply.exit_code
        )

    async def close(self, drain: float) -> None:
        """Refuse new events, and wait at most `drain` seconds for running ones."""
        self.is_closed = True
        if self.running and drain > 0:
            await asyncio.wait(filter(None, self.running), timeout=drain)

    # -- one event ---------------------------------------------------------------------------------

    def _refuse(self, error: BaseException) -> HookError:
        """Count a request without a decision, and return the error for its sender."""
        if not isinstance(error, HookError):
            self.tell(f"HKL9001 internal error: {type(error).__name__}: {error}")
            error = HookError("this is a fault of hookline; please report it", name="internal")
        self.refused(error.code)
        return error

    async def _decide(self, engine: Engine, event: Event, seconds: float) -> Decision:
        """Return the decision once the event is admitted.

        A caller that disconnects counts as a request without a decision.
        """
        if self.is_closed:
            hint = "ask again when it is back"
            raise HookError("the server is being stopped", name="serve.ending", hint=hint)
        task = asyncio.current_task()
        self.running.add(task)
        try:
            async with self.turns.admit():
                asked = engine.fire_async(event, seconds=seconds)
                decision = await (_HOOK_LOOP.wait(asked) if engine.snapshot.own else asked)
            return await self.elsewhere(engine, event, decision) if self.elsewhere else decision
        except asyncio.CancelledError:
            self.refused(CODES["serve.ending" if self.is_closed else "serve.gone"])
            raise
        finally:
            self.running.discard(task)


def _read_object(text: bytes) -> dict[str, Any]:
    payload = read_json(text)
    if not isinstance(payload, dict):
        raise CodecError("a payload must be a JSON object")
    return payload


class Opened(AbstractContextManager["Opened"]):
    """An open engine: its `bridge`, and the `addresses` at which clients reach it."""

    def __init__(self, bridge: Bridge, firing: FireService) -> None:
        self.bridge = bridge
        self.addresses: list[str] = []
        self.open = AsyncExitStack()
        self._firing = firing

    def dial(self, address: str, *, token: str = "") -> None:
        """Connect to handlers that listen, and again after each loss.

        Raises:
            ConfigError: it is not an address, or it needs a token.
        """
        metadata = make_metadata(required_token(address, token))

        async def stay_connected() -> None:
            async with open_channel(address) as channel:
                while True:
                    stub = rpc.HookBridgeStub(channel)
                    call = stub.Serve(metadata=metadata, wait_for_ready=True)
                    await self.bridge.converse(call, call.write)
                    await asyncio.sleep(random.uniform(0.1, 1.0))  # noqa: S311 - no secret
                    call.cancel()

        self.open.callback(REMOTE.submit(stay_connected()).cancel)

    async def close_async(self, drain: float) -> None:
        """Do what `close` does, on the loop of `hookline.remote`."""
        await self._firing.close(drain)
        await self.open.aclose()

    def close(self, drain: float = 10.0) -> None:
        """Refuse new events, wait at most `drain` seconds for running ones, and end all streams.

        Gates stay closed.
        """
        REMOTE.run(self.close_async(drain))

    def __exit__(self, *error: object) -> None:
        self.close()


def serve_engine(
    engine: Engine,
    *addresses: str,
    token: str = "",
    token_everywhere: bool = False,
    expected: Iterable[str] = (),
    **options: Any,
) -> Opened:
    """Open an engine to handlers that attach and to agents that ask.

    Close the result, or use it in a `with`.

    `token`: demanded from callers that do not use a unix socket; with `token_everywhere`, from
    these too, as where a virtual machine monitor connects for its guest. `expected`: names of
    handlers whose gates stay closed until they first attach. `options`: those of `FireService`; for
    example `seconds`: for all hooks of one event.

    Raises:
        ConfigError: an address cannot be opened, or needs a token or an extra; or a name is
            invalid.
    """
    firing = FireService(engine=engine, **options)
    bridge = Bridge(engine, others=lambda: firing.own().values(), expected=expected)
    opened = Opened(bridge, firing)

    def add_services(server: aio.Server) -> None:
        rpc.add_HookBridgeServicer_to_server(bridge, server)
        rpc.add_HooksServicer_to_server(firing, server)

    async def open_all() -> None:
        async with AsyncExitStack() as stack:
            for address in addresses:
                needed = required_token(address, token, everywhere=token_everywhere)
                listening = listen(address, TokenCheck(needed, firing.refused), add_services)
                opened.addresses.append(await stack.enter_async_context(listening))
            opened.open = stack.pop_all()

    REMOTE.run(open_all())
    return opened
