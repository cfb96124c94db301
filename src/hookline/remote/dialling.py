"""Dialling: a gRPC stream to an address."""

from __future__ import annotations

import tempfile
from contextlib import AsyncExitStack, asynccontextmanager
from typing import TYPE_CHECKING, Any

from hookline.errors import ConfigError
from hookline.remote import vsock
from hookline.remote.addresses import VSOCK, parsed, unix_listener
from hookline.remote.relay import Relay

if TYPE_CHECKING:
    from collections.abc import AsyncIterator

    from hookline.remote.addresses import Address
    from hookline.remote.bounds import Bounds
    from hookline.remote.outbox import Outbox


@asynccontextmanager
async def dialled(
    address: str,
    method: str,
    outbox: Outbox[Any],
    bounds: Bounds,
    *,
    token: str = "",
) -> AsyncIterator[AsyncIterator[Any]]:
    """One stream: what is posted is sent, and the messages that come in are yielded.

    Raises:
        ConfigError: it is no address, or gRPC is not installed.
        LinkError: nobody is there; or later, from what is yielded, that it broke.
    """
    place = parsed(address)
    async with AsyncExitStack() as stack:
        need_grpc()
        from hookline.remote.overgrpc import streamed  # noqa: PLC0415 - gRPC, which not everybody has

        target = await stack.enter_async_context(reached(place))
        yield await stack.enter_async_context(streamed(target, method, outbox, bounds, token))


@asynccontextmanager
async def reached(place: Address) -> AsyncIterator[str]:
    """What gRPC dials for an address. What it cannot dial itself it reaches by a relay on a private socket (docs/formats/a3s.md 10.3)."""
    if place.way != VSOCK:
        yield place.target
        return
    with tempfile.TemporaryDirectory(prefix="hookline-") as folder:  # its mode is 0700
        path = f"{folder}/relay"
        async with Relay(unix_listener(path), vsock.dial(place.cid, place.port)):
            yield f"unix:{path}"


def need_grpc() -> None:
    """Say what to install, where gRPC is missing.

    Raises:
        ConfigError: it is.
    """
    from importlib.util import find_spec  # noqa: PLC0415 - rare

    if find_spec("grpc") is None:
        hint = "pip install 'hookline[grpc]'"
        raise ConfigError("gRPC is not installed", name="remote.missing", hint=hint)
