"""Session: the handlers' end of one stream, from their Hello to its end."""

from __future__ import annotations

import asyncio
from collections import deque
from typing import TYPE_CHECKING, Protocol

from hookline.errors import CODES, ConfigError
from hookline.remote.limits import PROTOCOL, Bounds
from hookline.remote.proto import bridge_pb2 as pb

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable, Mapping

    from hookline.remote.invocations import Invocations
    from hookline.remote.outbox import Outbox

_SILENT = 2.5  # pings without a sign of life before the engine counts as gone
_MINUTE = 60.0
_NAMES = {code: name for name, code in CODES.items()}


class Seat:
    """The place of these handlers at one engine; it outlives their streams. `announced`: when they sent their hooks.

    `left`: they have told the engine that they leave, and must not come back.
    """

    def __init__(
        self, address: str, key: str, answering: Invocations, most: int = Bounds().registries
    ) -> None:
        self.address = address
        self.key = key
        self.answering = answering
        self.session: Session | None = None
        self.left = False
        # Half of what an engine accepts, because it also counts registries of an earlier connection.
        self.announced: deque[float] = deque(maxlen=max(1, most // 2))

    def seconds_to_wait(self, now: float) -> float:
        """Return how many seconds to wait before the next announcement."""
        return (
            self.announced[0] + _MINUTE - now
            if len(self.announced) == self.announced.maxlen
            else 0.0
        )


class SessionOwner(Protocol):
    """The handlers, as far as a session uses them."""

    name: str
    bounds: Bounds
    generation: int
    clock: Callable[[], float]
    sleep: Callable[[float], Awaitable[object]]

    def registry(self) -> pb.Registry: ...

    def next_generation(self) -> int: ...

    def store_key(self, seat: Seat, key: str) -> None: ...

    def handle_rejections(self, rejected: Mapping[str, str]) -> None: ...


class Session:
    """One stream to an engine. `refused`: why the engine refused it; `disarmed`: why none of our hooks counts there.

    `told` is the generation of our hooks that was sent last, `acknowledged` the last one that the engine confirmed.
    """

    def __init__(
        self, handlers: SessionOwner, seat: Seat, outbox: Outbox[pb.HandlerFrame], token: str
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
        """Queue a frame; end the stream if the engine does not read."""
        if self.over.is_set():
            return False
        posted = self._outbox.post(frame)
        if not posted:
            self.over.set()
        return posted

    def announce(self) -> None:
        """Send our hooks to the engine, unless it has them.

        It waits until the engine has confirmed the previous ones, and it respects the engine's limit per minute.
        So many changes become one message.
        """
        if (
            not self.welcomed
            or self._leaving
            or self._later
            or self.acknowledged < self.told
            or self.handlers.generation <= self.told
        ):
            return
        wait = self.seat.seconds_to_wait(self.handlers.clock())
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
        """Remove our hooks from the engine, guards included."""
        self._leaving = True
        if self.welcomed:
            self.post(
                pb.HandlerFrame(registry=pb.Registry(generation=self.handlers.next_generation()))
            )

    def leave(self, drain: float) -> None:
        """Tell the engine to send nothing more."""
        self._leaving = True
        self.post(pb.HandlerFrame(goaway=pb.Goaway(why="they leave", drain_ms=round(drain * 1000))))

    # -- what comes in ---------------------------------------------------------------------------------------------

    def take(self, frame: pb.EngineFrame) -> None:
        """Handle one frame of the engine."""
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
                self._handle_goaway(frame.goaway)

    def _welcome(self, welcome: pb.Welcome) -> None:
        if welcome.protocol != PROTOCOL:
            self.refused = ConfigError(
                f"the engine speaks protocol {welcome.protocol}",
                name="remote.protocol",
                hint=f"this library supports protocol {PROTOCOL}",
            )
            self.over.set()
            return
        self.welcomed, self.resumed = True, welcome.resumed
        self.seat.answering.post = self.post
        self._ping = max(welcome.ping_ms, 1) / 1000
        self.handlers.store_key(self.seat, welcome.session_key)
        self._announce()

    def _acknowledge(self, ack: pb.RegistryAck) -> None:
        self.acknowledged = max(ack.generation, self.acknowledged)
        rejected = {each.hook_id: each.problem for each in ack.rejected}
        self.disarmed = (
            self._explain_disarmed(rejected) if ack.generation == self.told else self.disarmed
        )
        self.handlers.handle_rejections(rejected)
        self.announce()

    def _explain_disarmed(self, rejected: dict[str, str]) -> ConfigError | None:
        """Return the error to raise if the engine accepted none of our hooks."""
        if not rejected or ("" not in rejected and self._sent - rejected.keys()):
            return None
        why = rejected.get("") or "; ".join(
            f"`{hook}`: {problem}" for hook, problem in rejected.items()
        )
        words = f"the engine at `{self.seat.address}` took no hook of `{self.handlers.name}`: {why:.800}"
        return ConfigError(
            words, name="remote.rejected", hint="what it knew of them before still counts"
        )

    def _handle_goaway(self, goaway: pb.Goaway) -> None:
        code, _, words = goaway.why.partition(": ")
        self.why = goaway.why
        if code in _NAMES:
            self.refused = ConfigError(
                f"the engine at `{self.seat.address}` refuses: {words}", name=_NAMES[code]
            )
            self.over.set()

    # -- its life --------------------------------------------------------------------------------------------------

    async def watch(self) -> None:
        """Wait for signs of life; return when there is none, or no welcome came."""
        await self.handlers.sleep(self.handlers.bounds.hello)
        while self.welcomed and self.handlers.clock() - self.heard < self._ping * _SILENT:
            await self.handlers.sleep(self._ping)
        self.why = self.why or "the engine gives no sign of life"

    def handle_end(self, why: str) -> None:
        """Handle the end of the stream. Running invocations continue, because the engine may ask for them again."""
        self.why = self.why or why
        self.over.set()
        if self._later is not None:
            self._later.cancel()
        if self.seat.answering.post == self.post:
            self.seat.answering.post = lambda _: False
