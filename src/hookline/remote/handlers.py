"""Handlers: a3s hooks in this process, for an engine in another one."""

from __future__ import annotations

import asyncio
import logging
import random
import threading
from collections import OrderedDict
from contextlib import asynccontextmanager, contextmanager, suppress
from typing import TYPE_CHECKING

from hookline.a3s import Hook, HookConfig, HookMatcher
from hookline.a3s.definitions import read_definition
from hookline.a3s.handlers import make_handler, make_in_process
from hookline.dialects.a3s import A3S
from hookline.errors import ConfigError
from hookline.handlers.inprocess import call_async
from hookline.handlers.workers import WorkerBudget
from hookline.model.handler import InProcess
from hookline.remote.definitions import to_message
from hookline.remote.event_loop import REMOTE
from hookline.remote.grpc_transport import listen, open_channel, open_stream
from hookline.remote.invocations import contain_errors
from hookline.remote.limits import Bounds
from hookline.remote.proto import bridge_pb2 as pb
from hookline.remote.resume_keys import ResumeKeys
from hookline.remote.session import Session
from hookline.remote.stream import Outbox

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Callable, Iterator, Mapping
    from typing import Any

    from hookline.a3s.handlers import HookHandler
    from hookline.core.dispatch import Run
    from hookline.model.outcome import Outcome
    from hookline.model.spec import HookSpec

# Refusals that waiting does not change.
_FINAL = frozenset({"remote.token", "remote.protocol"})
_LOG = logging.getLogger("hookline.remote")
_GENERATIONS = 8  # the generations that an engine may still ask for


class Handlers:
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
    ) -> None:
        self.name = name
        self.bounds = bounds or Bounds()
        self.keys = ResumeKeys(state)
        self.rejected: Mapping[str, str] = {}
        self.generation = 0
        self._tell = tell or _LOG.info
        self._warn = tell or _LOG.warning
        self._dialect = A3S()
        self._budget = WorkerBudget()
        self._lock = threading.Lock()
        self._hooks: dict[str, tuple[pb.HookSpec, HookSpec]] = {}
        self._generations: OrderedDict[int, dict[str, HookSpec]] = OrderedDict()
        self._sessions: list[Session] = []
        self._news = asyncio.Event()

    # -- hooks -----------------------------------------------------------------------------------------------------

    def on(
        self,
        event: str,
        *,
        tool: str | None = None,
        path: str | None = None,
        command: str | None = None,
        session: str | None = None,
        skill: str | None = None,
        hook_id: str = "",
        priority: int = 100,
        timeout: float = 30.0,
        observe_only: bool = False,
        max_retries: int = 0,
        fail_mode: str | None = None,
    ) -> Callable[[Callable[..., Any]], Callable[..., Any]]:
        """Decorate a function, plain or asynchronous, as the handler of an event of a3s (docs/formats/a3s.md 3, 4).

        `timeout` is in seconds. `observe_only`: the handler is notified without waiting. The id is
        the function's name by default.

        Raises:
            ConfigError: as `register`.
        """
        matcher = HookMatcher(
            tool=tool, path_pattern=path, command_pattern=command, session_id=session, skill=skill
        )
        config = HookConfig(
            priority=priority,
            timeout_ms=round(timeout * 1000),
            async_execution=observe_only,
            fail_mode=fail_mode,
            max_retries=max_retries,
        )

        def registered(handler: Callable[..., Any]) -> Callable[..., Any]:
            name = hook_id or getattr(handler, "__name__", type(handler).__name__)
            self.register(Hook.new(name, event).with_matcher(matcher).with_config(config), handler)
            return handler

        return registered

    def register(self, hook: Hook | Mapping[str, Any], handler: HookHandler) -> None:
        """Register a definition with its handler, replacing one with the same id; from any thread, also while attached.

        Raises:
            ConfigError: the definition or the handler cannot be used, or an engine would refuse the
                id or the number of hooks.
        """
        known = read_definition(hook, self._dialect)
        name, event = known.hook.id, known.spec.native_event
        message = to_message(known.hook)
        called = make_in_process(make_handler(handler), name, event, self._budget)
        with self._lock:
            if name not in self._hooks and len(self._hooks) >= self.bounds.hooks:
                words = f"`{name}` is one hook too many: {self.bounds.hooks:,} are the most"
                raise ConfigError(words, name="remote.bounds")
            self._hooks[name] = (message, known.spec.replace(handler=called))
            self.generation += 1
        self._announce()

    def unregister(self, hook_id: str) -> bool:
        """Forget a hook; return False if there is none."""
        with self._lock:
            known = self._hooks.pop(hook_id, None) is not None
            self.generation += 1
        self._announce()
        return known

    def _announce(self) -> None:
        """Send the hooks to every engine."""
        for session in list(self._sessions):
            REMOTE.call_soon(session.announce)

    def registry(self, *, empty: bool = False) -> pb.Registry:
        """Return the current hooks as a message; `empty`: a new generation without any instead."""
        with self._lock:
            hooks = {} if empty else self._hooks
            self.generation += empty
            self._generations[self.generation] = {name: spec for name, (_, spec) in hooks.items()}
            while len(self._generations) > _GENERATIONS:
                self._generations.popitem(last=False)
            messages = [message for message, _ in hooks.values()]
            return pb.Registry(generation=self.generation, hooks=messages)

    def find(self, invoke: pb.Invoke) -> HookSpec | None:
        """Return the requested hook, as it was in that generation."""
        with self._lock:
            return self._generations.get(invoke.generation, {}).get(invoke.hook_id)

    def handle_rejections(self, rejected: Mapping[str, str]) -> None:
        """Report the hooks that the engine rejected."""
        self.rejected = rejected
        for hook, problem in rejected.items():
            subject = f"hook `{hook}` of `{self.name}` was" if hook else f"the hooks of `{self.name}` were"  # fmt: skip
            self._warn(f"{subject} rejected: {problem}")
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
        with self._open_session(address, token) as session:
            await REMOTE.wait(self._stay_connected(session))

    async def listen(
        self, address: str, *, token: str = "", ready: Callable[[str], object] = lambda _: None
    ) -> None:
        """Wait for an engine that connects, until cancelled; `ready` receives the address once it is open.

        Raises:
            ConfigError: the address cannot be opened.
        """

        async def serve(session: Session) -> None:
            async with listen(address, self.bounds, token, serve=session.converse) as name:
                ready(name)
                await asyncio.Event().wait()

        with self._open_session(address, token) as session:
            await REMOTE.wait(serve(session))

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
            known = [
                session
                for session in self._sessions
                if session.greeted and session.acknowledged >= self.generation
            ]
            for session in known:
                if session.disarmed is not None:
                    raise session.disarmed
            if known and len(known) == len(self._sessions):
                return
            await self._news.wait()

    async def _leave(self, drain: float, *, withdraw: bool) -> None:
        for session in self._sessions:
            session.leave(drain, withdraw=withdraw)
        ends = [asyncio.ensure_future(each.outbox.closed.wait()) for each in self._sessions]
        if ends:
            await asyncio.wait(ends, timeout=drain)

    @contextmanager
    def _open_session(self, address: str, token: str) -> Iterator[Session]:
        user = asyncio.get_running_loop()

        async def perform(run: Run) -> Outcome:
            """Run a plain handler on a thread, an asynchronous one on the loop that attached."""
            if isinstance(run.spec.handler, InProcess) and run.spec.handler.worker:
                return await call_async(run)
            contained = contain_errors(call_async, run)
            return await asyncio.wrap_future(asyncio.run_coroutine_threadsafe(contained, user))

        session = Session(self, address, token, self.keys.find(address), perform)
        self._sessions.append(session)
        try:
            yield session
        finally:
            self._sessions.remove(session)
            REMOTE.call_soon(session.invocations.cancel_all)

    async def _stay_connected(self, session: Session) -> None:
        async with open_channel(session.address, self.bounds) as channel:
            while True:
                outbox: Outbox[pb.HandlerFrame] = Outbox(self.bounds.queue)
                async with open_stream(channel, "Attach", outbox, wait=True) as incoming:
                    await session.converse(incoming, outbox)
                if session.refused is not None and session.refused.name in _FINAL:
                    raise session.refused
                if session.left:
                    return
                why = session.refused or session.why or "it hung up"
                self._tell(f"`{self.name}` lost `{session.address}`: {why}")
                await asyncio.sleep(random.uniform(0.1, 1.0))  # noqa: S311 - no secret
