"""Engine server: opens an engine at some addresses for handlers that attach and agents that ask."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING

from hookline.remote.addresses import parse_address
from hookline.remote.admission import Admission
from hookline.remote.backoff import Backoff
from hookline.remote.bridge import Bridge
from hookline.remote.connection import open_stream
from hookline.remote.event_loop import REMOTE
from hookline.remote.fire_service import FireService
from hookline.remote.limits import Bounds
from hookline.remote.listener import Listener, serve_engine_at
from hookline.remote.outbox import Outbox
from hookline.remote.stream import Caller, LinkError

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable, Iterable, Mapping, Sequence
    from concurrent.futures import Future
    from typing import Self, TypeAlias

    from hookline.engine.engine import Engine
    from hookline.model.event import Event
    from hookline.model.verdict import Decision
    from hookline.remote.proto import bridge_pb2 as pb

    Elsewhere: TypeAlias = Callable[[Engine, Event, Decision], Awaitable[Decision]] | None


class Opened:
    """An open engine: its `bridge`, and the `addresses` at which clients reach it."""

    def __init__(
        self, bridge: Bridge, firing: FireService, token: str, *, everybody: bool = False
    ) -> None:
        self._everybody = everybody
        self.bridge = bridge
        self.addresses: list[str] = []
        self._firing = firing
        self._token = token
        self._listening: list[Listener] = []
        self._dialling: list[Future[None]] = []

    def dial(self, address: str, *, token: str = "") -> None:
        """Connect to handlers that listen, and again after each loss.

        Raises:
            ConfigError: it is not an address.
        """
        place = parse_address(address)
        self._dialling.append(
            REMOTE.submit(
                self._stay_connected(address, token, Caller(name=address, proven=place.proven))
            )
        )

    async def _stay_connected(self, address: str, token: str, caller: Caller) -> None:
        backoff = Backoff()
        while not self.bridge.closed:
            outbox: Outbox[pb.EngineFrame] = Outbox(self.bridge.bounds.queue)
            began = self.bridge.clock()
            try:
                async with open_stream(
                    address, "serve", outbox, self.bridge.bounds, token=token
                ) as incoming:
                    await self.bridge.converse(caller, incoming, outbox)
            except LinkError:
                self.bridge.count("unreached")
            if self.bridge.clock() - began > backoff.most:
                backoff.reset()
            await self.bridge.sleep(backoff.next())

    async def open_all(self, addresses: Sequence[str]) -> None:
        """Listen at all of the addresses, or at none.

        Raises:
            ConfigError: one of them cannot be opened.
        """
        try:
            for address in addresses:
                self._listening.append(
                    await serve_engine_at(
                        address, self.bridge, self._firing, self._token, everybody=self._everybody
                    )
                )
        except BaseException:
            await self.close_async(0.0)
            raise
        self.addresses = [listening.name for listening in self._listening]

    async def close_async(self, drain: float) -> None:
        """Do what `close` does, on the bridge's event loop."""
        # Both at once: a running event may wait for an attached handler.
        await asyncio.gather(self._firing.close(drain), self.bridge.close_async(drain))
        for dialling in self._dialling:
            dialling.cancel()
        await asyncio.sleep(0)  # the last frames are being sent
        for listening in self._listening:
            await listening.close()
        self._listening = []

    def close(self, drain: float = 10.0) -> None:
        """Say goodbye, wait at most `drain` seconds for running events, and close. Gates stay closed."""
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
    everybody: bool = False,
    own: Callable[[], Mapping[str, Engine]] = dict,
    most: int = 64,
    turns: Admission | None = None,
    seconds: float = 600.0,
    bounds: Bounds | None = None,
    expected: Iterable[str] = (),
    trace: Callable[[], str] | None = None,
    refused: Callable[[str], object] = lambda _: None,
    elsewhere: Elsewhere = None,
    tell: Callable[[str], object] = lambda _: None,
) -> Opened:
    """Open an engine to handlers that attach and to agents that ask; close the result, or use it in a `with`.

    `token`: demanded from callers that do not use a unix socket; with `everybody`, from these too, as where a virtual machine monitor
    connects for its guest. `tokens`: of single instances. `own` returns the
    engines for hosts whose own files start this server; a new one gets the hooks of the first. `most`: concurrent events; a
    further one waits at most half a minute. `turns`: a limit that is shared with other entrances of this engine, instead.
    `seconds`: for all hooks of one event. `expected`: names of handlers whose gates stay closed until they first attach.
    `trace` returns the W3C trace context to pass on, if it is not the event's own or that of the current span. `refused`,
    `elsewhere` and `tell`: as for `FireService`.

    Raises:
        ConfigError: an address cannot be opened, or needs a token or an extra; or a name is invalid.
    """
    bounds = bounds or Bounds()
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
    return REMOTE.run(
        _open(
            firing, addresses, token, tokens, bounds, trace, everybody=everybody, expected=expected
        )
    )


async def _open(
    firing: FireService,
    addresses: Sequence[str],
    token: str,
    tokens: Mapping[str, str] | None = None,
    bounds: Bounds | None = None,
    trace: Callable[[], str] | None = None,
    *,
    everybody: bool = False,
    expected: Iterable[str] = (),
) -> Opened:
    own, bounds = firing.own, bounds or Bounds()
    bridge = Bridge(
        firing.engine,
        others=lambda: own().values(),
        token=token,
        tokens=tokens,
        bounds=bounds,
        trace=trace,
        expected=expected,
    )
    opened = Opened(bridge, firing, token, everybody=everybody)
    await opened.open_all(addresses)
    return opened


class GrpcService:
    """`serve_engine` for a program with several services: `await start(...)`, and finally `await stop(drain)`.

    It works from any event loop, because the work runs on that of `hookline.remote`. `open` and `close` need no loop.
    """

    def __init__(self) -> None:
        self.opened: Opened | None = None

    async def start(
        self,
        engine: Engine,
        addresses: Sequence[str],
        token: str = "",
        most: int = 64,
        seconds: float = 600.0,
        *,
        own: Callable[[], Mapping[str, Engine]] = dict,
        expected: Iterable[str] = (),
        tell: Callable[[str], object] = lambda _: None,
    ) -> list[str]:
        """Listen at the addresses; return them as clients write them.

        Raises:
            ConfigError: as `serve_engine`.
        """
        firing = FireService(
            engine,
            own=own,
            turns=Admission(most),
            seconds=seconds,
            largest=Bounds().payload,
            tell=tell,
        )
        self.opened = await REMOTE.wait(_open(firing, addresses, token, expected=expected))
        return self.opened.addresses

    async def stop(self, drain: float = 10.0) -> None:
        """Wait at most `drain` seconds for running events, and close."""
        opened, self.opened = self.opened, None
        if opened is not None:
            await REMOTE.wait(opened.close_async(drain))

    def open(
        self,
        engine: Engine,
        addresses: Sequence[str],
        token: str = "",
        most: int = 64,
        seconds: float = 600.0,
        *,
        own: Callable[[], Mapping[str, Engine]] = dict,
        expected: Iterable[str] = (),
        tell: Callable[[str], object] = lambda _: None,
    ) -> list[str]:
        """Do what `start` does, without an event loop.

        Raises:
            ConfigError: as `serve_engine`.
        """
        return REMOTE.run(
            self.start(
                engine, addresses, token, most, seconds, own=own, expected=expected, tell=tell
            )
        )

    def close(self, drain: float = 10.0) -> None:
        """Do what `stop` does, without an event loop."""
        REMOTE.run(self.stop(drain))
