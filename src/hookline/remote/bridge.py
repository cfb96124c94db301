"""Bridge: the engine's end of the streams to remote handlers, and their hooks in the engine."""

from __future__ import annotations

import asyncio
import logging
import re
from contextlib import suppress
from typing import TYPE_CHECKING, Any

from hookline.core.dialect import Source
from hookline.dialects.a3s.table import NAME, TABLE
from hookline.errors import ConfigError, HookError
from hookline.model.spec import HookSpec, InProcess
from hookline.model.verdict import Failure, RemoteHandlerError, Stance
from hookline.remote.grpc_transport import REMOTE, admit, exchange
from hookline.remote.messages import (
    DIALECT,
    PAYLOAD,
    PROTOCOL,
    make_invoke,
    read_answer,
    read_hooks,
)
from hookline.remote.proto import bridge_pb2 as pb
from hookline.remote.proto import bridge_pb2_grpc as rpc

if TYPE_CHECKING:
    from collections.abc import AsyncIterable, Callable, Iterable, Sequence

    from hookline.engine.engine import Engine
    from hookline.model.event import Event
    from hookline.remote.grpc_transport import Write

_INSTANCE = re.compile(r"[A-Za-z0-9._:-]{1,128}")
_MOST_INSTANCES = 64  # that have hooks
_IN_FLIGHT = 64  # invocations of one instance
_LOG = logging.getLogger("hookline.remote")


class Link:
    """One stream to handlers. `pending`: by id, the session and the result of what runs there."""

    def __init__(self) -> None:
        self.instance = ""  # until it is attached
        self.frames: asyncio.Queue[pb.EngineFrame] = asyncio.Queue(2 * _IN_FLIGHT)
        self.pending: dict[str, tuple[str, asyncio.Future[pb.Result]]] = {}
        self._lost = ""
        self._slots = asyncio.Semaphore(_IN_FLIGHT)

    async def send(self, **frame: Any) -> None:
        """Queue a frame, when there is room."""
        await self.frames.put(pb.EngineFrame(**frame))

    async def ask(self, invoke: pb.Invoke, session_id: str) -> dict[str, Any]:
        """Run a hook, and return its answer; if the caller no longer waits, cancel it there.

        Raises:
            RemoteHandlerError: there is none.
        """
        async with self._slots:
            if self._lost:
                raise RemoteHandlerError(Failure.UNREACHABLE, self._lost)
            if self.frames.full():
                why = f"the handlers `{self.instance}` do not read what they are sent"
                raise RemoteHandlerError(Failure.NOT_STARTED, why)
            self.frames.put_nowait(pb.EngineFrame(invoke=invoke))
            answered: asyncio.Future[pb.Result] = asyncio.get_running_loop().create_future()
            self.pending[invoke.invocation_id] = session_id, answered
            try:
                result = await answered
            except BaseException as error:
                why = str(error) or "the engine no longer waits"
                cancel = pb.Cancel(invocation_id=invoke.invocation_id, why=why)
                with suppress(asyncio.QueueFull):
                    self.frames.put_nowait(pb.EngineFrame(cancel=cancel))
                raise
            finally:
                del self.pending[invoke.invocation_id]
            return read_answer(result)

    def lose(self, why: str) -> None:
        """Fail what runs, because the stream has ended."""
        self._lost = f"the handlers `{self.instance}` were lost{f': {why}' if why else ''}"
        self.fail(Failure.UNREACHABLE, self._lost)

    def fail(self, failure: Failure, why: str, session_id: str | None = None) -> None:
        """Fail what runs, in one session or in all; each hook's fail mode says what that means."""
        for session, answered in self.pending.values():
            if session_id in (None, session) and not answered.done():
                answered.set_exception(RemoteHandlerError(failure, why))


class Bridge(rpc.HookBridgeServicer):
    """Hooks of an engine whose handlers run elsewhere.

    `others` returns further engines that get these hooks too; one that is created later gets the
    hooks that the first one has by then. `expected` are instances whose gates stay closed until
    they send their hooks. `links`: by instance, those that are attached. Everything but `forget`
    and `end_session` belongs to the event loop of `hookline.remote`.
    """

    def __init__(
        self,
        engine: Engine,
        *,
        others: Callable[[], Iterable[Engine]] = tuple,
        expected: Iterable[str] = (),
    ) -> None:
        self.engine = engine
        self.links: dict[str, Link] = {}
        self._others = others
        gates = [event for event, row in TABLE.rows.items() if row.fails is Stance.DENY]
        for instance in expected:
            _check_name(instance)
            tree = [{"id": f"{instance}:{event}", "event_type": event} for event in gates]
            loaded = DIALECT.load(Source(tree={"hooks": tree}, scope="process"))
            self._install(instance, [self._bind(spec, instance, 0) for spec in loaded.specs])

    # -- streams -----------------------------------------------------------------------------------

    async def Attach(self, incoming: Any, context: Any) -> None:  # noqa: N802 - the contract's name
        """Serve handlers that connect."""
        await admit(context)
        await self.converse(incoming, context.write)

    async def converse(self, incoming: AsyncIterable[pb.HandlerFrame], write: Write) -> None:
        """Serve one stream until it ends."""
        link, why = Link(), ""

        async def take(frame: pb.HandlerFrame) -> None:
            try:
                await (self._take(link, frame) if link.instance else self._greet(link, frame.hello))
            except ConfigError as error:
                await link.send(goaway=pb.Goaway(why=f"{error.code}: {error}"))
                await link.frames.join()
                raise

        try:
            await exchange(incoming, link.frames, write, take)
        except HookError as error:
            why = error.message
            if not link.instance:  # nothing in the engine shows that handlers are missing
                _LOG.warning("handlers could not attach: %s", why)
        finally:
            if link.instance:
                del self.links[link.instance]
                link.lose(why)

    async def _greet(self, link: Link, hello: pb.Hello) -> None:
        """Attach handlers that say who they are.

        Raises:
            ConfigError: they may not attach.
        """
        name = hello.instance_id
        if hello.protocol != PROTOCOL:
            words = f"the first frame must be a Hello of protocol {PROTOCOL}"
            raise ConfigError(words, name="remote.protocol")
        _check_name(name)
        if name in self.links:
            hint = "the name is free as soon as that process is gone"
            raise ConfigError(f"another process holds `{name}`", name="remote.taken", hint=hint)
        link.instance, self.links[name] = name, link
        welcome = pb.Welcome(
            protocol=PROTOCOL,
            max_in_flight=_IN_FLIGHT,
            max_payload_bytes=PAYLOAD,
            event_types=list(TABLE.rows),
        )
        await link.send(welcome=welcome)

    async def _take(self, link: Link, frame: pb.HandlerFrame) -> None:
        match frame.WhichOneof("kind"):
            case "result" if frame.result.invocation_id in link.pending:
                _, answered = link.pending[frame.result.invocation_id]
                if not answered.done():
                    answered.set_result(frame.result)
            case "registry":
                await self._register(link, frame.registry)

    # -- hooks -------------------------------------------------------------------------------------

    async def _register(self, link: Link, registry: pb.Registry) -> None:
        """Take a set of hooks.

        A thread reads it, so that other streams continue; only this stream waits.
        """
        specs, rejected = await asyncio.to_thread(read_hooks, registry.hooks)
        owners = self.engine.loader.snapshot.enlisted.keys()
        if len(owners - {f"remote:{link.instance}"}) >= _MOST_INSTANCES:
            words = f"{_MOST_INSTANCES} others have hooks here"
            raise ConfigError(words, name="remote.bounds")
        bound = [self._bind(spec, link.instance, registry.generation) for spec in specs]
        self._install(link.instance, bound)
        wrong = [pb.Rejected(hook_id=hook, problem=problem) for hook, problem in rejected.items()]
        ack = pb.RegistryAck(generation=registry.generation, rejected=wrong)
        await link.send(registry_ack=ack)

    def _install(self, instance: str, specs: Sequence[HookSpec]) -> None:
        """Install hooks in the first engine, then in the others.

        An engine created meanwhile gets them either way.
        """
        for engine in (self.engine, *self._others()):
            engine.loader.enlist(f"remote:{instance}", specs, NAME, self.end_session)

    def _bind(self, spec: HookSpec, instance: str, generation: int) -> HookSpec:
        """Return a hook that asks the handlers of an instance."""
        if type(spec.handler) is not InProcess:  # a broken one
            return spec

        async def ask(invoke: pb.Invoke, session_id: str) -> dict[str, Any]:
            link = self.links.get(instance)
            if link is None:
                why = f"the handlers `{instance}` are not attached"
                raise RemoteHandlerError(Failure.UNREACHABLE, why)
            return await link.ask(invoke, session_id)

        def call(event: Event) -> Any:
            session = "" if spec.detached else event.session_id  # an observer may outlive it
            return REMOTE.wait(ask(make_invoke(spec, event, generation), session))

        return spec.replace(handler=InProcess(call=call, name=spec.id, read_by_dialect=True))

    def end_session(self, session_id: str) -> None:
        """Cancel what runs for a session that has ended; callable from any thread."""
        why = "its session has ended"
        for link in tuple(self.links.values()):
            REMOTE.call_soon(link.fail, Failure.CANCELLED, why, session_id)

    def forget(self, instance: str) -> None:
        """Drop the hooks of an instance, guards included; callable from any thread."""
        self._install(instance, [])


def _check_name(instance: str) -> None:
    """Raise ConfigError unless this can be the name of an instance."""
    if not _INSTANCE.fullmatch(instance):
        hint = "letters, digits, and `.`, `_`, `:`, `-`; at most 128"
        words = f"{instance!r:.80} is not a name for an instance"
        raise ConfigError(words, name="remote.protocol", hint=hint)
