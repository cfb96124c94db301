"""Engine server: opens an engine at some addresses for handlers that attach and agents that ask."""

from __future__ import annotations

import asyncio
import random
from contextlib import AsyncExitStack, suppress
from typing import TYPE_CHECKING, Any

from hookline.remote.addresses import parse_address
from hookline.remote.admission import Admission
from hookline.remote.bridge import Bridge
from hookline.remote.event_loop import REMOTE
from hookline.remote.fire_service import FireService
from hookline.remote.grpc_transport import listen, open_channel, open_stream
from hookline.remote.limits import Bounds
from hookline.remote.stream import LinkError, Outbox

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable, Iterable, Mapping, Sequence
    from concurrent.futures import Future
    from typing import Self

    from hookline.engine.engine import Engine
    from hookline.model.event import Event
    from hookline.model.verdict import Decision
    from hookline.remote.proto import bridge_pb2 as pb


class Opened:
    """An open engine: its `bridge`, and the `addresses` at which clients reach it."""

    def __init__(self, bridge: Bridge, firing: FireService) -> None:
        self.bridge = bridge
        self.addresses: list[str] = []
        self._firing = firing
        self._listening = AsyncExitStack()
        self._dialling: list[Future[None]] = []

    def dial(self, address: str, *, token: str = "") -> None:
        """Connect to handlers that listen, and again after each loss.

        Raises:
            ConfigError: it is not an address.
        """
        proven = parse_address(address).proven
        dialling = self._stay_connected(address, token, proven=proven)
        self._dialling.append(REMOTE.submit(dialling))

    async def _stay_connected(self, address: str, token: str, *, proven: bool) -> None:
        bridge = self.bridge
        async with open_channel(address, bridge.bounds) as channel:
            while not bridge.closed:
                outbox: Outbox[pb.EngineFrame] = Outbox(bridge.bounds.queue)
                opening = open_stream(channel, "Serve", outbox, token, wait=True)
                with suppress(LinkError):
                    async with opening as incoming:
                        await bridge.converse(incoming, outbox, proven=proven)
                await asyncio.sleep(random.uniform(0.1, 1.0))  # noqa: S311 - no secret

    async def open_all(
        self, addresses: Sequence[str], token: str, *, token_everywhere: bool
    ) -> None:
        """Listen at all of the addresses, or at none.

        Raises:
            ConfigError: one of them cannot be opened.
        """
        try:
            for address in addresses:
                listening = listen(
                    address,
                    self.bridge.bounds,
                    token,
                    token_everywhere=token_everywhere,
                    attach=self.bridge.converse,
                    firing=self._firing,
                )
                self.addresses.append(await self._listening.enter_async_context(listening))
        except BaseException:
            await self.close_async(0.0)
            raise

    async def close_async(self, drain: float) -> None:
        """Do what `close` does, on the bridge's event loop."""
        # Both at once: a running event may wait for an attached handler.
        await asyncio.gather(self._firing.close(drain), self.bridge.close_async(drain))
        for dialling in self._dialling:
            dialling.cancel()
        await asyncio.sleep(0)  # the last frames are being sent
        await self._listening.aclose()

    def close(self, drain: float = 10.0) -> None:
        """Say goodbye, wait at most `drain` seconds for running events, and close.

        Gates stay closed.
        """
        REMOTE.run(self.close_async(drain))

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *error: object) -> None:
        self.close()


def serve_engine(
    engine: Engine,
    *addresses: str,
    token: str = "",
    tokens: Mapping[str, str] | None = None,
    token_everywhere: bool = False,
    own: Callable[[], Mapping[str, Engine]] = dict,
    most: int = 64,
    turns: Admission | None = None,
    seconds: float = 600.0,
    bounds: Bounds | None = None,
    expected: Iterable[str] = (),
    refused: Callable[[str], object] = lambda _: None,
    elsewhere: Callable[[Engine, Event, Decision], Awaitable[Decision]] | None = None,
    tell: Callable[[str], object] = lambda _: None,
) -> Opened:
    """Open an engine to handlers that attach and to agents that ask.

    Close the result, or use it in a `with`.

    `token`: demanded from callers that do not use a unix socket; with `token_everywhere`, from
    these too, as where a virtual machine monitor connects for its guest. `tokens`: of single
    instances. `own` returns the engines for hosts whose own files start this server; a new one gets
    the hooks of the first. `most`: concurrent events; a further one waits at most half a minute.
    `turns`: a limit that is shared with other entrances of this engine, instead. `seconds`: for all
    hooks of one event. `expected`: names of handlers whose gates stay closed until they first
    attach. `refused`, `elsewhere` and `tell`: as for `FireService`.

    Raises:
        ConfigError: an address cannot be opened, or needs a token or an extra; or a name is
            invalid.
    """
    bounds = bounds or Bounds()

    async def open_all() -> Opened:
        firing = FireService(
            engine,
            own=own,
            turns=turns or Admission(most),
            seconds=seconds,
            largest=bounds.payload,
            refused=refused,
            elsewhere=elsewhere,
            tell=tell,
        )
        bridge = Bridge(
            engine,
            others=lambda: own().values(),
            token=token,
            tokens=tokens,
            bounds=bounds,
            expected=expected,
        )
        opened = Opened(bridge, firing)
        await opened.open_all(addresses, token, token_everywhere=token_everywhere)
        return opened

    return REMOTE.run(open_all())


class GrpcService:
    """`serve_engine` for a program with several services: `await start(...)`, and finally `await stop(drain)`.

    `open` and `close` do the same without an event loop.
    """

    def __init__(self) -> None:
        self.opened: Opened | None = None

    def open(
        self,
        engine: Engine,
        addresses: Sequence[str],
        token: str = "",
        most: int = 64,
        seconds: float = 600.0,
        **options: Any,
    ) -> list[str]:
        """Listen at the addresses; return them as clients write them.

        `options`: the others of `serve_engine`.

        Raises:
            ConfigError: as `serve_engine`.
        """
        self.opened = serve_engine(
            engine, *addresses, token=token, most=most, seconds=seconds, **options
        )
        return self.opened.addresses

    def close(self, drain: float = 10.0) -> None:
        """Wait at most `drain` seconds for running events, and close."""
        opened, self.opened = self.opened, None
        if opened is not None:
            opened.close(drain)

    async def start(
        self, engine: Engine, addresses: Sequence[str], *given: Any, **options: Any
    ) -> list[str]:
        """Do what `open` does, from any event loop."""
        return await asyncio.to_thread(self.open, engine, addresses, *given, **options)

    async def stop(self, drain: float = 10.0) -> None:
        """Do what `close` does, from any event loop."""
        await asyncio.to_thread(self.close, drain)
