"""Peer: one instance that holds handlers, attached or lost; its invocations, and their fate without it."""

from __future__ import annotations

import asyncio
import math
from collections import deque
from typing import TYPE_CHECKING, Any, Protocol

from hookline.errors import ConfigError
from hookline.handlers.exceptions import OverdueError, RemoteHandlerError
from hookline.model.handler import InProcess
from hookline.model.outcome import Failure
from hookline.model.verdict import Stance
from hookline.remote.event_loop import REMOTE
from hookline.remote.proto import bridge_pb2 as pb
from hookline.remote.results import read_answer

if TYPE_CHECKING:
    from collections.abc import Coroutine, Iterator
    from concurrent.futures import Future

    from hookline.model.event import Event
    from hookline.model.spec import HookSpec
    from hookline.remote.bridge_state import BridgeState

_LONGEST_BUDGET = 2**32 - 1  # ms
_MOMENT = 0.005  # seconds by which timers differ
_MINUTE = 60.0


class FrameSink(Protocol):
    """The stream of a peer, as far as a peer uses it."""

    def post(self, frame: pb.EngineFrame) -> bool: ...

    def end(self, why: str, *, said: bool = True, drain: float = 0.0) -> None: ...


class Invocation:
    """One hook's run for one event. `answered` is its result."""

    def __init__(self, invoke: pb.Invoke, until: float, session_id: str) -> None:
        self.invoke = invoke
        self.until = until
        self.session_id = session_id
        self.answered: asyncio.Future[dict[str, Any]] = asyncio.get_running_loop().create_future()

    def fail(self, failure: Failure, detail: str) -> None:
        if not self.answered.done():
            self.answered.set_exception(RemoteHandlerError(failure, detail))


class Peer:
    """An instance by its name. `key`: the secret by which it resumes; `link`: its current stream.

    `pending` are the invocations that were sent, by id; `waiting` those beyond the limit. Everything belongs to the
    bridge's event loop, except the functions that `handler` makes, which any thread may call.
    """

    def __init__(self, bridge: BridgeState, instance: str, key: str) -> None:
        self.bridge = bridge
        self.instance = instance
        self.key = key
        self.link: FrameSink | None = None
        self.ready = False  # this link has registered its hooks
        self.draining = False
        self.hooks: frozenset[str] = frozenset()
        self.lost_at = 0.0
        self.losses = 0
        self.pending: dict[str, Invocation] = {}
        self.waiting: deque[Invocation] = deque()
        self._registries: deque[float] = deque(maxlen=bridge.bounds.registries)

    # -- called by the engine --------------------------------------------------------------------------------------

    def handler(self, spec: HookSpec, generation: int) -> InProcess:
        """Return the function that the engine calls for a hook: it asks this peer by its current link."""
        observed = spec.detached

        def call(event: Event) -> Any:
            if observed:
                invoke = self._invoke(spec, event, generation)
                REMOTE.call_soon(self.notify, invoke)
                return None
            try:
                asyncio.get_running_loop()
            except RuntimeError:
                return self._ask_and_wait(spec, event, generation)
            return self._ask_from_loop(spec, event, generation, REMOTE.is_current)

        return InProcess(call=call, name=spec.id, read_by_dialect=True)

    def _ask_and_wait(self, spec: HookSpec, event: Event, generation: int) -> Any:
        """Return the answer for a caller without an event loop, which must end the wait itself."""
        asked: Future[Any] = REMOTE.submit(
            self.ask(self._invoke(spec, event, generation), spec.timeout, event.session_id)
        )
        try:
            return asked.result(spec.timeout)
        except TimeoutError:
            raise OverdueError from None
        finally:
            asked.cancel()

    async def _ask_from_loop(
        self,
        spec: HookSpec,
        event: Event,
        generation: int,
        held_up: bool,  # noqa: FBT001 - passed once, by position
    ) -> Any:
        if held_up and not REMOTE.is_current:
            raise RemoteHandlerError(
                Failure.NOT_STARTED, "the call came from code that blocks the bridge's own thread"
            )
        return await REMOTE.wait(
            self.ask(self._invoke(spec, event, generation), spec.timeout, event.session_id)
        )

    def _invoke(self, spec: HookSpec, event: Event, generation: int) -> pb.Invoke:
        try:
            text = self.bridge.dialect.encode_event(event, spec).encode()
        except (TypeError, ValueError, RecursionError) as error:
            raise RemoteHandlerError(Failure.UNSERIALISABLE, f"{error}"[:200]) from None
        if len(text) > self.bridge.bounds.payload:
            most = self.bridge.bounds.payload
            raise RemoteHandlerError(
                Failure.NOT_STARTED,
                f"its event has {len(text):,} bytes, and {most:,} are the most that is sent",
            )
        return pb.Invoke(
            invocation_id=self.bridge.next_id(),
            hook_id=spec.name,
            generation=generation,
            event_type=spec.native_event,
            event_json=text,
            budget_ms=_milliseconds(spec.timeout),
            attempt=1,
            gating=spec.on_failure is not Stance.SILENT,
            reply_expected=not spec.detached,
            traceparent=self.bridge.trace(event),
        )

    # -- on the bridge's loop --------------------------------------------------------------------------------------

    def notify(self, invoke: pb.Invoke) -> None:
        """Notify an observer without waiting; drop the event if it is not attached or its queue is full."""
        if (
            self.link is None
            or not self.ready
            or self.draining
            or self.bridge.closed
            or not self.link.post(pb.EngineFrame(invoke=invoke))
        ):
            self.bridge.count("dropped")

    async def ask(self, invoke: pb.Invoke, seconds: float, session_id: str) -> dict[str, Any]:
        """Run a hook, and return its answer.

        Raises:
            RemoteHandlerError: there is none.
        """
        if self.link is None or self.draining or self.bridge.closed:
            raise RemoteHandlerError(Failure.UNREACHABLE, self._explain_absence())
        if len(self.waiting) >= self.bridge.bounds.waiting:
            raise RemoteHandlerError(
                Failure.NOT_STARTED,
                f"{len(self.waiting)} events wait for the handlers `{self.instance}` already",
            )
        invocation = Invocation(invoke, self.bridge.clock() + seconds, session_id)
        self.waiting.append(invocation)
        self.send_waiting()
        try:
            return await invocation.answered
        except asyncio.CancelledError:
            overdue = self.bridge.clock() >= invocation.until - _MOMENT
            self.withdraw(invocation, "timed out" if overdue else "its caller no longer waits")
            raise
        finally:
            self._forget(invocation)

    def _explain_absence(self) -> str:
        if self.bridge.closed:
            return "the bridge is closed"
        return f"the handlers `{self.instance}` {'are leaving' if self.link is not None else 'are not attached'}"

    def send_waiting(self) -> None:
        """Send waiting invocations up to the limit."""
        while (
            self.waiting
            and self.ready
            and self.link is not None
            and len(self.pending) < self.bridge.bounds.in_flight
        ):
            invocation = self.waiting.popleft()
            self.pending[invocation.invoke.invocation_id] = invocation
            self._send(invocation)

    def _send(self, invocation: Invocation) -> None:
        assert self.link is not None  # noqa: S101 - the callers have checked
        invocation.invoke.budget_ms = _milliseconds(invocation.until - self.bridge.clock())
        if not self.link.post(pb.EngineFrame(invoke=invocation.invoke)):
            self.link.end("it does not read what it is sent")

    def _forget(self, invocation: Invocation) -> None:
        if (
            self.pending.pop(invocation.invoke.invocation_id, None) is None
            and invocation in self.waiting
        ):
            self.waiting.remove(invocation)
        self.send_waiting()
        self.end_if_done()

    def end_if_done(self) -> None:
        """End the link of a peer that is leaving and owes no more answers."""
        if self.draining and self.link is not None and not any(self.iter_invocations()):
            self.link.end("it left")

    def handle_result(self, result: pb.Result) -> None:
        """Handle an answer; count one that comes too late."""
        invocation = self.pending.get(result.invocation_id)
        if invocation is None or invocation.answered.done():
            self.bridge.count("late")
            return
        try:
            invocation.answered.set_result(read_answer(result, self.bridge.bounds))
        except RemoteHandlerError as error:
            self.bridge.count("failed")
            invocation.answered.set_exception(error)

    def withdraw(self, invocation: Invocation, why: str) -> None:
        """Tell the peer that an invocation was cancelled."""
        if invocation.invoke.invocation_id in self.pending:
            self.bridge.count("cancelled")
            if self.link is not None:
                self.link.post(
                    pb.EngineFrame(
                        cancel=pb.Cancel(invocation_id=invocation.invoke.invocation_id, why=why)
                    )
                )

    def iter_invocations(self) -> Iterator[Invocation]:
        """Yield all pending and waiting invocations."""
        yield from (*self.pending.values(), *self.waiting)

    # -- coming and going ------------------------------------------------------------------------------------------

    def count_registry(self) -> None:
        """Count a new set of hooks, by this link or another.

        Raises:
            ConfigError: there were too many.
        """
        told, now = self._registries, self.bridge.clock()
        if len(told) == told.maxlen and now - told[0] < _MINUTE:
            raise ConfigError(f"more than {told.maxlen} registries a minute", name="remote.bounds")
        told.append(now)

    def handle_registered(self, generation: int) -> None:
        """Send running invocations again after its hooks are registered on a new link."""
        again, self.ready = not self.ready, True
        for invocation in list(self.pending.values()) if again else ():
            if invocation.invoke.hook_id not in self.hooks:
                invocation.fail(
                    Failure.NOT_STARTED, f"the handlers `{self.instance}` came back without it"
                )
                continue
            invocation.invoke.attempt += 1
            invocation.invoke.generation = generation
            self.bridge.count("resent")
            self._send(invocation)
        self.send_waiting()

    def handle_loss(self, why: str) -> Coroutine[Any, Any, None] | None:
        """Handle the loss of the link. The caller must await the result: the grace period in which the peer may come back."""
        self.link, self.ready, self.draining = None, False, False
        self.lost_at = self.bridge.clock()
        self.losses += 1
        if self.bridge.bounds.grace > 0 and any(self.iter_invocations()):
            return self._after_grace(why, self.losses)
        self.fail_all(why)
        return None

    async def _after_grace(self, why: str, loss: int) -> None:
        await self.bridge.sleep(self.bridge.bounds.grace)
        if self.link is None and self.losses == loss:
            self.fail_all(why)

    def fail_all(self, why: str) -> None:
        """Fail all invocations; each hook's fail mode says what that means."""
        for invocation in list(self.iter_invocations()):
            invocation.fail(
                Failure.UNREACHABLE,
                f"the handlers `{self.instance}` were lost{f': {why}' if why else ''}",
            )


def _milliseconds(seconds: float) -> int:
    return max(1, min(math.ceil(seconds * 1000), _LONGEST_BUDGET))


def bind_handlers(peer: Peer, specs: tuple[HookSpec, ...], generation: int) -> list[HookSpec]:
    """Return definitions with the peer as their handler. Observers are only notified, so they need no engine thread."""
    return [
        spec.replace(handler=peer.handler(spec, generation), detached=False)
        if type(spec.handler) is InProcess
        else spec
        for spec in specs
    ]
