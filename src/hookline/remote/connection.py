"""Connection: opens a gRPC stream to an address."""

from __future__ import annotations

import tempfile
from contextlib import AsyncExitStack, asynccontextmanager
from typing import TYPE_CHECKING, Any

from hookline.errors import ConfigError
from hookline.remote import vsock
from hookline.remote.addresses import VSOCK, listen_unix, parse_address
from hookline.remote.relay import Relay

if TYPE_CHECKING:
    from collections.abc import AsyncIterator

    from hookline.remote.addresses import Address
    from hookline.remote.limits import Bounds
    from hookline.remote.outbox import Outbox


@asynccontextmanager
async def open_stream(
    address: str,
    method: str,
    outbox: Outbox[Any],
    bounds: Bounds,
    *,
    token: str = "",
) -> AsyncIterator[AsyncIterator[Any]]:
    """Open a stream: posted messages are sent, and incoming ones are yielded.

    Raises:
        ConfigError: it is not an address, or gRPC is not installed.
        LinkError: the other side does not answer; or later, while reading, the stream broke.
    """
    place = parse_address(address)
    async with AsyncExitStack() as stack:
        require_grpc()
        from hookline.remote.grpc_transport import open_grpc_stream  # noqa: PLC0415 - gRPC is an extra

        target = await stack.enter_async_context(resolve_target(place))
        yield await stack.enter_async_context(
            open_grpc_stream(target, method, outbox, bounds, token)
        )


@asynccontextmanager
async def resolve_target(place: Address) -> AsyncIterator[str]:
    """Yield the target for gRPC. What gRPC cannot reach itself gets a relay on a private socket (docs/formats/a3s.md 10.3)."""
    if place.way != VSOCK:
        yield place.target
        return
    with tempfile.TemporaryDirectory(prefix="hookline-") as folder:  # its mode is 0700
        path = f"{folder}/relay"
        async with Relay(listen_unix(path), vsock.dial(place.cid, place.port)):
            yield f"unix:{path}"


def require_grpc() -> None:
    """Check that gRPC is installed.

    Raises:
        ConfigError: it is not.
    """
    from importlib.util import find_spec  # noqa: PLC0415 - rare

    if find_spec("grpc") is None:
        hint = "pip install 'hookline[grpc]'"
        raise ConfigError("gRPC is not installed", name="remote.missing", hint=hint)
