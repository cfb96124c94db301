"""Session: the handlers' end of one stream, from their Hello until either side has had enough."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING

from hookline.errors import CODES, ConfigError
from hookline.remote.bounds import PROTOCOL
from hookline.remote.proto import bridge_pb2 as pb

if TYPE_CHECKING:
    from hookline.remote.handlers import Handlers, Seat
    from hookline.remote.outbox import Outbox

_SILENT = 2.5  # pings, after which nobody is taken to be there
_NAMES = {code: name for name, code in CODES.items()}


class Session:
    """One stream to an engine. `refused`: why the engine did not want it; `disarmed`: why none of our hooks counts there.

    `told` is the generation of our hooks that it was sent last, `acknowledged` the one of which it has said so.
    """

    def __init__(
        self, handlers: Handlers, seat: Seat, outbox: Outbox[pb.HandlerFrame], token: str
    ) -> None:
        self.handlers = handlers
        self.seat = seat
        self.over = asyncio.Event()
        self.welcomed = False
        self.told = self.acknowledged = -1
        self.disarmed: ConfigError | None = None
        self.resumed = False
        self.refused: ConfigError | None = None
        self.heard = handlers.clock()
        self.why = ""
        self._ping = handlers.bounds.ping
        self._outbox = outbox
        self._sent: frozenset[str] = frozenset()
        self._leaving = False
        self._later: asyncio.Task[None] | None = None
        self.post(
            pb.HandlerFrame(
                hello=pb.Hello(
                    protocol=PROTOCOL,
                    instance_id=handlers.name,
                    token=token.encode(),
                    resume_id=seat.key,
                )
            )
        )

    def post(self, frame: pb.HandlerFrame) -> bool:
        """Whether a frame could be queued; an engine that reads nothing is left."""
        if self.over.is_set():
            return False
        posted = self._outbox.post(frame)
        if not posted:
            self.over.set()
        return posted

    def announce(self) -> None:
        """Tell the engine our hooks, all of them, if it does not know them.

        While it has not acknowledged the former ones they wait, and so they do when they were told as often as it may suffer in a
        minute: many changes are one.
        """
        if (
            not self.welcomed
            or self._leaving
            or self._later
            or self.acknowledged < self.told
            or self.handlers.generation <= self.told
        ):
            return
        wait = self.seat.pause(self.handlers.clock())
        if wait > 0:
            self._later = asyncio.get_running_loop().create_task(self._announce_after(wait))
        else:
            self._announce()

    async def _announce_after(self, seconds: float) -> None:
        await self.handlers.sleep(seconds)
        self._later = None
        self.announce()

    def _announce(self) -> None:
        registry = self.handlers.registry()
        self.told, self._sent = registry.generation, frozenset(hook.id for hook in registry.hooks)
        self.seat.announced.append(self.handlers.clock())
        self.post(pb.HandlerFrame(registry=registry))

    def withdraw(self) -> None:
        """Take our hooks away from the engine, guards included."""
        self._leaving = True
        if self.welcomed:
            self.post(pb.HandlerFrame(registry=pb.Registry(generation=self.handlers.later())))

    def leave(self, drain: float) -> None:
        """Tell the engine to send nothing more."""
        self._leaving = True
        self.post(pb.HandlerFrame(goaway=pb.Goaway(why="they leave", drain_ms=round(drain * 1000))))

    # -- what comes in ---------------------------------------------------------------------------------------------

    def take(self, frame: pb.EngineFrame) -> None:
        """One frame of the engine."""
        self.heard = self.handlers.clock()
        match frame.WhichOneof("kind"):
            case "invoke" if self.welcomed:
                self.seat.answering.invoke(frame.invoke)
            case "cancel":
                self.seat.answering.cancel(frame.cancel.invocation_id)
            case "ping":
                self.post(pb.HandlerFrame(pong=pb.Pong(n=frame.ping.n)))
            case "welcome":
                self._welcome(frame.welcome)
            case "registry_ack":
                self._acknowledge(frame.registry_ack)
            case "goaway":
                self._go(frame.goaway)

    def _welcome(self, welcome: pb.Welcome) -> None:
        if welcome.protocol != PROTOCOL:
            self.refused = ConfigError(
                f"the engine speaks protocol {welcome.protocol}",
                name="remote.protocol",
                hint=f"{PROTOCOL} is spoken here",
            )
            self.over.set()
            return
        self.welcomed, self.resumed = True, welcome.resumed
        self.seat.answering.post = self.post
        self._ping = max(welcome.ping_ms, 1) / 1000
        self.handlers.keep(self.seat, welcome.session_key)
        self._announce()

    def _acknowledge(self, ack: pb.RegistryAck) -> None:
        self.acknowledged = max(ack.generation, self.acknowledged)
        rejected = {each.hook_id: each.problem for each in ack.rejected}
        self.disarmed = self._disarmed(rejected) if ack.generation == self.told else self.disarmed
        self.handlers.told(rejected)
        self.announce()

    def _disarmed(self, rejected: dict[str, str]) -> ConfigError | None:
        """What to raise where the engine took nothing of what it was sent."""
        if not rejected or ("" not in rejected and self._sent - rejected.keys()):
            return None
        why = rejected.get("") or "; ".join(
            f"`{hook}`: {problem}" for hook, problem in rejected.items()
        )
        words = f"the engine at `{self.seat.address}` took no hook of `{self.handlers.name}`: {why:.800}"
        return ConfigError(
            words, name="remote.rejected", hint="what it knew of them before still counts"
        )

    def _go(self, goaway: pb.Goaway) -> None:
        code, _, words = goaway.why.partition(": ")
        self.why = goaway.why
        if code in _NAMES:
            self.refused = ConfigError(
                f"the engine at `{self.seat.address}` refuses: {words}", name=_NAMES[code]
            )
            self.over.set()

    # -- its life --------------------------------------------------------------------------------------------------

    async def watch(self) -> None:
        """Wait for signs of life; returns when there is none, or no welcome came."""
        await self.handlers.sleep(self.handlers.bounds.hello)
        while self.welcomed and self.handlers.clock() - self.heard < self._ping * _SILENT:
            await self.handlers.sleep(self._ping)
        self.why = self.why or "the engine gives no sign of life"

    def lost(self, why: str) -> None:
        """The stream has ended. What runs goes on: the engine may ask for it again."""
        self.why = self.why or why
        self.over.set()
        if self._later is not None:
            self._later.cancel()
        if self.seat.answering.post == self.post:
            self.seat.answering.post = lambda _: False
