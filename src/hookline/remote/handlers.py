"""Handlers: a3s hooks in this process, for an engine in another one."""

from __future__ import annotations

import asyncio
import logging
import time
from collections import deque
from contextlib import asynccontextmanager, suppress
from typing import TYPE_CHECKING

from hookline.errors import CODES, ConfigError
from hookline.handlers.inprocess import call_async
from hookline.model.handler import InProcess
from hookline.remote.event_loop import REMOTE
from hookline.remote.grpc_transport import open_stream, serve_handlers
from hookline.remote.hook_registry import HookRegistry
from hookline.remote.invocations import Invocations, contain_errors
from hookline.remote.limits import PROTOCOL, Bounds
from hookline.remote.proto import bridge_pb2 as pb
from hookline.remote.resume_keys import ResumeKeys
from hookline.remote.stream import LinkError, Outbox, StreamEnd, retry_delays, run_stream

if TYPE_CHECKING:
    from collections.abc import AsyncIterable, AsyncIterator, Awaitable, Callable, Iterator, Mapping
    from typing import Any

    from hookline.core.dispatch import Run
    from hookline.model.outcome import Outcome

# Refusals that waiting does not change.
_FINAL = frozenset({"remote.token", "remote.protocol"})
_NAMES = {code: name for name, code in CODES.items()}
_LOG = logging.getLogger("hookline.remote")
_MINUTE = 60.0


class Seat:
    """The place of these handlers at one engine; it outlives their streams. `announced`: when they sent their hooks.

    `left`: the engine knows that they leave, so they must not come back.
    """

    def __init__(
        self, address: str, key: str, invocations: Invocations, most: int = Bounds().registries
    ) -> None:
        self.address = address
        self.key = key
        self.invocations = invocations
        self.session: Session | None = None
        self.left = False
        # Half of what an engine accepts, because it also counts registries of an earlier
        # connection.
        self.announced: deque[float] = deque(maxlen=max(1, most // 2))


class Handlers(HookRegistry):
    """Hooks under a name that the engine knows them by. `attach` connects to an engine, `listen` waits for one.

    `state`: a file for the key by which they resume after a restart; without it, the name is free
    after the engine's `memory`. `tell` receives a line about each lost or refused link, and each
    rejected hook; without it, these are logged, rejected hooks as warnings. Plain handlers run on
    threads, asynchronous ones on the event loop that awaits `attach`.
    """

    def __init__(
        self,
        name: str,
        *,
        state: str = "",
        bounds: Bounds | None = None,
        tell: Callable[[str], object] | None = None,
        clock: Callable[[], float] = time.monotonic,
        sleep: Callable[[float], Awaitable[object]] = asyncio.sleep,
        backoff: Callable[[], Iterator[float]] = retry_delays,
    ) -> None:
        self.bounds = bounds or Bounds()
        super().__init__(self.bounds.hooks)
        self.name = name
        self.clock = clock
        self.sleep = sleep
        self.rejected: Mapping[str, str] = {}
        self._keys = ResumeKeys(state)
        self._tell = tell or _LOG.info
        self._warn = tell or _LOG.warning
        self._backoff = backoff
        self._seats: list[Seat] = []
        self._news = asyncio.Event()

    def announce(self) -> None:
        """Announce the hooks to every engine."""
        if self._seats:
            REMOTE.call_soon(self._announce)

    def _announce(self) -> None:
        for seat in self._seats:
            if seat.session is not None:
                seat.session.announce()

    def store_key(self, seat: Seat, key: str) -> None:
        """Store the key by which the seat is resumed."""
        seat.key = key
        self._keys.store(seat.address, key)

    def handle_rejections(self, rejected: Mapping[str, str]) -> None:
        """Report the hooks that the engine rejected."""
        self.rejected = rejected
        for hook, problem in rejected.items():
            what = (
                f"hook `{hook}` of `{self.name}` was"
                if hook
                else f"the hooks of `{self.name}` were"
            )
            self._warn(f"{what} rejected: {problem}")
        self._news.set()
        self._news = asyncio.Event()

    # -- attaching -------------------------------------------------------------------------------------------------

    def run(self, address: str, *, token: str = "") -> None:
        """Do what `attach` does, without an event loop, until the process is interrupted."""
        with suppress(KeyboardInterrupt):
            asyncio.run(self.attach(address, token=token))

    async def attach(self, address: str, *, token: str = "") -> None:
        """Connect to an engine, and again after each loss, until cancelled.

        Raises:
            ConfigError: the address is invalid, or the engine will never admit these handlers.
        """
        seat = self._take_seat(address)
        try:
            await REMOTE.wait(self._stay_connected(seat, token))
        finally:
            REMOTE.call_soon(self._leave_seat, seat)

    async def listen(
        self, address: str, *, token: str = "", ready: Callable[[str], object] = lambda _: None
    ) -> None:
        """Wait for an engine that connects, until cancelled; `ready` receives the address once it is open.

        Raises:
            ConfigError: the address cannot be opened.
        """
        seat = self._take_seat(address)

        async def converse(incoming: AsyncIterable[Any], outbox: Outbox[Any]) -> None:
            await self._converse(Session(self, seat, outbox, token), incoming, outbox)

        try:
            await REMOTE.wait(serve_handlers(converse, self.bounds, address, token, ready))
        finally:
            REMOTE.call_soon(self._leave_seat, seat)

    @asynccontextmanager
    async def attached(
        self, address: str, *, token: str = "", drain: float = 5.0, withdraw: bool = False
    ) -> AsyncIterator[None]:
        """Stay attached within a block: at its start the engine has these hooks, and at its end it learns that they leave.

        With `withdraw` it then forgets them; otherwise its gates stay closed until they are back.

        Raises:
            ConfigError: as `attach` and `ready`.
        """
        attaching = asyncio.get_running_loop().create_task(self.attach(address, token=token))
        known = asyncio.get_running_loop().create_task(self.ready())
        try:
            await asyncio.wait({attaching, known}, return_when=asyncio.FIRST_COMPLETED)
            await (attaching if attaching.done() else known)
            yield
            await REMOTE.wait(self._leave(drain, withdraw=withdraw))
        finally:
            for task in (known, attaching):
                task.cancel()
            await asyncio.gather(known, attaching, return_exceptions=True)

    async def ready(self) -> None:
        """Wait until every attached engine, and at least one, has the current hooks.

        Raises:
            ConfigError: one of them accepted none of the hooks.
        """
        await REMOTE.wait(self._wait_until_known())

    async def _wait_until_known(self) -> None:
        while True:
            known = 0
            for seat in self._seats:
                if seat.session is not None and seat.session.acknowledged >= self.generation:
                    known += 1
                    if seat.session.disarmed is not None:
                        raise seat.session.disarmed
            if known and known == len(self._seats):
                return
            await self._news.wait()

    async def _leave(self, drain: float, *, withdraw: bool) -> None:
        sessions = [seat.session for seat in self._seats if seat.session is not None]
        for seat in self._seats:
            seat.left = True
        for session in sessions:
            session.leave(drain, withdraw=withdraw)
        if sessions:
            ends = [asyncio.ensure_future(session.over.wait()) for session in sessions]
            await asyncio.wait(ends, timeout=drain)

    def _take_seat(self, address: str) -> Seat:
        user = asyncio.get_running_loop()

        async def perform(run: Run) -> Outcome:
            """Run a plain handler on a thread, an asynchronous one on the loop that attached."""
            if isinstance(run.spec.handler, InProcess) and run.spec.handler.worker:
                return await call_async(run)
            contained = contain_errors(call_async, run)
            return await asyncio.wrap_future(asyncio.run_coroutine_threadsafe(contained, user))

        invocations = Invocations(self.find, perform, most=self.bounds.in_flight * 4)
        seat = Seat(address, self._keys.find(address), invocations, self.bounds.registries)
        with self._lock:
            self._seats.append(seat)
        return seat

    def _leave_seat(self, seat: Seat) -> None:
        with self._lock:
            self._seats.remove(seat)
        seat.invocations.cancel_all()

    async def _converse(
        self,
        session: Session,
        incoming: AsyncIterable[pb.EngineFrame],
        outbox: Outbox[pb.HandlerFrame],
    ) -> None:
        """Serve the stream of an engine until it ends; it takes the place of an earlier one."""
        seat = session.seat
        if seat.session is not None:
            seat.session.over.set()
        seat.session = session
        try:
            await run_stream(session, incoming, outbox)
        finally:
            if seat.session is session:
                seat.session = None

    async def _stay_connected(self, seat: Seat, token: str) -> None:
        delays = self._backoff()
        while True:
            outbox: Outbox[pb.HandlerFrame] = Outbox(self.bounds.queue)
            session = Session(self, seat, outbox, token)
            try:
                async with open_stream(seat.address, "attach", outbox, self.bounds) as incoming:
                    await self._converse(session, incoming, outbox)
            except LinkError as error:
                lost = f"cannot reach `{seat.address}`: {error}"
            else:
                lost = f"lost `{seat.address}`: {session.refused or session.why or 'it hung up'}"
            if session.refused is not None and session.refused.name in _FINAL:
                raise session.refused
            if seat.left:
                return
            if session.greeted:
                delays = self._backoff()
            self._tell(f"`{self.name}` {lost}")
            await self.sleep(next(delays))


class Session(StreamEnd):
    """The handlers' end of one stream. `refused`: why the engine refused it; `disarmed`: why none of our hooks counts there.

    `sent_generation` is that of our hooks which was sent last, `acknowledged` the last one that the
    engine confirmed.
    """

    def __init__(
        self, handlers: Handlers, seat: Seat, outbox: Outbox[pb.HandlerFrame], token: str
    ) -> None:
        super().__init__(outbox, handlers.bounds, handlers.clock, handlers.sleep)
        self.handlers = handlers
        self.seat = seat
        self.sent_generation = self.acknowledged = -1
        self.disarmed: ConfigError | None = None
        self.refused: ConfigError | None = None
        self._sent: frozenset[str] = frozenset()
        self._leaving = False
        self._later: asyncio.Task[None] | None = None
        hello = pb.Hello(
            protocol=PROTOCOL,
            instance_id=handlers.name,
            token=token.encode(),
            resume_id=seat.key,
        )
        self._send(hello=hello)

    def _send(self, **frame: Any) -> bool:
        """Queue a frame; end the stream if the engine does not read."""
        if not self.post(pb.HandlerFrame(**frame)):
            self.over.set()
        return not self.over.is_set()

    def announce(self) -> None:
        """Send our hooks to the engine, unless it has them.

        It waits until the engine has confirmed the previous ones, and it respects the engine's
        limit per minute. So many changes become one message.
        """
        if (
            not self.greeted
            or self._leaving
            or self._later
            or self.acknowledged < self.sent_generation
            or self.handlers.generation <= self.sent_generation
        ):
            return
        times, now = self.seat.announced, self.handlers.clock()
        if len(times) == times.maxlen and now < times[0] + _MINUTE:
            waiting = self._announce_after(times[0] + _MINUTE - now)
            self._later = asyncio.get_running_loop().create_task(waiting)
        else:
            self._announce()

    async def _announce_after(self, seconds: float) -> None:
        await self.handlers.sleep(seconds)
        self._later = None
        self.announce()

    def _announce(self) -> None:
        registry = self.handlers.registry()
        self.sent_generation = registry.generation
        self._sent = frozenset(hook.id for hook in registry.hooks)
        self.seat.announced.append(self.handlers.clock())
        self._send(registry=registry)

    def leave(self, drain: float, *, withdraw: bool) -> None:
        """Tell the engine to send nothing more; `withdraw`: to forget our hooks too, guards included."""
        self._leaving = True
        if withdraw and self.greeted:
            self._send(registry=self.handlers.registry(empty=True))
        self._send(goaway=pb.Goaway(why="they leave", drain_ms=round(drain * 1000)))

    # -- what comes in ---------------------------------------------------------------------------------------------

    def take(self, frame: pb.EngineFrame) -> None:
        self.last_sign = self.handlers.clock()
        match frame.WhichOneof("kind"):
            case "invoke" if self.greeted:
                self.seat.invocations.invoke(frame.invoke)
            case "cancel":
                self.seat.invocations.cancel(frame.cancel.invocation_id)
            case "ping":
                self._send(pong=pb.Pong(n=frame.ping.n))
            case "welcome":
                self._handle_welcome(frame.welcome)
            case "registry_ack":
                self._handle_ack(frame.registry_ack)
            case "goaway":
                self._handle_goaway(frame.goaway)

    def _handle_welcome(self, welcome: pb.Welcome) -> None:
        if welcome.protocol != PROTOCOL:
            words = f"the engine speaks protocol {welcome.protocol}, and this library {PROTOCOL}"
            self.refused = ConfigError(words, name="remote.protocol")
            self.over.set()
            return
        self.greeted = True
        self.seat.invocations.post = self._send
        self.ping = max(welcome.ping_ms, 1) / 1000
        self.handlers.store_key(self.seat, welcome.session_key)
        self._announce()

    def _handle_ack(self, ack: pb.RegistryAck) -> None:
        self.acknowledged = max(ack.generation, self.acknowledged)
        rejected = {each.hook_id: each.problem for each in ack.rejected}
        if ack.generation == self.sent_generation:
            self.disarmed = self._find_disarmed(rejected)
        self.handlers.handle_rejections(rejected)
        self.announce()

    def _find_disarmed(self, rejected: dict[str, str]) -> ConfigError | None:
        """Return the error to raise if the engine accepted none of our hooks."""
        if not rejected or ("" not in rejected and self._sent - rejected.keys()):
            return None
        each = [f"`{hook}`: {problem}" if hook else problem for hook, problem in rejected.items()]
        words = f"the engine at `{self.seat.address}` took no hook of `{self.handlers.name}`: {'; '.join(each):.800}"
        hint = "what it knew of them before still counts"
        return ConfigError(words, name="remote.rejected", hint=hint)

    def _handle_goaway(self, goaway: pb.Goaway) -> None:
        code, _, words = goaway.why.partition(": ")
        self.why = goaway.why
        if code in _NAMES:
            words = f"the engine at `{self.seat.address}` refuses: {words}"
            self.refused = ConfigError(words, name=_NAMES[code])
            self.over.set()

    def handle_end(self, why: str) -> None:
        """Handle the end of the stream. Running invocations continue, because the engine may ask for them again."""
        super().handle_end(why)
        if self._later is not None:
            self._later.cancel()
        if self.seat.invocations.post == self._send:
            self.seat.invocations.post = lambda **_: False
