"""Listening: an address at which an engine is asked and attached to, or at which handlers wait for an engine."""

from __future__ import annotations

import asyncio
import os
import tempfile
from contextlib import AsyncExitStack
from typing import TYPE_CHECKING, Any

from hookline.errors import ConfigError
from hookline.remote import vsock
from hookline.remote.addresses import TCP, UNIX, VSOCK, Address, parsed, remove
from hookline.remote.dialling import need_grpc
from hookline.remote.relay import Relay
from hookline.remote.session import Session
from hookline.remote.talking import Caller

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Callable

    from hookline.remote.bounds import Bounds
    from hookline.remote.bridge import Bridge
    from hookline.remote.firing import Firing
    from hookline.remote.handlers import Handlers, Seat
    from hookline.remote.outbox import Outbox
    from hookline.remote.overgrpc import BridgeService, HooksService


_PATIENCE = 1.0  # seconds, for the streams of a server to end by themselves


class Listening:
    """An address that is listened on, by its name as a client writes it, and the way to end that."""

    def __init__(self, name: str, stack: AsyncExitStack) -> None:
        self.name = name
        self._stack = stack

    async def close(self) -> None:
        """Accept nothing more, and break off what there is."""
        await self._stack.aclose()


async def serve_engine_at(
    text: str, bridge: Bridge, firing: Firing, token: str = "", *, everybody: bool = False
) -> Listening:
    """Listen for handlers that attach, and for agents that ask. `everybody`: a unix socket proves nothing, either.

    Raises:
        ConfigError: the address cannot be listened on, or others could reach it too and there is no token.
    """
    place = parsed(text)
    proven = place.proven and not everybody
    if not proven and not token:
        raise ConfigError(
            f"`{text}` can be reached by others, and needs a token",
            name="remote.token",
            hint="or listen on unix:PATH",
        )
    caller = Caller(name=text, proven=proven)
    need_grpc()
    from hookline.remote.overgrpc import BridgeService, HooksService  # noqa: PLC0415 - gRPC, which not everybody has

    asked = "" if proven else token
    hooks = HooksService(firing, bridge.bounds, token=asked)
    return await _grpc(
        place, bridge.bounds, BridgeService(caller, bridge.bounds, attach=bridge.converse), hooks
    )


async def serve_handlers(
    handlers: Handlers, seat: Seat, text: str, token: str, ready: Callable[[str], object]
) -> None:
    """Wait for an engine that dials, until it is cancelled.

    Raises:
        ConfigError: as `serve_engine_at`.
    """
    place = parsed(text)
    if not place.proven and not token:
        raise ConfigError(
            f"`{text}` can be reached by others, and needs a token",
            name="remote.token",
            hint="or listen on unix:PATH",
        )

    async def converse(_: Caller, incoming: AsyncIterator[Any], outbox: Outbox[Any]) -> None:
        await handlers.converse(seat, Session(handlers, seat, outbox, token), incoming, outbox)

    caller = Caller(name=text, proven=place.proven)
    need_grpc()
    from hookline.remote.overgrpc import BridgeService  # noqa: PLC0415 - gRPC, which not everybody has

    asked = "" if place.proven else token
    service = BridgeService(caller, handlers.bounds, serve=converse, token=asked)
    listening = await _grpc(place, handlers.bounds, service, None)
    try:
        ready(listening.name)
        await asyncio.Event().wait()
    finally:
        await listening.close()


# -- gRPC ------------------------------------------------------------------------------------------------------------------


async def _grpc(
    place: Address, bounds: Bounds, bridge: BridgeService, hooks: HooksService | None
) -> Listening:
    from hookline.remote.overgrpc import served  # noqa: PLC0415 - as above

    stack = AsyncExitStack()
    try:
        if place.way == VSOCK:
            return await _over_vsock(place, bounds, bridge, hooks, stack)
        server, port = await served(place, bounds, bridge=bridge, hooks=hooks)
        if place.way == UNIX:
            stack.callback(remove, place.path, os.lstat(place.path))
        stack.push_async_callback(server.stop, _PATIENCE)
    except BaseException:
        await stack.aclose()
        raise
    return Listening(place.replace(port=port).target if place.way == TCP else place.text, stack)


async def _over_vsock(
    place: Address,
    bounds: Bounds,
    bridge: BridgeService,
    hooks: HooksService | None,
    stack: AsyncExitStack,
) -> Listening:
    """Listen on vsock and relay to a private unix socket, because the wheels of gRPC refuse vsock (docs/formats/a3s.md 10.3)."""
    from hookline.remote.overgrpc import served  # noqa: PLC0415 - as above

    listening = vsock.listener(place.cid, place.port)
    stack.callback(listening.close)
    folder = stack.enter_context(
        tempfile.TemporaryDirectory(prefix="hookline-")
    )  # its mode is 0700
    private = Address(text=f"unix:{folder}/bridge", way=UNIX, path=f"{folder}/bridge")
    server, _ = await served(private, bounds, bridge=bridge, hooks=hooks)
    stack.push_async_callback(server.stop, _PATIENCE)
    await stack.enter_async_context(Relay(listening, vsock.dial_unix(private.path)))
    return Listening(place.text, stack)
