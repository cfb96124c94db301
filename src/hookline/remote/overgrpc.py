"""The bridge over gRPC: its two services, a server for them, and streams to others' ones; all on the loop of `hookline.remote`."""

from __future__ import annotations

import asyncio
import hmac
from contextlib import asynccontextmanager
from typing import TYPE_CHECKING, Any

import grpc
from grpc import aio

from hookline.errors import CODES, ConfigError, HookError
from hookline.handlers.recursion_guard import MODEL_CALL_HEADER
from hookline.remote.addresses import UNIX, room_at
from hookline.remote.outbox import Outbox
from hookline.remote.proto import bridge_pb2_grpc as rpc
from hookline.remote.talking import Caller, LinkError

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Awaitable, Callable

    from hookline.remote.addresses import Address
    from hookline.remote.bounds import Bounds
    from hookline.remote.firing import Firing
    from hookline.remote.proto import bridge_pb2 as pb

    Converse = Callable[[Caller, AsyncIterator[Any], Outbox[Any]], Awaitable[None]]

_PATIENCE = 1.0  # seconds, for the status of a call that seems to have been refused
# What a server of ours says of a stream that it has let in. Whoever wrote before he was refused would never learn why.
_LET_IN = ("hookline", "in")
# How a call is refused that is not the caller's mistake.
_STATUS = {
    "serve.busy": grpc.StatusCode.RESOURCE_EXHAUSTED,
    "serve.ending": grpc.StatusCode.UNAVAILABLE,
    "internal": grpc.StatusCode.INTERNAL,
}


def options(bounds: Bounds) -> list[tuple[str, int]]:
    """What a channel or a server is made with."""
    return [
        ("grpc.max_receive_message_length", bounds.frame),
        ("grpc.max_send_message_length", bounds.frame),
        ("grpc.so_reuseport", 0),  # or somebody else could listen there too
        ("grpc.enable_http_proxy", 0),  # a proxy of the environment has no business on this machine
        ("grpc.enable_retries", 0),
        ("grpc.use_local_subchannel_pool", 1),
    ]


# -- the services ----------------------------------------------------------------------------------------------------------


class BridgeService(rpc.HookBridgeServicer):
    """Streams of handlers that dial (`attach`), or of an engine that does (`serve`), as far as somebody talks to them."""

    def __init__(
        self,
        caller: Caller,
        bounds: Bounds,
        *,
        attach: Converse | None = None,
        serve: Converse | None = None,
        token: str = "",
    ) -> None:
        self._caller = caller
        self._bounds = bounds
        self._attach = attach
        self._serve = serve
        self._token = token

    async def Attach(self, incoming: Any, context: Any) -> AsyncIterator[pb.EngineFrame]:  # noqa: N802 - the service's name
        """Handlers dial; their Hello says who they are."""
        if self._attach is None:
            await context.abort(grpc.StatusCode.UNIMPLEMENTED, "no engine is here")
        else:
            async for frame in _carried(self._attach, self._caller, incoming, self._bounds):
                yield frame

    async def Serve(self, incoming: Any, context: Any) -> AsyncIterator[pb.HandlerFrame]:  # noqa: N802 - the service's name
        """An engine dials; where others could do so too it shows the token, before it is told ours."""
        await _authorized(context, self._token)
        if self._serve is None:
            await context.abort(grpc.StatusCode.UNIMPLEMENTED, "no handlers are here")
        else:
            async for frame in _carried(self._serve, self._caller, incoming, self._bounds):
                yield frame


async def _carried(
    converse: Converse, caller: Caller, incoming: Any, bounds: Bounds
) -> AsyncIterator[Any]:
    """The frames of our end. Whoever stops reading them, because the other end is gone, ends the talk."""
    outbox: Outbox[Any] = Outbox(bounds.queue)
    talking = asyncio.get_running_loop().create_task(
        _closing(converse(caller, _read(incoming), outbox), outbox)
    )
    try:
        async for frame in outbox:
            yield frame
    finally:
        outbox.close(now=True)
        talking.cancel()
        await asyncio.wait([talking])


async def _closing(talk: Awaitable[None], outbox: Outbox[Any]) -> None:
    try:
        await talk
    finally:
        outbox.close()


class HooksService(rpc.HooksServicer):
    """An engine that is asked from elsewhere."""

    def __init__(self, firing: Firing, bounds: Bounds, *, token: str = "") -> None:
        self._firing = firing
        self._bounds = bounds
        self._token = token

    async def Fire(self, request: pb.FireRequest, context: Any) -> pb.FireReply:  # noqa: N802 - the service's name
        await self._let_in(context)
        return await self._firing.fire(request)

    async def FireStream(self, incoming: Any, context: Any) -> AsyncIterator[pb.FireReply]:  # noqa: N802 - the service's name
        await self._let_in(context)
        outbox: Outbox[pb.FireReply] = Outbox(self._bounds.queue)
        firing = asyncio.get_running_loop().create_task(
            _closing(self._firing.stream(_read(incoming), outbox), outbox)
        )
        try:
            async for reply in outbox:
                yield reply
        finally:
            firing.cancel()
            await asyncio.wait([firing])

    async def Answer(self, request: pb.AnswerRequest, context: Any) -> pb.AnswerReply:  # noqa: N802 - the service's name
        await self._let_in(context)
        try:
            return await self._firing.answer(request)
        except HookError as error:
            await context.abort(
                _STATUS.get(error.name, grpc.StatusCode.INVALID_ARGUMENT), f"{error.code}: {error}"
            )
            raise  # abort has raised

    async def _let_in(self, context: Any) -> None:
        if MODEL_CALL_HEADER in dict(context.invocation_metadata() or ()):
            self._firing.refused(CODES["serve.loop"])
            words = (
                f"{CODES['serve.loop']}: this is asked from inside of a hook's question to a model"
            )
            await context.abort(grpc.StatusCode.FAILED_PRECONDITION, words)
        await _authorized(context, self._token, self._firing.refused)


async def _authorized(
    context: Any, token: str, refused: Callable[[str], object] = lambda _: None
) -> None:
    """Refuse whoever does not show the token; `refused` is told the code."""
    if not token:
        await context.send_initial_metadata((_LET_IN,))
        return
    shown = dict(context.invocation_metadata() or ()).get("authorization", "")
    shown = shown if isinstance(shown, str) else ""
    if not hmac.compare_digest(shown.encode("utf-8", "replace"), f"Bearer {token}".encode()):
        refused(CODES["remote.token"])
        await context.abort(
            grpc.StatusCode.UNAUTHENTICATED,
            f"{CODES['remote.token']}: the token is missing or wrong",
        )
    await context.send_initial_metadata((_LET_IN,))


async def _read(incoming: Any) -> AsyncIterator[Any]:
    """What the other end sends; that it broke off is told as all transports tell it."""
    try:
        async for frame in incoming:
            yield frame
    except aio.AioRpcError as error:
        raise LinkError(_words(error)) from None
    except (aio.UsageError, aio.InternalError, aio.BaseError) as error:
        raise LinkError(str(error).lower()) from None


def _words(error: aio.AioRpcError) -> str:
    return _status(error.code(), error.details())


def _status(code: Any, details: str | None) -> str:
    return f"{code.name.lower().replace('_', ' ')}: {details or ''}".rstrip(": ")[:300]


# -- a server --------------------------------------------------------------------------------------------------------------


async def served(
    address: Address,
    bounds: Bounds,
    *,
    bridge: BridgeService | None = None,
    hooks: HooksService | None = None,
) -> tuple[aio.Server, int]:
    """A server that runs, and the port that it has.

    Raises:
        ConfigError: the address cannot be listened on.
    """
    server = aio.server(options=options(bounds))
    if bridge is not None:
        rpc.add_HookBridgeServicer_to_server(bridge, server)
    if hooks is not None:
        rpc.add_HooksServicer_to_server(hooks, server)
    try:
        if address.way == UNIX:
            with room_at(address.path):
                port = server.add_insecure_port(address.target)
                await server.start()
        else:
            port = server.add_insecure_port(address.target)
            await server.start()
    except RuntimeError as error:
        await server.stop(None)
        hint = "somebody may listen there, or the folder is missing"
        raise ConfigError(
            f"cannot listen on `{address.text}`", name="remote.address", hint=hint
        ) from error
    return server, port


# -- streams to others -----------------------------------------------------------------------------------------------------


def channel(target: str, bounds: Bounds) -> aio.Channel:
    return aio.insecure_channel(target, options=options(bounds))


def metadata(token: str) -> tuple[tuple[str, str], ...]:
    """By which a token is shown."""
    return (("authorization", f"Bearer {token}"),) if token else ()


@asynccontextmanager
async def streamed(
    target: str, method: str, outbox: Outbox[Any], bounds: Bounds, token: str = ""
) -> AsyncIterator[AsyncIterator[Any]]:
    """One stream to somebody who listens: what is posted is sent, and what comes in is yielded."""
    stubs = {
        "attach": ("HookBridgeStub", "Attach"),
        "serve": ("HookBridgeStub", "Serve"),
        "fire": ("HooksStub", "FireStream"),
    }
    stub, name = stubs[method]
    line = channel(target, bounds)
    try:
        call = getattr(getattr(rpc, stub)(line), name)(outbox, metadata=metadata(token))
        try:
            if method != "attach":  # where the first frame is the proof
                await _let_in(call)
            yield _read(call)
        finally:
            outbox.close()
            call.cancel()
    finally:
        await line.close(None)


async def _let_in(call: Any) -> None:
    """Wait until a stream is let in.

    Raises:
        LinkError: it is not.
    """
    if _LET_IN in tuple(await call.initial_metadata() or ()):
        return
    ended = asyncio.get_running_loop().create_task(call.code())
    await asyncio.wait([ended], timeout=_PATIENCE)
    if ended.done():
        raise LinkError(_status(ended.result(), await call.details()))
    ended.cancel()


def failure(error: aio.AioRpcError) -> LinkError:
    """A call that brought no answer, in the words of all transports."""
    return LinkError(_words(error))
