"""Link: the engine's end of one stream, from the Hello of whoever is there to its last Result."""

from __future__ import annotations

import asyncio
from collections import deque
from typing import TYPE_CHECKING

from hookline.errors import CODES, ConfigError
from hookline.remote.proto import bridge_pb2 as pb

if TYPE_CHECKING:
    from hookline.remote.bridge import Bridge
    from hookline.remote.outbox import Outbox
    from hookline.remote.peer import Peer
    from hookline.remote.talking import Caller

_SILENT = 2.5  # pings, after which nobody is taken to be there
_MINUTE = 60.0


class Link:
    """One stream. `peer` is whose it is, once that is proven."""

    def __init__(self, bridge: Bridge, caller: Caller, outbox: Outbox[pb.EngineFrame]) -> None:
        self.bridge = bridge
        self.caller = caller
        self.over = asyncio.Event()
        self.peer: Peer | None = None
        self.generation = 0
        self.heard = bridge.clock()
        self.why = ""
        self._outbox = outbox
        self._registries: deque[float] = deque(maxlen=bridge.bounds.registries)
        self._pings = 0

    def post(self, frame: pb.EngineFrame) -> bool:
        """Whether a frame could be queued."""
        return not self.over.is_set() and self._outbox.post(frame)

    def end(self, why: str, *, said: bool = True, drain: float = 0.0) -> None:
        """End the stream, telling the other side why."""
        if said:
            self.post(pb.EngineFrame(goaway=pb.Goaway(why=why, drain_ms=round(drain * 1000))))
        self.why = self.why or why
        self.over.set()

    def refuse(self, error: ConfigError) -> None:
        """End the stream because of what the other side did."""
        self.bridge.count("refused")
        self.end(f"{CODES[error.name]}: {error}")

    # -- what comes in ---------------------------------------------------------------------------------------------

    def take(self, frame: pb.HandlerFrame) -> None:
        """One frame of whoever holds the handlers."""
        if self.over.is_set():
            return
        self.heard = self.bridge.clock()
        kind = frame.WhichOneof("kind")
        try:
            if self.peer is None:
                self._greet(kind, frame.hello)
            else:
                self._hear(self.peer, kind, frame)
        except ConfigError as error:
            self.refuse(error)

    def _greet(self, kind: str | None, hello: pb.Hello) -> None:
        if kind != "hello":
            raise ConfigError("the first frame must be a Hello", name="remote.protocol")
        self.peer, resumed = self.bridge.admit(self, hello)
        self.post(pb.EngineFrame(welcome=self.bridge.welcome(self.peer, resumed=resumed)))

    def _hear(self, peer: Peer, kind: str | None, frame: pb.HandlerFrame) -> None:
        match kind:
            case "result":
                peer.result(frame.result)
            case "registry":
                self._register(peer, frame.registry)
            case "ping":
                self.post(pb.EngineFrame(pong=pb.Pong(n=frame.ping.n)))
            case "goaway":
                peer.draining = True
                peer.leave()
            case "hello":
                raise ConfigError("a second Hello", name="remote.protocol")
            case None:  # a frame of a newer protocol
                self.bridge.count("unknown")

    def _register(self, peer: Peer, registry: pb.Registry) -> None:
        now = self.bridge.clock()
        full = len(self._registries) == self._registries.maxlen
        if full and now - self._registries[0] < _MINUTE:
            raise ConfigError(f"more than {self._registries.maxlen} registries a minute", name="remote.bounds")
        self._registries.append(now)
        ack = pb.RegistryAck(generation=registry.generation)
        if registry.generation <= self.generation:
            ack.rejected.add(problem=f"generation {registry.generation} is not newer than {self.generation}")
            self.bridge.count("stale")
        else:
            try:
                ack.rejected.extend(self.bridge.register(peer, registry))
                self.generation = registry.generation
            except ConfigError as error:
                ack.rejected.add(problem=str(error))
                self.bridge.count("rejected")
        self.post(pb.EngineFrame(registry_ack=ack))
        if self.generation == registry.generation:
            peer.registered(self.generation)

    # -- its life --------------------------------------------------------------------------------------------------

    async def watch(self) -> None:
        """Ask for signs of life; returns when there is none."""
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

    def lost(self, why: str) -> None:
        """The stream has ended, whoever ended it."""
        self.over.set()
        self.bridge.left(self, self.why or why)
