"""Handlers: hooks of a3s in this process, for an engine that is somewhere else."""

from __future__ import annotations

import asyncio
import logging
import time
from collections import deque
from contextlib import asynccontextmanager, suppress
from typing import TYPE_CHECKING

from hookline.handlers.inprocess import call_async
from hookline.model.handler import InProcess
from hookline.remote.answering import Answering, contained
from hookline.remote.backoff import Backoff
from hookline.remote.bounds import Bounds
from hookline.remote.keys import Keys
from hookline.remote.loop import REMOTE
from hookline.remote.outbox import Outbox
from hookline.remote.roster import Roster
from hookline.remote.session import Session
from hookline.remote.talking import LinkError, talk

if TYPE_CHECKING:
    from collections.abc import AsyncIterable, AsyncIterator, Awaitable, Callable, Mapping

    from hookline.core.dispatch import Run
    from hookline.model.outcome import Outcome
    from hookline.remote.proto import bridge_pb2 as pb

# Refusals that do not go away by themselves.
_FINAL = frozenset({"remote.token", "remote.protocol"})
_MINUTE = 60.0
_LOG = logging.getLogger("hookline.remote")


class Seat:
    """The place of these handlers at one engine; it outlives their streams. `announced`: when it was told the hooks.

    `left`: they have told the engine that they leave, and are not to come back.
    """

    def __init__(
        self, address: str, key: str, answering: Answering, most: int = Bounds().registries
    ) -> None:
        self.address = address
        self.key = key
        self.answering = answering
        self.session: Session | None = None
        self.left = False
        # Half of what an engine suffers: it counts those that we told another time, too.
        self.announced: deque[float] = deque(maxlen=max(1, most // 2))

    def pause(self, now: float) -> float:
        """For how many seconds the engine is to be told nothing new."""
        return (
            self.announced[0] + _MINUTE - now
            if len(self.announced) == self.announced.maxlen
            else 0.0
        )


class Handlers(Roster):
    """Hooks under a name, which the engine knows them by. `attach` dials an engine, `listen` is dialled by one.

    `state`: a file in which the key is kept by which they take their place again when the process was started anew; without
    it that place is free after the engine's `memory`. `tell` is given a line about each link that was lost or refused, and each hook that
    was rejected; without it they are logged, the latter as warnings.
    Plain handlers are called on threads, asynchronous ones on the event loop that awaits `attach`.
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
        backoff: Callable[[], Backoff] = Backoff,
    ) -> None:
        self.bounds = bounds or Bounds()
        super().__init__(self.bounds.hooks)
        self.name = name
        self.clock = clock
        self.sleep = sleep
        self.rejected: Mapping[str, str] = {}
        self._keys = Keys(state)
        self._tell = tell or _LOG.info
        self._warn = tell or _LOG.warning
        self._announcing = False
        self._backoff = backoff
        self._seats: list[Seat] = []
        self._news = asyncio.Event()

    def changed(self) -> None:
        """Tell every engine, if there is one."""
        if self._seats and not self._announcing:
            self._announcing = True
            REMOTE.tell(self._announce)

    def _announce(self) -> None:
        self._announcing = False
        for seat in self._seats:
            if seat.session is not None:
                seat.session.announce()

    # -- for the session -------------------------------------------------------------------------------------------

    def keep(self, seat: Seat, key: str) -> None:
        """Remember the key by which the seat is taken again."""
        seat.key = key
        self._keys.keep(seat.address, key)

    def told(self, rejected: Mapping[str, str]) -> None:
        """The engine has acknowledged our hooks, but for some."""
        self.rejected = rejected
        for hook, problem in rejected.items():
            self._warn(
                f"hook `{hook}` of `{self.name}` was rejected: {problem}"
                if hook
                else f"the hooks of `{self.name}` were rejected: {problem}"
            )
        self._news.set()
        self._news = asyncio.Event()

    # -- attaching -------------------------------------------------------------------------------------------------

    def run(self, address: str, *, token: str = "") -> None:
        """`attach` without an event loop: until the process is interrupted."""
        with suppress(KeyboardInterrupt):
            asyncio.run(self.attach(address, token=token))

    async def attach(self, address: str, *, token: str = "") -> None:
        """Dial an engine, and again whenever the link is lost; until it is cancelled.

        Raises:
            ConfigError: the address is none, or the engine will never let these handlers in.
        """
        from hookline.remote.dialling import dialled  # noqa: PLC0415 - gRPC, which not everybody has

        seat = self._seated(address)

        async def connect() -> Session:
            outbox: Outbox[pb.HandlerFrame] = Outbox(self.bounds.queue)
            session = Session(self, seat, outbox, token)
            async with dialled(address, "attach", outbox, self.bounds) as incoming:
                await self.converse(seat, session, incoming, outbox)
            return session

        try:
            await REMOTE.wait(self._kept(connect, seat))
        finally:
            REMOTE.tell(self._unseat, seat)

    async def listen(
        self, address: str, *, token: str = "", ready: Callable[[str], object] = lambda _: None
    ) -> None:
        """Be dialled by an engine, until it is cancelled; `ready` is told the address once it can be dialled.

        Raises:
            ConfigError: the address cannot be listened on.
        """
        from hookline.remote.listening import serve_handlers  # noqa: PLC0415 - as above

        seat = self._seated(address)
        try:
            await REMOTE.wait(serve_handlers(self, seat, address, token, ready))
        finally:
            REMOTE.tell(self._unseat, seat)

    @asynccontextmanager
    async def attached(
        self, address: str, *, token: str = "", drain: float = 5.0, withdraw: bool = False
    ) -> AsyncIterator[None]:
        """Attached meanwhile: the engine knows these hooks at the beginning, and is told at the end that they leave.

        With `withdraw` it forgets them then; otherwise its gates stay closed until they are back.

        Raises:
            ConfigError: as `attach` and `ready`.
        """
        attaching = asyncio.get_running_loop().create_task(self.attach(address, token=token))
        known = asyncio.get_running_loop().create_task(self.ready())
        try:
            await asyncio.wait({attaching, known}, return_when=asyncio.FIRST_COMPLETED)
            if attaching.done():
                await attaching
            if known.done():
                await known
            yield
            await REMOTE.wait(self._leave(drain, withdraw=withdraw))
        finally:
            for task in (known, attaching):
                task.cancel()
            await asyncio.gather(known, attaching, return_exceptions=True)

    async def ready(self) -> None:
        """Wait until every engine that these handlers are attached to, and at least one, knows them as they are now.

        Raises:
            ConfigError: one of them took none of the hooks.
        """
        await REMOTE.wait(self._known())

    async def _known(self) -> None:
        while not self._seats or not all(
            seat.session and seat.session.acknowledged >= self.generation for seat in self._seats
        ):
            self._complain()
            await self._news.wait()
        self._complain()

    def _complain(self) -> None:
        for session in filter(None, (seat.session for seat in self._seats)):
            if session.disarmed is not None and session.acknowledged >= self.generation:
                raise session.disarmed

    async def _leave(self, drain: float, *, withdraw: bool) -> None:
        sessions = [seat.session for seat in self._seats if seat.session is not None]
        for seat in self._seats:
            seat.left = True
        for session in sessions:
            if withdraw:
                session.withdraw()
            session.leave(drain)
        if sessions:
            await asyncio.wait(
                [asyncio.ensure_future(session.over.wait()) for session in sessions], timeout=drain
            )

    def _seated(self, address: str) -> Seat:
        user = asyncio.get_running_loop()

        async def perform(run: Run) -> Outcome:
            """A plain handler has a thread; an asynchronous one belongs to the loop of whoever attached."""
            if REMOTE.here and (type(run.spec.handler) is InProcess and run.spec.handler.worker):
                return await call_async(run)
            return await asyncio.wrap_future(
                asyncio.run_coroutine_threadsafe(contained(call_async, run), user)
            )

        answering = Answering(self.find, perform, most=self.bounds.in_flight * 4)
        seat = Seat(address, self._keys.of(address), answering, self.bounds.registries)
        with self._lock:
            self._seats.append(seat)
        return seat

    def _unseat(self, seat: Seat) -> None:
        with self._lock:
            self._seats.remove(seat)
        seat.answering.cancel_all()

    async def converse(
        self,
        seat: Seat,
        session: Session,
        incoming: AsyncIterable[pb.EngineFrame],
        outbox: Outbox[pb.HandlerFrame],
    ) -> None:
        """Talk to an engine until the stream ends."""
        if seat.session is not None:
            seat.session.over.set()
        seat.session = session
        try:
            await talk(session, incoming, outbox)
        finally:
            if seat.session is session:
                seat.session = None

    async def _kept(self, connect: Callable[[], Awaitable[Session]], seat: Seat) -> None:
        backoff = self._backoff()
        while True:
            try:
                session = await connect()
            except LinkError as error:
                lost = f"`{self.name}` cannot reach `{seat.address}`: {error}"
            else:
                if session.refused is not None and session.refused.name in _FINAL:
                    raise session.refused
                if session.welcomed:
                    backoff.reset()
                lost = f"`{self.name}` lost `{seat.address}`: {session.refused or session.why or 'it hung up'}"
            if seat.left:
                return
            self._tell(lost)
            await self.sleep(backoff.next())
