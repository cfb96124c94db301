"""Handlers: a3s hooks in this process, for an engine in another one."""

from __future__ import annotations

import asyncio
import logging
import time
from contextlib import asynccontextmanager, suppress
from typing import TYPE_CHECKING

from hookline.handlers.inprocess import call_async
from hookline.model.handler import InProcess
from hookline.remote.backoff import Backoff
from hookline.remote.event_loop import REMOTE
from hookline.remote.hook_registry import HookRegistry
from hookline.remote.invocations import Invocations, contain_errors
from hookline.remote.limits import Bounds
from hookline.remote.outbox import Outbox
from hookline.remote.resume_keys import ResumeKeys
from hookline.remote.session import Seat, Session
from hookline.remote.stream import LinkError, run_stream

if TYPE_CHECKING:
    from collections.abc import AsyncIterable, AsyncIterator, Awaitable, Callable, Mapping
    from typing import Any

    from hookline.core.dispatch import Run
    from hookline.model.outcome import Outcome
    from hookline.remote.proto import bridge_pb2 as pb
    from hookline.remote.stream import Caller

# Refusals that waiting does not change.
_FINAL = frozenset({"remote.token", "remote.protocol"})
_LOG = logging.getLogger("hookline.remote")


class Handlers(HookRegistry):
    """Hooks under a name that the engine knows them by. `attach` connects to an engine, `listen` waits for one.

    `state`: a file for the key by which they resume after a restart; without
    it, the name is free after the engine's `memory`. `tell` receives a line about each lost or refused link, and each
    rejected hook; without it, these are logged, rejected hooks as warnings.
    Plain handlers run on threads, asynchronous ones on the event loop that awaits `attach`.
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
        self._keys = ResumeKeys(state)
        self._tell = tell or _LOG.info
        self._warn = tell or _LOG.warning
        self._announcing = False
        self._backoff = backoff
        self._seats: list[Seat] = []
        self._news = asyncio.Event()

    def announce(self) -> None:
        """Announce the hooks to every engine."""
        if self._seats and not self._announcing:
            self._announcing = True
            REMOTE.call_soon(self._announce)

    def _announce(self) -> None:
        self._announcing = False
        for seat in self._seats:
            if seat.session is not None:
                seat.session.announce()

    # -- for the session -------------------------------------------------------------------------------------------

    def store_key(self, seat: Seat, key: str) -> None:
        """Store the key by which the seat is resumed."""
        seat.key = key
        self._keys.store(seat.address, key)

    def handle_rejections(self, rejected: Mapping[str, str]) -> None:
        """Report the hooks that the engine rejected."""
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
        """Do what `attach` does, without an event loop, until the process is interrupted."""
        with suppress(KeyboardInterrupt):
            asyncio.run(self.attach(address, token=token))

    async def attach(self, address: str, *, token: str = "") -> None:
        """Connect to an engine, and again after each loss, until cancelled.

        Raises:
            ConfigError: the address is invalid, or the engine will never admit these handlers.
        """
        from hookline.remote.connection import open_stream  # noqa: PLC0415 - gRPC is an extra

        seat = self._take_seat(address)

        async def connect() -> Session:
            outbox: Outbox[pb.HandlerFrame] = Outbox(self.bounds.queue)
            session = Session(self, seat, outbox, token)
            async with open_stream(address, "attach", outbox, self.bounds) as incoming:
                await self.converse(seat, session, incoming, outbox)
            return session

        try:
            await REMOTE.wait(self._stay_connected(connect, seat))
        finally:
            REMOTE.call_soon(self._unseat, seat)

    async def listen(
        self, address: str, *, token: str = "", ready: Callable[[str], object] = lambda _: None
    ) -> None:
        """Wait for an engine that connects, until cancelled; `ready` receives the address once it is open.

        Raises:
            ConfigError: the address cannot be opened.
        """
        from hookline.remote.listener import serve_handlers  # noqa: PLC0415 - as above

        seat = self._take_seat(address)

        async def converse(_: Caller, incoming: AsyncIterator[Any], outbox: Outbox[Any]) -> None:
            session = Session(self, seat, outbox, token)
            await self.converse(seat, session, incoming, outbox)

        try:
            await REMOTE.wait(serve_handlers(converse, self.bounds, address, token, ready))
        finally:
            REMOTE.call_soon(self._unseat, seat)

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
        """Wait until every attached engine, and at least one, has the current hooks.

        Raises:
            ConfigError: one of them accepted none of the hooks.
        """
        await REMOTE.wait(self._wait_until_known())

    async def _wait_until_known(self) -> None:
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

    def _take_seat(self, address: str) -> Seat:
        user = asyncio.get_running_loop()

        async def perform(run: Run) -> Outcome:
            """Run a plain handler on a thread, an asynchronous one on the loop that attached."""
            if REMOTE.is_current and (
                type(run.spec.handler) is InProcess and run.spec.handler.worker
            ):
                return await call_async(run)
            return await asyncio.wrap_future(
                asyncio.run_coroutine_threadsafe(contain_errors(call_async, run), user)
            )

        answering = Invocations(self.find, perform, most=self.bounds.in_flight * 4)
        seat = Seat(address, self._keys.find(address), answering, self.bounds.registries)
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
        """Serve the stream of an engine until it ends."""
        if seat.session is not None:
            seat.session.over.set()
        seat.session = session
        try:
            await run_stream(session, incoming, outbox)
        finally:
            if seat.session is session:
                seat.session = None

    async def _stay_connected(self, connect: Callable[[], Awaitable[Session]], seat: Seat) -> None:
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
