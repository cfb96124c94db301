"""Link: the engine's end of one stream, from the first Hello to the last Result."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING, Protocol

from hookline.errors import CODES, ConfigError
from hookline.remote.definitions import is_quick_to_read
from hookline.remote.proto import bridge_pb2 as pb

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable

    from hookline.remote.definitions import ReadHooks
    from hookline.remote.limits import Bounds
    from hookline.remote.outbox import Outbox
    from hookline.remote.peer import Peer
    from hookline.remote.stream import Caller

_SILENT = 2.5  # pings without a sign of life before the other side counts as gone


class LinkOwner(Protocol):
    """The bridge, as far as a link uses it."""

    bounds: Bounds
    clock: Callable[[], float]
    sleep: Callable[[float], Awaitable[object]]

    def count(self, what: str) -> None: ...

    def admit(self, link: Link, hello: pb.Hello) -> tuple[Peer, bool]: ...

    def welcome(self, peer: Peer, *, resumed: bool) -> pb.Welcome: ...

    def read_hooks(self, registry: pb.Registry) -> ReadHooks: ...

    def register(self, peer: Peer, found: ReadHooks, generation: int) -> list[pb.Rejected]: ...

    def handle_loss(self, link: Link, why: str) -> None: ...


class Link:
    """One stream. `peer` is the instance behind it, once that is proven."""

    def __init__(self, bridge: LinkOwner, caller: Caller, outbox: Outbox[pb.EngineFrame]) -> None:
        self.bridge = bridge
        self.caller = caller
        self.over = asyncio.Event()
        self.peer: Peer | None = None
        self.generation = -1
        self.heard = bridge.clock()
        self.why = ""
        self._outbox = outbox
        self._pings = 0

    def post(self, frame: pb.EngineFrame) -> bool:
        """Queue a frame; return False if there is no room."""
        return not self.over.is_set() and self._outbox.post(frame)

    def end(self, why: str, *, said: bool = True, drain: float = 0.0) -> None:
        """End the stream, with the reason for the other side."""
        if said:
            self.post(pb.EngineFrame(goaway=pb.Goaway(why=why, drain_ms=round(drain * 1000))))
        self.why = self.why or why
        self.over.set()

    def refuse(self, error: ConfigError) -> None:
        """End the stream because of a fault of the other side."""
        self.bridge.count("refused")
        self.end(f"{CODES[error.name]}: {error}")

    # -- what comes in ---------------------------------------------------------------------------------------------

    def take(self, frame: pb.HandlerFrame) -> Awaitable[None] | None:
        """Handle one frame of the handlers; the caller must await the result before the next frame."""
        if self.over.is_set():
            return None
        self.heard = self.bridge.clock()
        kind = frame.WhichOneof("kind")
        try:
            if self.peer is None:
                self._greet(kind, frame.hello)
            else:
                return self._handle(self.peer, kind, frame)
        except ConfigError as error:
            self.refuse(error)
        return None

    def _greet(self, kind: str | None, hello: pb.Hello) -> None:
        if kind != "hello":
            raise ConfigError("the first frame must be a Hello", name="remote.protocol")
        self.peer, resumed = self.bridge.admit(self, hello)
        self.post(pb.EngineFrame(welcome=self.bridge.welcome(self.peer, resumed=resumed)))

    def _handle(
        self, peer: Peer, kind: str | None, frame: pb.HandlerFrame
    ) -> Awaitable[None] | None:
        match kind:
            case "result":
                peer.handle_result(frame.result)
            case "registry":
                return self._register(peer, frame.registry)
            case "ping":
                self.post(pb.EngineFrame(pong=pb.Pong(n=frame.ping.n)))
            case "goaway":
                peer.draining = True
                peer.end_if_done()
            case "hello":
                raise ConfigError("a second Hello", name="remote.protocol")
            case None:  # from a newer protocol
                self.bridge.count("unknown")
        return None

    def _register(self, peer: Peer, registry: pb.Registry) -> Awaitable[None] | None:
        peer.count_registry()
        if registry.generation <= self.generation:
            self.bridge.count("stale")
            self._acknowledge(
                registry.generation,
                [
                    pb.Rejected(
                        problem=f"generation {registry.generation} is not newer than {self.generation}"
                    )
                ],
            )
        elif is_quick_to_read(registry.hooks):
            self._enrol(peer, registry.generation, self._read(registry))
        else:
            return self._enrol_in_thread(peer, registry)
        return None

    def _read(self, registry: pb.Registry) -> ReadHooks | ConfigError:
        try:
            return self.bridge.read_hooks(registry)
        except ConfigError as error:
            return error

    async def _enrol_in_thread(self, peer: Peer, registry: pb.Registry) -> None:
        """Read a set of hooks on a thread, so that other streams continue; only this stream waits."""
        found = await asyncio.get_running_loop().run_in_executor(None, self._read, registry)
        if not self.over.is_set():
            self._enrol(peer, registry.generation, found)

    def _enrol(self, peer: Peer, generation: int, found: ReadHooks | ConfigError) -> None:
        if isinstance(found, ConfigError):  # the former set stays
            self.bridge.count("rejected")
            self._acknowledge(generation, [pb.Rejected(problem=str(found))])
            return
        self.generation = generation
        self._acknowledge(generation, self.bridge.register(peer, found, generation))
        peer.handle_registered(generation)

    def _acknowledge(self, generation: int, rejected: list[pb.Rejected]) -> None:
        self.post(
            pb.EngineFrame(registry_ack=pb.RegistryAck(generation=generation, rejected=rejected))
        )

    # -- its life --------------------------------------------------------------------------------------------------

    async def watch(self) -> None:
        """Ask for signs of life; return when there is none."""
        bounds = self.bridge.bounds
        if self.peer is None:
            await self.bridge.sleep(bounds.hello)
            if self.peer is None:
                self.refuse(ConfigError("no Hello came", name="remote.protocol"))
                return
        while self.bridge.clock() - self.heard < bounds.ping * _SILENT:
            self._pings += 1
            self.post(pb.EngineFrame(ping=pb.Ping(n=self._pings)))
            await self.bridge.sleep(bounds.ping)
        self.end("it gives no sign of life")

    def handle_end(self, why: str) -> None:
        """Handle the end of the stream."""
        self.over.set()
        self.bridge.handle_loss(self, self.why or why)
