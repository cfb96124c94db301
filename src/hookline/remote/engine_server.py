"""Engine server: opens an engine at some addresses for handlers that attach and agents that ask."""

from __future__ import annotations

import asyncio
import random
from contextlib import AbstractContextManager, AsyncExitStack
from typing import TYPE_CHECKING, Any

from hookline.remote.bridge import Bridge
from hookline.remote.event_loop import REMOTE
from hookline.remote.fire_service import FireService
from hookline.remote.grpc_transport import (
    TokenCheck,
    listen,
    make_metadata,
    open_channel,
    required_token,
)
from hookline.remote.proto import bridge_pb2_grpc as rpc

if TYPE_CHECKING:
    from collections.abc import Iterable

    from grpc import aio

    from hookline.engine.engine import Engine


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
