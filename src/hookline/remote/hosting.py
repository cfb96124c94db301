"""Hosting: an engine that can be attached to and asked at some addresses, opened and closed by whoever runs it."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING

from hookline.remote.addresses import parsed
from hookline.remote.backoff import Backoff
from hookline.remote.bounds import Bounds
from hookline.remote.bridge import Bridge
from hookline.remote.dialling import dialled
from hookline.remote.firing import Firing
from hookline.remote.listening import Listening, serve_engine_at
from hookline.remote.loop import REMOTE
from hookline.remote.outbox import Outbox
from hookline.remote.talking import Caller, LinkError
from hookline.remote.turns import Turns

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
    """An engine that is open: its `bridge`, and the `addresses` at which it is reached, as a client writes them."""

    def __init__(
        self, bridge: Bridge, firing: Firing, token: str, *, everybody: bool = False
    ) -> None:
        self._everybody = everybody
        self.bridge = bridge
        self.addresses: list[str] = []
        self._firing = firing
        self._token = token
        self._listening: list[Listening] = []
        self._dialling: list[Future[None]] = []

    def dial(self, address: str, *, token: str = "") -> None:
        """Dial handlers that listen, and again whenever the link is lost.

        Raises:
            ConfigError: it is no address.
        """
        place = parsed(address)
        self._dialling.append(
            REMOTE.submit(self._dialled(address, token, Caller(name=address, proven=place.proven)))
        )

    async def _dialled(self, address: str, token: str, caller: Caller) -> None:
        backoff = Backoff()
        while not self.bridge.closed:
            outbox: Outbox[pb.EngineFrame] = Outbox(self.bridge.bounds.queue)
            began = self.bridge.clock()
            try:
                async with dialled(
                    address, "serve", outbox, self.bridge.bounds, token=token
                ) as incoming:
                    await self.bridge.converse(caller, incoming, outbox)
            except LinkError:
                self.bridge.count("unreached")
            if self.bridge.clock() - began > backoff.most:
                backoff.reset()
            await self.bridge.sleep(backoff.next())

    async def opening(self, addresses: Sequence[str]) -> None:
        """Listen at all of the addresses, or at none.

        Raises:
            ConfigError: one of them cannot be listened on.
        """
        try:
            for address in addresses:
                self._listening.append(
                    await serve_engine_at(
                        address, self.bridge, self._firing, self._token, everybody=self._everybody
                    )
                )
        except BaseException:
            await self.closing(0.0)
            raise
        self.addresses = [listening.name for listening in self._listening]

    async def closing(self, drain: float) -> None:
        """`close`, on the event loop of the bridge."""
        # Both at once: an event that is asked about may wait for a handler that is attached.
        await asyncio.gather(self._firing.closing(drain), self.bridge.closing(drain))
        for dialling in self._dialling:
            dialling.cancel()
        await asyncio.sleep(0)  # the last frames are on their way
        for listening in self._listening:
            await listening.close()
        self._listening = []

    def close(self, drain: float = 10.0) -> None:
        """Tell everybody to go, wait for what is under way, at most so many seconds, and hang up. Gates stay closed."""
        REMOTE.run(self.closing(drain))

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
    turns: Turns | None = None,
    seconds: float = 600.0,
    bounds: Bounds | None = None,
    expected: Iterable[str] = (),
    trace: Callable[[], str] | None = None,
    refused: Callable[[str], object] = lambda _: None,
    elsewhere: Elsewhere = None,
    tell: Callable[[str], object] = lambda _: None,
) -> Opened:
    """Open an engine to handlers that attach and to agents that ask; close what is returned, or use it in a `with`.

    `token`: asked of whoever does not come by a unix socket; with `everybody`, of these too, as where a machine monitor's process
    stands for its guest. `tokens`: those of single instances. `own` tells the engines, as they are
    now, for hosts whose own files would ask us; a new one has the hooks that the first one has. `most`: events asked about at once; a
    further one waits for its turn, half a minute at most. `turns`: those that are shared with whoever else asks this engine, instead.
    `seconds`: for all hooks of one event. `expected`: handlers by name whose gates are closed until they have attached for the first
    time. `trace` tells the W3C trace context that goes along, if it is not the event's own or that of the current span. `refused`,
    `elsewhere` and `tell`: as of `Firing`.

    Raises:
        ConfigError: an address cannot be listened on, or needs a token or an extra; or a name is none.
    """
    bounds = bounds or Bounds()
    firing = Firing(
        engine,
        own=own,
        turns=turns or Turns(most),
        seconds=seconds,
        largest=bounds.payload,
        refused=refused,
        elsewhere=elsewhere,
        tell=tell,
    )
    return REMOTE.run(
        _opened(
            firing, addresses, token, tokens, bounds, trace, everybody=everybody, expected=expected
        )
    )


async def _opened(
    firing: Firing,
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
    await opened.opening(addresses)
    return opened


class GrpcService:
    """`serve_engine` for whoever hosts several services: `await start(...)`, and in the end `await stop(drain)`.

    On whichever event loop: the work is done on that of `hookline.remote`. `open` and `close` are the same without a loop.
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
        """Listen at the addresses; returns them as clients write them.

        Raises:
            ConfigError: as `serve_engine`.
        """
        firing = Firing(
            engine, own=own, turns=Turns(most), seconds=seconds, largest=Bounds().payload, tell=tell
        )
        self.opened = await REMOTE.wait(_opened(firing, addresses, token, expected=expected))
        return self.opened.addresses

    async def stop(self, drain: float = 10.0) -> None:
        """Wait for what is under way, at most `drain` seconds, and hang up."""
        opened, self.opened = self.opened, None
        if opened is not None:
            await REMOTE.wait(opened.closing(drain))

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
        """`start` without an event loop.

        Raises:
            ConfigError: as `serve_engine`.
        """
        return REMOTE.run(
            self.start(
                engine, addresses, token, most, seconds, own=own, expected=expected, tell=tell
            )
        )

    def close(self, drain: float = 10.0) -> None:
        """`stop` without an event loop."""
        REMOTE.run(self.stop(drain))
