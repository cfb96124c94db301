"""Transport over gRPC: the bridge's two services, a server for them, and client streams; all on the loop of `hookline.remote`."""

from __future__ import annotations

import asyncio
import hmac
from contextlib import asynccontextmanager
from typing import TYPE_CHECKING, Any

import grpc
from grpc import aio

from hookline.errors import CODES, ConfigError, HookError
from hookline.handlers.recursion_guard import MODEL_CALL_HEADER
from hookline.remote.addresses import UNIX, reserve_path
from hookline.remote.outbox import Outbox
from hookline.remote.proto import bridge_pb2_grpc as rpc
from hookline.remote.stream import Caller, LinkError

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Awaitable, Callable

    from hookline.remote.addresses import Address
    from hookline.remote.fire_service import FireService
    from hookline.remote.limits import Bounds
    from hookline.remote.proto import bridge_pb2 as pb

    Converse = Callable[[Caller, AsyncIterator[Any], Outbox[Any]], Awaitable[None]]

_PATIENCE = 1.0  # seconds to wait for the status of a call that was probably refused
# A server's mark on a stream that it admitted. A client that wrote before its refusal would never learn the reason.
_LET_IN = ("hookline", "in")
# The status of a refusal that is not the caller's fault.
_STATUS = {
    "serve.busy": grpc.StatusCode.RESOURCE_EXHAUSTED,
    "serve.ending": grpc.StatusCode.UNAVAILABLE,
    "internal": grpc.StatusCode.INTERNAL,
}


def channel_options(bounds: Bounds) -> list[tuple[str, int]]:
    """Return the options of a channel or a server."""
    return [
        ("grpc.max_receive_message_length", bounds.frame),
        ("grpc.max_send_message_length", bounds.frame),
        ("grpc.so_reuseport", 0),  # otherwise another process could listen there too
        ("grpc.enable_http_proxy", 0),  # a proxy from the environment must not see local calls
        ("grpc.enable_retries", 0),
        ("grpc.use_local_subchannel_pool", 1),
    ]


# -- the services ----------------------------------------------------------------------------------------------------------


class BridgeService(rpc.HookBridgeServicer):
    """Streams of handlers that connect (`attach`), or of an engine that does (`serve`), if this process accepts them."""

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
        """Serve handlers; their Hello identifies them."""
        if self._attach is None:
            await context.abort(grpc.StatusCode.UNIMPLEMENTED, "no engine is here")
        else:
            async for frame in _run_stream(self._attach, self._caller, incoming, self._bounds):
                yield frame

    async def Serve(self, incoming: Any, context: Any) -> AsyncIterator[pb.HandlerFrame]:  # noqa: N802 - the service's name
        """Serve an engine; if others could connect too, it shows the token first."""
        await _check_token(context, self._token)
        if self._serve is None:
            await context.abort(grpc.StatusCode.UNIMPLEMENTED, "no handlers are here")
        else:
            async for frame in _run_stream(self._serve, self._caller, incoming, self._bounds):
                yield frame


async def _run_stream(
    converse: Converse, caller: Caller, incoming: Any, bounds: Bounds
) -> AsyncIterator[Any]:
    """Yield the frames of this end. A reader that stops, because the other end is gone, ends the stream."""
    outbox: Outbox[Any] = Outbox(bounds.queue)
    talking = asyncio.get_running_loop().create_task(
        _close_after(converse(caller, _read(incoming), outbox), outbox)
    )
    try:
        async for frame in outbox:
            yield frame
    finally:
        outbox.close(now=True)
        talking.cancel()
        await asyncio.wait([talking])


async def _close_after(talk: Awaitable[None], outbox: Outbox[Any]) -> None:
    try:
        await talk
    finally:
        outbox.close()


class HooksService(rpc.HooksServicer):
    """Serves an engine's decisions."""

    def __init__(self, firing: FireService, bounds: Bounds, *, token: str = "") -> None:
        self._firing = firing
        self._bounds = bounds
        self._token = token

    async def Fire(self, request: pb.FireRequest, context: Any) -> pb.FireReply:  # noqa: N802 - the service's name
        await self._admit(context)
        return await self._firing.fire(request)

    async def FireStream(self, incoming: Any, context: Any) -> AsyncIterator[pb.FireReply]:  # noqa: N802 - the service's name
        await self._admit(context)
        outbox: Outbox[pb.FireReply] = Outbox(self._bounds.queue)
        firing = asyncio.get_running_loop().create_task(
            _close_after(self._firing.stream(_read(incoming), outbox), outbox)
        )
        try:
            async for reply in outbox:
                yield reply
        finally:
            firing.cancel()
            await asyncio.wait([firing])

    async def Answer(self, request: pb.AnswerRequest, context: Any) -> pb.AnswerReply:  # noqa: N802 - the service's name
        await self._admit(context)
        try:
            return await self._firing.answer(request)
        except HookError as error:
            await context.abort(
                _STATUS.get(error.name, grpc.StatusCode.INVALID_ARGUMENT), f"{error.code}: {error}"
            )
            raise  # abort has raised

    async def _admit(self, context: Any) -> None:
        if MODEL_CALL_HEADER in dict(context.invocation_metadata() or ()):
            self._firing.refused(CODES["serve.loop"])
            words = f"{CODES['serve.loop']}: this request comes from inside a hook's model call"
            await context.abort(grpc.StatusCode.FAILED_PRECONDITION, words)
        await _check_token(context, self._token, self._firing.refused)


async def _check_token(
    context: Any, token: str, refused: Callable[[str], object] = lambda _: None
) -> None:
    """Refuse a caller without the token; `refused` receives the code."""
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
    """Yield what the other end sends; raise LinkError if the stream breaks, as all transports do."""
    try:
        async for frame in incoming:
            yield frame
    except aio.AioRpcError as error:
        raise LinkError(_describe_error(error)) from None
    except (aio.UsageError, aio.InternalError, aio.BaseError) as error:
        raise LinkError(str(error).lower()) from None


def _describe_error(error: aio.AioRpcError) -> str:
    return _format_status(error.code(), error.details())


def _format_status(code: Any, details: str | None) -> str:
    return f"{code.name.lower().replace('_', ' ')}: {details or ''}".rstrip(": ")[:300]


# -- a server --------------------------------------------------------------------------------------------------------------


async def start_server(
    address: Address,
    bounds: Bounds,
    *,
    bridge: BridgeService | None = None,
    hooks: HooksService | None = None,
) -> tuple[aio.Server, int]:
    """Start a server; return it with its port.

    Raises:
        ConfigError: the address cannot be opened.
    """
    server = aio.server(options=channel_options(bounds))
    if bridge is not None:
        rpc.add_HookBridgeServicer_to_server(bridge, server)
    if hooks is not None:
        rpc.add_HooksServicer_to_server(hooks, server)
    try:
        if address.way == UNIX:
            with reserve_path(address.path):
                port = server.add_insecure_port(address.target)
                await server.start()
        else:
            port = server.add_insecure_port(address.target)
            await server.start()
    except RuntimeError as error:
        await server.stop(None)
        hint = "another server may listen there, or the folder is missing"
        raise ConfigError(
            f"cannot listen on `{address.text}`", name="remote.address", hint=hint
        ) from error
    return server, port


# -- streams to others -----------------------------------------------------------------------------------------------------


def channel(target: str, bounds: Bounds) -> aio.Channel:
    return aio.insecure_channel(target, options=channel_options(bounds))


def metadata(token: str) -> tuple[tuple[str, str], ...]:
    """Return the metadata that carries a token."""
    return (("authorization", f"Bearer {token}"),) if token else ()


@asynccontextmanager
async def open_grpc_stream(
    target: str, method: str, outbox: Outbox[Any], bounds: Bounds, token: str = ""
) -> AsyncIterator[AsyncIterator[Any]]:
    """Open a stream to a server: posted messages are sent, and incoming ones are yielded."""
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
            if method != "attach":  # there, the first frame is the proof
                await _wait_for_admission(call)
            yield _read(call)
        finally:
            outbox.close()
            call.cancel()
    finally:
        await line.close(None)


async def _wait_for_admission(call: Any) -> None:
    """Wait until the server admits a stream.

    Raises:
        LinkError: it does not.
    """
    if _LET_IN in tuple(await call.initial_metadata() or ()):
        return
    ended = asyncio.get_running_loop().create_task(call.code())
    await asyncio.wait([ended], timeout=_PATIENCE)
    if ended.done():
        raise LinkError(_format_status(ended.result(), await call.details()))
    ended.cancel()


def to_link_error(error: aio.AioRpcError) -> LinkError:
    """Return the error of a failed call, as all transports report it."""
    return LinkError(_describe_error(error))
