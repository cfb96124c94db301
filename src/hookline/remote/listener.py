"""Listener: an address where an engine accepts events and handlers, or where handlers wait for an engine."""

from __future__ import annotations

import asyncio
import os
import tempfile
from contextlib import AsyncExitStack
from typing import TYPE_CHECKING

from hookline.errors import ConfigError
from hookline.remote import vsock
from hookline.remote.addresses import TCP, UNIX, VSOCK, Address, parse_address, remove_socket
from hookline.remote.connection import require_grpc
from hookline.remote.relay import Relay
from hookline.remote.stream import Caller

if TYPE_CHECKING:
    from collections.abc import Callable

    from hookline.remote.bridge import Bridge
    from hookline.remote.fire_service import FireService
    from hookline.remote.grpc_transport import BridgeService, Converse, HooksService
    from hookline.remote.limits import Bounds


_PATIENCE = 1.0  # seconds for the streams of a server to end by themselves


class Listener:
    """An open address, by its name as a client writes it."""

    def __init__(self, name: str, stack: AsyncExitStack) -> None:
        self.name = name
        self._stack = stack

    async def close(self) -> None:
        """Accept nothing more, and end the open streams."""
        await self._stack.aclose()


async def serve_engine_at(
    text: str, bridge: Bridge, firing: FireService, token: str = "", *, everybody: bool = False
) -> Listener:
    """Listen for handlers that attach, and for agents that ask. `everybody`: even a unix socket needs the token.

    Raises:
        ConfigError: the address cannot be opened, or others could reach it and there is no token.
    """
    place = parse_address(text)
    proven = place.proven and not everybody
    if not proven and not token:
        raise ConfigError(
            f"`{text}` can be reached by others, and needs a token",
            name="remote.token",
            hint="or listen on unix:PATH",
        )
    caller = Caller(name=text, proven=proven)
    require_grpc()
    from hookline.remote.grpc_transport import BridgeService, HooksService  # noqa: PLC0415 - gRPC is an extra

    asked = "" if proven else token
    hooks = HooksService(firing, bridge.bounds, token=asked)
    return await _listen_grpc(
        place, bridge.bounds, BridgeService(caller, bridge.bounds, attach=bridge.converse), hooks
    )


async def serve_handlers(
    converse: Converse, bounds: Bounds, text: str, token: str, ready: Callable[[str], object]
) -> None:
    """Wait for an engine that connects, until cancelled; `converse` serves each of its streams.

    Raises:
        ConfigError: as `serve_engine_at`.
    """
    place = parse_address(text)
    if not place.proven and not token:
        raise ConfigError(
            f"`{text}` can be reached by others, and needs a token",
            name="remote.token",
            hint="or listen on unix:PATH",
        )

    caller = Caller(name=text, proven=place.proven)
    require_grpc()
    from hookline.remote.grpc_transport import BridgeService  # noqa: PLC0415 - gRPC is an extra

    asked = "" if place.proven else token
    service = BridgeService(caller, bounds, serve=converse, token=asked)
    listening = await _listen_grpc(place, bounds, service, None)
    try:
        ready(listening.name)
        await asyncio.Event().wait()
    finally:
        await listening.close()


# -- gRPC ------------------------------------------------------------------------------------------------------------------


async def _listen_grpc(
    place: Address, bounds: Bounds, bridge: BridgeService, hooks: HooksService | None
) -> Listener:
    from hookline.remote.grpc_transport import start_server  # noqa: PLC0415 - as above

    stack = AsyncExitStack()
    try:
        if place.way == VSOCK:
            return await _listen_vsock(place, bounds, bridge, hooks, stack)
        server, port = await start_server(place, bounds, bridge=bridge, hooks=hooks)
        if place.way == UNIX:
            stack.callback(remove_socket, place.path, os.lstat(place.path))
        stack.push_async_callback(server.stop, _PATIENCE)
    except BaseException:
        await stack.aclose()
        raise
    return Listener(place.replace(port=port).target if place.way == TCP else place.text, stack)


async def _listen_vsock(
    place: Address,
    bounds: Bounds,
    bridge: BridgeService,
    hooks: HooksService | None,
    stack: AsyncExitStack,
) -> Listener:
    """Listen on vsock and relay to a private unix socket, because gRPC's wheels lack vsock (docs/formats/a3s.md 10.3)."""
    from hookline.remote.grpc_transport import start_server  # noqa: PLC0415 - as above

    listening = vsock.listen(place.cid, place.port)
    stack.callback(listening.close)
    folder = stack.enter_context(
        tempfile.TemporaryDirectory(prefix="hookline-")
    )  # its mode is 0700
    private = Address(text=f"unix:{folder}/bridge", way=UNIX, path=f"{folder}/bridge")
    server, _ = await start_server(private, bounds, bridge=bridge, hooks=hooks)
    stack.push_async_callback(server.stop, _PATIENCE)
    await stack.enter_async_context(Relay(listening, vsock.dial_unix(private.path)))
    return Listener(place.text, stack)
