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
from hookline.errors import CODES, ConfigError
from hookline.handlers.table import call_async
from hookline.handlers.workers import Workers
from hookline.model.spec import InProcess
from hookline.remote.definitions import to_message
from hookline.remote.event_loop import REMOTE
from hookline.remote.grpc_transport import listen, open_channel, open_stream
from hookline.remote.invocations import Invocations, contain_errors
from hookline.remote.limits import PROTOCOL, Bounds
from hookline.remote.proto import bridge_pb2 as pb
from hookline.remote.resume_keys import ResumeKeys
from hookline.remote.stream import Outbox, read_frames

if TYPE_CHECKING:
    from collections.abc import AsyncIterable, AsyncIterator, Callable, Iterator, Mapping
    from typing import Any

    from hookline.a3s.handlers import HookHandler
    from hookline.core.dispatch import Run
    from hookline.model.spec import HookSpec
    from hookline.model.verdict import Outcome
    from hookline.remote.invocations import Perform

# Refusals that waiting does not change.
_FINAL = frozenset({"remote.token", "remote.protocol"})
_LOG = logging.getLogger("hookline.remote")
_NAMES = {code: name for name, code in CODES.items()}
_MINUTE = 60.0
_GENERATIONS = 8  # the generations that an engine may still ask for


class Handlers:
    """Hooks under a name that the engine knows them by.

    `attach` connects to an engine, `listen` waits for one.

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
        self._workers = Workers()
        self._lock = threading.Lock()
        self._hooks: dict[str, tuple[pb.HookSpec, HookSpec]] = {}
        self._generations: OrderedDict[int, dict[str, HookSpec]] = OrderedDict()
        self._sessions: list[Session] = []
        self._news = asyncio.Event()

    # -- hooks -------------------------------------------------------------------------------------

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
        """Register a definition with its handler, replacing one with the same id.

        From any thread, also while attached.

        Raises:
            ConfigError: the definition or the handler cannot be used, or an engine would refuse the
                id or the number of hooks.
        """
        known = read_definition(hook, self._dialect)
        name, event = known.hook.id, known.spec.native_event
        message = to_message(known.hook)
        called = make_in_process(make_handler(handler), name, event, self._workers)
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

    # -- attaching ---------------------------------------------------------------------------------

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
        """Wait for an engine that connects, until cancelled.

        `ready` receives the address once it is open.

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


class Session:
    """The handlers of this process at one engine.

    It outlives its streams, of which there is one at a time.

    `key`: by which they take their place again. `left`: the engine knows that they leave. Of the
    current stream: `refused` is why the engine refused it, `disarmed` why none of our hooks counts
    there, `why` the reason of its end; `sent_generation` is that of our hooks which was sent last,
    `acknowledged` the last one that the engine confirmed.
    """

    def __init__(
        self, handlers: Handlers, address: str, token: str, key: str, perform: Perform
    ) -> None:
        self.handlers = handlers
        self.address = address
        self.token = token
        self.key = key
        self.left = False
        most = handlers.bounds.in_flight * 4
        self.invocations = Invocations(handlers.find, perform, self._post_result, most=most)
        self.outbox: Outbox[pb.HandlerFrame] = Outbox(0)
        self.outbox.close()
        self._resting: asyncio.TimerHandle | None = None
        self._reset()

    def _reset(self) -> None:
        self.greeted = False
        self.sent_generation = self.acknowledged = -1
        self.disarmed: ConfigError | None = None
        self.refused: ConfigError | None = None
        self.why = ""
        self._sent: frozenset[str] = frozenset()

    def begin(self, outbox: Outbox[pb.HandlerFrame]) -> None:
        """Begin a stream, in place of an earlier one."""
        self.outbox.close()
        self.outbox = outbox
        self._reset()
        hello = pb.Hello(
            protocol=PROTOCOL,
            instance_id=self.handlers.name,
            token=self.token.encode(),
            resume_id=self.key,
        )
        self._send(hello=hello)

    async def converse(
        self, incoming: AsyncIterable[pb.EngineFrame], outbox: Outbox[pb.HandlerFrame]
    ) -> None:
        """Serve a stream until it ends.

        Running invocations continue, because the engine may ask for them again.
        """
        self.begin(outbox)
        why = ""
        try:
            why = await read_frames(incoming, outbox, self.take)
        finally:
            if self.outbox is outbox:
                self.greeted = False
                self.why = self.why or why

    def _send(self, **frame: Any) -> None:
        """Queue a frame; end the stream if the engine does not read."""
        if not self.outbox.post(pb.HandlerFrame(**frame)):
            self.outbox.close()

    def _post_result(self, result: pb.Result) -> None:
        if self.greeted:
            self._send(result=result)

    def announce(self) -> None:
        """Send our hooks to the engine, unless it has them.

        It waits until the engine has confirmed the previous ones, and keeps to half of the engine's
        limit per minute. So many changes become one message.
        """
        is_free = self.greeted and not self.left and self._resting is None
        if (
            is_free
            and self.acknowledged >= self.sent_generation
            and self.handlers.generation > self.sent_generation
        ):
            pause = 2 * _MINUTE / self.handlers.bounds.registries
            self._resting = asyncio.get_running_loop().call_later(pause, self._announce_next)
            self._send_hooks()

    def _announce_next(self) -> None:
        self._resting = None
        self.announce()

    def _send_hooks(self) -> None:
        registry = self.handlers.registry()
        self.sent_generation = registry.generation
        self._sent = frozenset(hook.id for hook in registry.hooks)
        self._send(registry=registry)

    def leave(self, drain: float, *, withdraw: bool) -> None:
        """Tell the engine to send nothing more.

        `withdraw`: to forget our hooks too, guards included.
        """
        self.left = True
        if withdraw and self.greeted:
            self._send(registry=self.handlers.registry(empty=True))
        self._send(goaway=pb.Goaway(why="they leave", drain_ms=round(drain * 1000)))

    # -- what comes in -----------------------------------------------------------------------------

    def take(self, frame: pb.EngineFrame) -> None:
        """Handle a frame of the engine."""
        match frame.WhichOneof("kind"):
            case "invoke" if self.greeted:
                self.invocations.invoke(frame.invoke)
            case "cancel":
                self.invocations.cancel(frame.cancel.invocation_id)
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
            self.outbox.close()
            return
        self.greeted = True
        self.key = welcome.session_key
        self.handlers.keys.store(self.address, self.key)
        self._send_hooks()

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
        words = f"the engine at `{self.address}` took no hook of `{self.handlers.name}`: {'; '.join(each):.800}"
        hint = "what it knew of them before still counts"
        return ConfigError(words, name="remote.rejected", hint=hint)

    def _handle_goaway(self, goaway: pb.Goaway) -> None:
        code, _, words = goaway.why.partition(": ")
        self.why = goaway.why
        if code in _NAMES:
            words = f"the engine at `{self.address}` refuses: {words}"
            self.refused = ConfigError(words, name=_NAMES[code])
            self.outbox.close()
