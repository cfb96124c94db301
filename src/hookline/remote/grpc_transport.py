"""The gRPC channels and servers of remote hooks, and the event loop on which they run."""

from __future__ import annotations

import asyncio
import hmac
import os
import threading
from contextlib import AsyncExitStack, asynccontextmanager, nullcontext, suppress
from typing import TYPE_CHECKING, Any, TypeAlias, TypeVar

import grpc
from grpc import aio

from hookline.errors import CODES, ConfigError, HookError
from hookline.remote import vsock
from hookline.remote.addresses import TCP, VSOCK, parse_address, reserve_path
from hookline.remote.messages import PAYLOAD

if TYPE_CHECKING:
    from collections.abc import AsyncIterable, AsyncIterator, Awaitable, Callable, Coroutine
    from concurrent.futures import Future

    Write: TypeAlias = Callable[[Any], Awaitable[None]]


T = TypeVar("T")


class BackgroundLoop:
    """An event loop on a daemon thread, started when it is first needed."""

    def __init__(self) -> None:
        self._reset()
        # A forked child has no thread for the loop.
        os.register_at_fork(after_in_child=self._reset)

    def _reset(self) -> None:
        self._lock = threading.Lock()
        self._loop: asyncio.AbstractEventLoop | None = None

    def submit(self, work: Coroutine[Any, Any, T]) -> Future[T]:
        """Start a coroutine; from any thread."""
        return asyncio.run_coroutine_threadsafe(work, self._start())

    def call_soon(self, call: Callable[..., object], *given: object) -> None:
        """Call a function soon; from any thread."""
        self._start().call_soon_threadsafe(call, *given)

    def run(self, work: Coroutine[Any, Any, T]) -> T:
        """Wait for a coroutine without an event loop; an exception during the wait cancels it."""
        future = self.submit(work)
        try:
            return future.result()
        finally:
            future.cancel()

    async def wait(self, work: Coroutine[Any, Any, T]) -> T:
        """Wait for a coroutine on any event loop; a cancellation passes through."""
        if self._loop is asyncio.get_running_loop():
            return await work
        return await asyncio.wrap_future(self.submit(work))

    def _start(self) -> asyncio.AbstractEventLoop:
        with self._lock:
            if self._loop is None:
                self._loop = asyncio.new_event_loop()
                thread = threading.Thread(target=_run_forever, args=(self._loop,), daemon=True)
                thread.start()
            return self._loop


def _run_forever(loop: asyncio.AbstractEventLoop) -> None:
    """Run as long as the process; what would end it ends only the task that raised it."""
    while True:
        with suppress(KeyboardInterrupt, SystemExit):
            loop.run_forever()


REMOTE = BackgroundLoop()


_PING = 10_000  # ms between two pings of a connection, and for the answer
_FRAME = PAYLOAD + (1 << 16)  # bytes of a frame
_CALLS = 1024  # at once, at one address
_NAMES = {code: name for name, code in CODES.items()}


def _channel_options() -> list[tuple[str, int]]:
    return [
        ("grpc.max_receive_message_length", _FRAME),
        ("grpc.max_send_message_length", _FRAME),
        ("grpc.so_reuseport", 0),  # otherwise another process could listen there too
        ("grpc.enable_http_proxy", 0),  # a proxy from the environment must not see local calls
        ("grpc.initial_reconnect_backoff_ms", 100),
        ("grpc.max_reconnect_backoff_ms", 4000),
        ("grpc.keepalive_time_ms", _PING),
        ("grpc.http2.ping_timeout_ms", _PING),  # one that is already under way counts too
        ("grpc.keepalive_timeout_ms", _PING),
        ("grpc.http2.max_pings_without_data", 0),
        ("grpc.http2.min_ping_interval_without_data_ms", _PING // 2),
    ]


# -- tokens ----------------------------------------------------------------------------------------


def required_token(address: str, token: str, *, everywhere: bool = False) -> str:
    """Return the token that callers at an address must show; empty where its mode keeps others out.

    `everywhere`: also on a unix socket.

    Raises:
        ConfigError: it is not an address; or others could reach it, and there is no token.
    """
    if parse_address(address).proven and not everywhere:
        return ""
    if not token:
        words = f"`{address}` can be reached by others, and needs a token"
        raise ConfigError(words, name="remote.token", hint="or listen on unix:PATH")
    return token


def make_metadata(token: str) -> tuple[tuple[str, str], ...]:
    """Return the metadata by which a call shows its token."""
    return (("authorization", f"Bearer {token}"),) if token else ()


class TokenCheck(aio.ServerInterceptor):  # type: ignore[type-arg]  # at runtime it takes none
    """Refuses calls without the token, if one is needed; `refused` receives the code."""

    def __init__(self, token: str, refused: Callable[[str], object] = lambda _: None) -> None:
        self._expected = f"Bearer {token}".encode() if token else b""
        self._refused = refused

    async def intercept_service(self, continuation: Any, call: Any) -> Any:
        """Return what serves a call."""
        given = str(dict(call.invocation_metadata).get("authorization", "")).encode()
        if not self._expected or hmac.compare_digest(given, self._expected):
            return await continuation(call)
        return grpc.stream_stream_rpc_method_handler(self._refuse)

    async def _refuse(self, _: Any, context: Any) -> None:
        code = CODES["remote.token"]
        self._refused(code)
        words = f"{code}: the token is missing or wrong"
        await context.abort(grpc.StatusCode.UNAUTHENTICATED, words)


# -- listening and connecting ----------------------------------------------------------------------


@asynccontextmanager
async def listen(
    address: str, checks: TokenCheck, add: Callable[[aio.Server], object]
) -> AsyncIterator[str]:
    """Listen within a block, at the address that is yielded as a client writes it.

    `add` adds the services to the server.

    Raises:
        ConfigError: the address cannot be opened.
    """
    place = parse_address(address)
    server = aio.server(
        interceptors=[checks], options=_channel_options(), maximum_concurrent_rpcs=_CALLS
    )
    add(server)
    async with AsyncExitStack() as stack:
        target = place.target
        if place.way == VSOCK:
            relay = vsock.relay(place.cid, place.port, inward=True)
            target = await stack.enter_async_context(relay)
        stack.push_async_callback(server.stop, None)
        try:
            is_tcp = place.way == TCP
            with nullcontext() if is_tcp else reserve_path(target.removeprefix("unix:")):
                port = server.add_insecure_port(target)
                await server.start()
        except RuntimeError as error:
            hint = "another server may listen there, or the folder is missing"
            words = f"cannot listen on `{address}`"
            raise ConfigError(words, name="remote.address", hint=hint) from error
        yield f"{target.rpartition(':')[0]}:{port}" if is_tcp else address


@asynccontextmanager
async def open_channel(address: str) -> AsyncIterator[aio.Channel]:
    """Open a channel to an address, which connects with its first call, and again after a loss.

    Raises:
        ConfigError: it is not an address.
    """
    place = parse_address(address)
    async with AsyncExitStack() as stack:
        target = place.target
        if place.way == VSOCK:
            relay = vsock.relay(place.cid, place.port, inward=False)
            target = await stack.enter_async_context(relay)
        channel = aio.insecure_channel(target, options=_channel_options())
        yield await stack.enter_async_context(channel)


# -- streams ---------------------------------------------------------------------------------------


async def admit(context: Any) -> None:
    """Tell the caller of a stream that it may write: before a refusal it must not.

    If it has written, gRPC replaces the reason of the refusal by an internal error.
    """
    await context.send_initial_metadata((("hookline", "in"),))


async def wait_for_admission(call: Any) -> None:
    """Wait until a stream may be written to, or has ended."""
    if not await call.initial_metadata():  # refused: the status comes next
        await call.code()


async def exchange(
    incoming: AsyncIterable[Any],
    frames: asyncio.Queue[Any],
    write: Write,
    take: Write,
) -> None:
    """Write the frames of the queue, and pass incoming ones to `take`, until the stream ends.

    Raises:
        HookError: the stream broke.
    """

    async def write_all() -> None:
        while True:
            await write(await frames.get())
            frames.task_done()

    writing = asyncio.ensure_future(write_all())
    try:
        async for frame in incoming:
            await take(frame)
    except (grpc.RpcError, aio.BaseError) as error:
        raise make_grpc_error(error) from None
    finally:
        writing.cancel()
        await asyncio.gather(writing, return_exceptions=True)


def make_grpc_error(error: Exception) -> HookError:
    """Return an error of gRPC as one of ours."""
    if isinstance(error, aio.AioRpcError):
        return make_error(error.details() or error.code().name.lower())
    return make_error(str(error))


def make_error(words: str) -> HookError:
    """Return the error of the other end, which begins with its code; without one, there is none."""
    code, _, message = words.partition(": ")
    if name := _NAMES.get(code):
        return HookError(message, name=name)
    hint = "nothing was decided; a gate must deny"
    return HookError(f"cannot be reached: {words[:300]}", name="remote.unreachable", hint=hint)
