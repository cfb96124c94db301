"""Transport over gRPC: the bridge's two services, listeners for them, and streams and calls to others; all on the loop of `hookline.remote`."""

from __future__ import annotations

import asyncio
import hmac
import os
import tempfile
from contextlib import AsyncExitStack, asynccontextmanager, nullcontext, suppress
from functools import partial
from typing import TYPE_CHECKING, Any

import grpc
from grpc import aio

from hookline.errors import CODES, ConfigError, HookError
from hookline.handlers.recursion_guard import MODEL_CALL_HEADER
from hookline.remote import vsock
from hookline.remote.addresses import (
    TCP,
    VSOCK,
    listen_unix,
    parse_address,
    remove_socket,
    reserve_path,
)
from hookline.remote.proto import bridge_pb2_grpc as rpc
from hookline.remote.stream import LinkError, Outbox

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Awaitable, Callable

    from hookline.remote.fire_service import FireService
    from hookline.remote.limits import Bounds
    from hookline.remote.proto import bridge_pb2 as pb

    Converse = Callable[[AsyncIterator[Any], Outbox[Any]], Awaitable[None]]

_PATIENCE = 1.0  # seconds for streams to end by themselves, and for the status of a call that was probably refused
# A server's mark on a stream that it admitted. A client that wrote before its refusal would never
# learn the reason.
_ADMITTED = ("hookline", "in")
# The status of a refusal that is not the caller's fault.
_STATUS = {
    "serve.busy": grpc.StatusCode.RESOURCE_EXHAUSTED,
    "serve.ending": grpc.StatusCode.UNAVAILABLE,
    "internal": grpc.StatusCode.INTERNAL,
}


def _channel_options(bounds: Bounds) -> list[tuple[str, int]]:
    ping = round(bounds.ping * 1000)
    return [
        ("grpc.max_receive_message_length", bounds.frame),
        ("grpc.max_send_message_length", bounds.frame),
        ("grpc.so_reuseport", 0),  # otherwise another process could listen there too
        ("grpc.enable_http_proxy", 0),  # a proxy from the environment must not see local calls
        ("grpc.enable_retries", 0),
        ("grpc.use_local_subchannel_pool", 1),
        ("grpc.initial_reconnect_backoff_ms", 100),
        ("grpc.max_reconnect_backoff_ms", 4000),
        ("grpc.keepalive_time_ms", ping),
        ("grpc.http2.ping_timeout_ms", ping),  # one that is already under way counts too
        ("grpc.keepalive_timeout_ms", ping),
        ("grpc.http2.max_pings_without_data", 0),
        ("grpc.http2.min_ping_interval_without_data_ms", ping // 2),
    ]


# -- the services ----------------------------------------------------------------------------------


class BridgeService(rpc.HookBridgeServicer):
    """Streams of handlers that connect (`attach`), or of an engine that does (`serve`), if this process accepts them."""

    def __init__(
        self, bounds: Bounds, token: str, attach: Converse | None, serve: Converse | None
    ) -> None:
        self._bounds = bounds
        self._token = token
        self._attach = attach
        self._serve = serve

    async def Attach(self, incoming: Any, context: Any) -> AsyncIterator[pb.EngineFrame]:  # noqa: N802 - the service's name
        """Serve handlers; their Hello identifies them."""
        if self._attach is None:
            await context.abort(grpc.StatusCode.UNIMPLEMENTED, "no engine is here")
        else:
            async for frame in _run_stream(self._attach, incoming, self._bounds):
                yield frame

    async def Serve(self, incoming: Any, context: Any) -> AsyncIterator[pb.HandlerFrame]:  # noqa: N802 - the service's name
        """Serve an engine; if others could connect too, it shows the token first."""
        await _admit(context, self._token)
        if self._serve is None:
            await context.abort(grpc.StatusCode.UNIMPLEMENTED, "no handlers are here")
        else:
            async for frame in _run_stream(self._serve, incoming, self._bounds):
                yield frame


class HooksService(rpc.HooksServicer):
    """Serves an engine's decisions."""

    def __init__(self, firing: FireService, bounds: Bounds, token: str) -> None:
        self._firing = firing
        self._bounds = bounds
        self._token = token

    # The service's name.
    async def Fire(self, request: pb.FireRequest, context: Any) -> pb.FireReply:  # noqa: N802
        await _admit(context, self._token, self._firing.refused)
        return await self._firing.fire(request)

    async def FireStream(self, incoming: Any, context: Any) -> AsyncIterator[pb.FireReply]:  # noqa: N802 - the service's name
        await _admit(context, self._token, self._firing.refused)
        async for reply in _run_stream(self._firing.stream, incoming, self._bounds):
            yield reply

    # The service's name.
    async def Answer(self, request: pb.AnswerRequest, context: Any) -> pb.AnswerReply:  # noqa: N802
        await _admit(context, self._token, self._firing.refused)
        try:
            return await self._firing.answer(request)
        except HookError as error:
            status = _STATUS.get(error.name, grpc.StatusCode.INVALID_ARGUMENT)
            await context.abort(status, f"{error.code}: {error}")
            raise  # abort has raised


async def _admit(
    context: Any, token: str, refused: Callable[[str], object] = lambda _: None
) -> None:
    """Refuse a caller without the token, if one is needed, or from inside a hook's model call.

    `refused` receives the code.
    """
    sent = dict(context.invocation_metadata() or ())
    given = str(sent.get("authorization", "")).encode("utf-8", "replace")
    if MODEL_CALL_HEADER in sent:
        code, status = CODES["serve.loop"], grpc.StatusCode.FAILED_PRECONDITION
        words = "this request comes from inside a hook's model call"
    elif token and not hmac.compare_digest(given, f"Bearer {token}".encode()):
        code, status = CODES["remote.token"], grpc.StatusCode.UNAUTHENTICATED
        words = "the token is missing or wrong"
    else:
        await context.send_initial_metadata((_ADMITTED,))
        return
    refused(code)
    await context.abort(status, f"{code}: {words}")


async def _run_stream(converse: Converse, incoming: Any, bounds: Bounds) -> AsyncIterator[Any]:
    """Yield the frames of this end.

    A reader that stops, because the other end is gone, ends the stream.
    """
    outbox: Outbox[Any] = Outbox(bounds.queue)
    talking = asyncio.ensure_future(converse(_read(incoming), outbox))
    talking.add_done_callback(lambda _: outbox.close())
    try:
        async for frame in outbox:
            yield frame
    finally:
        outbox.close(now=True)
        talking.cancel()
        await asyncio.wait([talking])


async def _read(incoming: Any) -> AsyncIterator[Any]:
    """Yield what the other end sends; raise LinkError if the stream breaks."""
    try:
        async for frame in incoming:
            yield frame
    except aio.AioRpcError as error:
        raise _make_link_error(error.code(), error.details()) from None
    except (aio.UsageError, aio.InternalError, aio.BaseError) as error:
        raise LinkError(str(error).lower()) from None


def _make_link_error(code: Any, details: str | None) -> LinkError:
    status = code.name.lower().replace("_", " ")
    return LinkError(f"{status}: {details or ''}".rstrip(": ")[:300])


# -- listening -------------------------------------------------------------------------------------


@asynccontextmanager
async def listen(
    address: str,
    bounds: Bounds,
    token: str,
    *,
    token_everywhere: bool = False,
    attach: Callable[..., Awaitable[None]] | None = None,
    serve: Converse | None = None,
    firing: FireService | None = None,
) -> AsyncIterator[str]:
    """Listen within a block, at the address that is yielded as a client writes it.

    For vsock by a relay to a private socket.

    `attach` serves handlers that connect, `serve` an engine that does, and `firing` agents.
    `token_everywhere`: even a unix socket needs the token.

    Raises:
        ConfigError: the address cannot be opened, or others could reach it and there is no token.
    """
    place = parse_address(address)
    proven = place.proven and not token_everywhere
    if not proven and not token:
        words = f"`{address}` can be reached by others, and needs a token"
        raise ConfigError(words, name="remote.token", hint="or listen on unix:PATH")
    needed = "" if proven else token
    server = aio.server(options=_channel_options(bounds))
    attaching = partial(attach, proven=proven) if attach else None
    bridge = BridgeService(bounds, needed, attaching, serve)
    rpc.add_HookBridgeServicer_to_server(bridge, server)
    if firing is not None:
        rpc.add_HooksServicer_to_server(HooksService(firing, bounds, needed), server)
    async with AsyncExitStack() as stack:
        target, path = place.target, place.path
        if place.way == VSOCK:
            accept = stack.enter_context(vsock.listen(place.cid, place.port))
            path = f"{stack.enter_context(_private_folder())}/bridge"
            target = f"unix:{path}"
            dial = partial(asyncio.open_unix_connection, path)
            await stack.enter_async_context(vsock.relay(accept, dial))
        stack.push_async_callback(server.stop, _PATIENCE)
        try:
            with reserve_path(path) if path else nullcontext():
                port = server.add_insecure_port(target)
                await server.start()
        except RuntimeError as error:
            hint = "another server may listen there, or the folder is missing"
            words = f"cannot listen on `{address}`"
            raise ConfigError(words, name="remote.address", hint=hint) from error
        if path:
            stack.callback(remove_socket, path, os.lstat(path))
        yield place.replace(port=port).target if place.way == TCP else address


def _private_folder() -> tempfile.TemporaryDirectory[str]:
    return tempfile.TemporaryDirectory(prefix="hookline-")  # its mode is 0700


# -- streams and calls to others -------------------------------------------------------------------


@asynccontextmanager
async def open_channel(address: str, bounds: Bounds) -> AsyncIterator[aio.Channel]:
    """Open a channel to an address; for vsock by a relay on a private unix socket.

    Raises:
        ConfigError: it is not an address.
    """
    place = parse_address(address)
    async with AsyncExitStack() as stack:
        target = place.target
        if place.way == VSOCK:
            private = f"{stack.enter_context(_private_folder())}/relay"
            target = f"unix:{private}"
            dial = partial(vsock.dial, place.cid, place.port)
            await stack.enter_async_context(vsock.relay(listen_unix(private), dial))
        channel = aio.insecure_channel(target, options=_channel_options(bounds))
        stack.push_async_callback(channel.close, None)
        yield channel


def _make_metadata(token: str) -> tuple[tuple[str, str], ...]:
    return (("authorization", f"Bearer {token}"),) if token else ()


async def call_once(channel: aio.Channel, method: str, request: Any, token: str) -> Any:
    """Return the reply to one request to the service of an engine.

    Raises:
        LinkError: there is none.
    """
    try:
        call = getattr(rpc.HooksStub(channel), method)
        return await call(request, metadata=_make_metadata(token))
    except aio.AioRpcError as error:
        raise _make_link_error(error.code(), error.details()) from None


@asynccontextmanager
async def open_stream(
    channel: aio.Channel, method: str, outbox: Outbox[Any], token: str = "", *, wait: bool = False
) -> AsyncIterator[AsyncIterator[Any]]:
    """Open a stream (`Attach`, `Serve` or `FireStream`): posted messages are sent, and incoming ones are yielded.

    `wait`: until the other side can be reached.

    Raises:
        LinkError: the other side does not answer; or later, while reading, the stream broke.
    """
    stub = rpc.HooksStub(channel) if method == "FireStream" else rpc.HookBridgeStub(channel)
    call = getattr(stub, method)(outbox, metadata=_make_metadata(token), wait_for_ready=wait)
    try:
        if method != "Attach":  # there, the first frame is the proof
            await _wait_for_admission(call)
        yield _read(call)
    finally:
        outbox.close()
        call.cancel()


async def _wait_for_admission(call: Any) -> None:
    """Wait until the server admits a stream.

    Raises:
        LinkError: it does not.
    """
    if _ADMITTED not in tuple(await call.initial_metadata() or ()):
        with suppress(TimeoutError):
            async with asyncio.timeout(_PATIENCE):
                raise _make_link_error(await call.code(), await call.details())
