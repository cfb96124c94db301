"""Handlers: a3s hooks in this process, for an engine in another one."""

from __future__ import annotations

import asyncio
import json
import logging
import random
import threading
from contextlib import asynccontextmanager, suppress
from functools import partial
from typing import TYPE_CHECKING

from hookline.a3s import Hook, HookConfig, HookMatcher
from hookline.a3s.definitions import read_definition
from hookline.a3s.handlers import make_handler, make_in_process
from hookline.core.dispatch import Run
from hookline.errors import CodecError, ConfigError, HookError
from hookline.handlers.table import call_async
from hookline.handlers.workers import Workers
from hookline.model.verdict import Failure, Outcome
from hookline.remote.grpc_transport import (
    REMOTE,
    TokenCheck,
    admit,
    exchange,
    listen,
    make_error,
    make_metadata,
    open_channel,
    required_token,
    wait_for_admission,
)
from hookline.remote.messages import (
    DIALECT,
    PROTOCOL,
    to_message,
    to_result,
    use_traceparent,
)
from hookline.remote.proto import bridge_pb2 as pb
from hookline.remote.proto import bridge_pb2_grpc as rpc

if TYPE_CHECKING:
    from collections.abc import AsyncIterable, AsyncIterator, Callable, Mapping
    from typing import Any

    from hookline.a3s.handlers import HookHandler
    from hookline.model.spec import HookSpec
    from hookline.remote.grpc_transport import Write

_LOG = logging.getLogger("hookline.remote")
_PASSING = ("remote.unreachable", "remote.taken")  # what ends by itself

_CONFIRMATION = 5.0  # seconds for an engine to confirm that hooks are withdrawn


class Handlers:
    """Hooks under a name that the engine knows them by.

    `attach` connects to an engine, `listen` waits for one. Lost links and rejected hooks are logged
    as warnings. `rejected`: by id, why the engine that answered last rejected hooks. Plain handlers
    run on threads, asynchronous ones on the event loop that awaits `attach`.
    """

    def __init__(self, name: str) -> None:
        self.name = name
        self.rejected: Mapping[str, str] = {}
        self.hooks: dict[str, tuple[pb.HookSpec, HookSpec]] = {}
        self.generation = 0
        self.sessions: set[Session] = set()
        self._workers = Workers()
        self._lock = threading.Lock()
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
        """Decorate a function, plain or asynchronous, as the handler of an event of a3s.

        The fields are those of docs/formats/a3s.md 3 and 4; `timeout` is in seconds.
        `observe_only`: the handler is notified without waiting. The id is the function's name by
        default.

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
            ConfigError: the definition or the handler cannot be used.
        """
        known = read_definition(hook, DIALECT)
        name, event = known.hook.id, known.spec.native_event
        message = to_message(known.hook)
        called = make_in_process(make_handler(handler), name, event, self._workers)
        with self._lock:
            self.hooks[name] = message, known.spec.replace(handler=called)
            self._announce()

    def unregister(self, hook_id: str) -> bool:
        """Forget a hook; return False if there is none."""
        with self._lock:
            known = self.hooks.pop(hook_id, None) is not None
            self._announce()
        return known

    def _announce(self) -> None:
        """Send the hooks to every engine."""
        self.generation += 1
        for session in tuple(self.sessions):
            REMOTE.call_soon(session.announce)

    def wake(self) -> None:
        """Let `ready` look again."""
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
            ConfigError: the address is invalid.
            HookError: the engine will never admit these handlers.
        """
        user = asyncio.get_running_loop()
        metadata = make_metadata(token)

        async def stay_attached() -> None:
            async with open_channel(address) as channel:
                while True:
                    stub = rpc.HookBridgeStub(channel)
                    call = stub.Attach(metadata=metadata, wait_for_ready=True)
                    await wait_for_admission(call)
                    end = await Session(self, address, user).converse(call, call.write)
                    if end.name not in _PASSING:
                        raise end
                    call.cancel()
                    await asyncio.sleep(random.uniform(0.1, 1.0))  # noqa: S311 - no secret

        await REMOTE.wait(stay_attached())

    async def listen(
        self, address: str, *, token: str = "", ready: Callable[[str], object] = lambda _: None
    ) -> None:
        """Wait for an engine that connects, until cancelled.

        `ready` receives the address once it is open.

        Raises:
            ConfigError: the address cannot be opened, or needs a token.
        """
        service = _ServeService(partial(Session, self, address, asyncio.get_running_loop()))
        add = partial(rpc.add_HookBridgeServicer_to_server, service)

        async def serve() -> None:
            async with listen(address, TokenCheck(required_token(address, token)), add) as name:
                ready(name)
                await asyncio.Event().wait()

        await REMOTE.wait(serve())

    @asynccontextmanager
    async def attached(
        self, address: str, *, token: str = "", withdraw: bool = False
    ) -> AsyncIterator[None]:
        """Stay attached within a block, at whose start the engine has these hooks.

        At its end the gates stay closed until the handlers are back. `withdraw`: unregister all
        hooks at the end instead, so that the engine forgets them.

        Raises:
            HookError: as `attach` and `ready`.
        """
        attaching = asyncio.ensure_future(self.attach(address, token=token))
        known = asyncio.ensure_future(self.ready())
        try:
            await next(asyncio.as_completed((attaching, known)))
            yield
            if withdraw:
                for name in tuple(self.hooks):
                    self.unregister(name)
                known = asyncio.ensure_future(self.ready())
                # An engine that is gone never confirms it.
                seconds = _CONFIRMATION if self.sessions else 0.0
                first = asyncio.FIRST_COMPLETED
                await asyncio.wait((attaching, known), timeout=seconds, return_when=first)
        finally:
            for task in (known, attaching):
                task.cancel()
            await asyncio.gather(known, attaching, return_exceptions=True)

    async def ready(self) -> None:
        """Wait until every attached engine, and at least one, has the current hooks.

        Raises:
            ConfigError: it rejected some of the hooks.
        """

        async def wait_until_known() -> None:
            while not self.sessions or min(each.known for each in self.sessions) < self.generation:
                await self._news.wait()

        await REMOTE.wait(wait_until_known())
        if self.rejected:
            words = f"the engine rejected hooks of `{self.name}`: {self.rejected!s:.800}"
            raise ConfigError(words, name="remote.rejected")


class _ServeService(rpc.HookBridgeServicer):
    """Streams of engines that connect."""

    def __init__(self, make_session: Callable[[], Session]) -> None:
        self._make_session = make_session

    async def Serve(self, incoming: Any, context: Any) -> None:  # noqa: N802 - the contract's name
        await admit(context)
        await self._make_session().converse(incoming, context.write)


class Session:
    """One stream to an engine. `sent`: the generation of the hooks that it was sent last.

    `known`: the last one that it confirmed.
    """

    def __init__(self, handlers: Handlers, address: str, user: asyncio.AbstractEventLoop) -> None:
        self.handlers = handlers
        self.sent = self.known = -1
        self._address = address
        self._user = user
        self._frames: asyncio.Queue[pb.HandlerFrame] = asyncio.Queue()
        self._running: dict[str, asyncio.Task[None]] = {}
        self._send(hello=pb.Hello(protocol=PROTOCOL, instance_id=handlers.name))

    async def converse(self, incoming: AsyncIterable[pb.EngineFrame], write: Write) -> HookError:
        """Serve the stream until it ends, and return why it did.

        What runs then is cancelled, because the engine has given it up.
        """
        end = make_error("it hung up")
        try:
            await exchange(incoming, self._frames, write, self._take)
        except HookError as error:
            end = error
        finally:
            self.handlers.sessions.discard(self)
            self.handlers.wake()
            for task in self._running.values():
                task.cancel()
        _LOG.warning("`%s` lost `%s`: %s", self.handlers.name, self._address, end.message)
        return end

    def _send(self, **frame: Any) -> None:
        self._frames.put_nowait(pb.HandlerFrame(**frame))

    def announce(self) -> None:
        """Send our hooks if the engine has others.

        It waits until the engine has confirmed the previous ones, so many changes are one message.
        """
        if self.known == self.sent < self.handlers.generation:
            self.sent = self.handlers.generation
            hooks = [message for message, _ in tuple(self.handlers.hooks.values())]
            self._send(registry=pb.Registry(generation=self.sent, hooks=hooks))

    # -- what comes in -----------------------------------------------------------------------------

    async def _take(self, frame: pb.EngineFrame) -> None:
        match frame.WhichOneof("kind"):
            case "invoke" if not self._user.is_closed():  # or else this stream is about to end
                task = asyncio.ensure_future(self._answer(frame.invoke))
                self._running[frame.invoke.invocation_id] = task
            case "cancel" if frame.cancel.invocation_id in self._running:
                self._running[frame.cancel.invocation_id].cancel()
            case "welcome":
                self.handlers.sessions.add(self)
                self.announce()
            case "registry_ack":
                ack = frame.registry_ack
                self.known = ack.generation
                self.handlers.rejected = {each.hook_id: each.problem for each in ack.rejected}
                if ack.rejected:
                    _LOG.warning("`%s` rejected hooks: %s", self._address, self.handlers.rejected)
                self.handlers.wake()
                self.announce()
            case "goaway":
                raise make_error(frame.goaway.why)

    # -- what runs ---------------------------------------------------------------------------------

    async def _answer(self, invoke: pb.Invoke) -> None:
        """Run a hook on the loop that attached, and send its answer.

        A timeout needs none, because the engine's clock counts.
        """
        try:
            spec = self.handlers.hooks[invoke.hook_id][1].replace(timeout=invoke.budget_ms / 1000)
            event = DIALECT.decode_event(json.loads(invoke.event_json), invoke.event_type)
            with use_traceparent(invoke.traceparent):
                calling = call_async(Run(spec=spec, event=event))
                running = asyncio.run_coroutine_threadsafe(calling, self._user)
                outcome = await asyncio.wrap_future(running)
        except KeyError:
            words = f"there is no hook `{invoke.hook_id}` here"
            outcome = Outcome(failure=Failure.NOT_STARTED, detail=words)
        except (CodecError, ValueError) as error:
            outcome = Outcome(failure=Failure.NOT_STARTED, detail=str(error))
        finally:
            del self._running[invoke.invocation_id]
        if outcome.failure is not Failure.TIMED_OUT:
            self._send(result=to_result(outcome, invoke.invocation_id))
