"""Peer: one instance that holds handlers, attached or missed; what it is asked, and what becomes of that without it."""

from __future__ import annotations

import asyncio
import math
from collections import deque
from typing import TYPE_CHECKING, Any

from hookline.errors import ConfigError
from hookline.handlers.exceptions import OverdueError, RemoteHandlerError
from hookline.model.handler import InProcess
from hookline.model.outcome import Failure
from hookline.model.verdict import Stance
from hookline.remote.loop import REMOTE
from hookline.remote.proto import bridge_pb2 as pb
from hookline.remote.results import answer_of

if TYPE_CHECKING:
    from collections.abc import Coroutine, Iterator
    from concurrent.futures import Future

    from hookline.model.event import Event
    from hookline.model.spec import HookSpec
    from hookline.remote.bridge import Bridge
    from hookline.remote.link import Link

_LONGEST_BUDGET = 2**32 - 1  # ms
_MOMENT = 0.005  # seconds, by which timers differ
_MINUTE = 60.0


class Invocation:
    """One hook that is asked about one event. `answered` is what is waited for."""

    def __init__(self, invoke: pb.Invoke, until: float, session_id: str) -> None:
        self.invoke = invoke
        self.until = until
        self.session_id = session_id
        self.answered: asyncio.Future[dict[str, Any]] = asyncio.get_running_loop().create_future()

    def fail(self, failure: Failure, detail: str) -> None:
        if not self.answered.done():
            self.answered.set_exception(RemoteHandlerError(failure, detail))


class Peer:
    """An instance by its name. `key`: the secret by which it is taken over; `link`: the stream that it has now.

    `pending` are invocations that were sent, by id; `waiting` those that wait until fewer are. All of it belongs to the
    bridge's event loop; what `handler` makes may be called anywhere.
    """

    def __init__(self, bridge: Bridge, instance: str, key: str) -> None:
        self.bridge = bridge
        self.instance = instance
        self.key = key
        self.link: Link | None = None
        self.ready = False  # its hooks are registered, by this link
        self.draining = False
        self.hooks: frozenset[str] = frozenset()
        self.lost_at = 0.0
        self.losses = 0
        self.pending: dict[str, Invocation] = {}
        self.waiting: deque[Invocation] = deque()
        self._registries: deque[float] = deque(maxlen=bridge.bounds.registries)

    # -- asked by the engine ---------------------------------------------------------------------------------------

    def handler(self, spec: HookSpec, generation: int) -> InProcess:
        """What the engine calls for a hook: it asks this peer, wherever the peer is by then."""
        observed = spec.detached

        def call(event: Event) -> Any:
            if observed:
                invoke = self._invoke(spec, event, generation)
                REMOTE.tell(self.tell, invoke)
                return None
            try:
                asyncio.get_running_loop()
            except RuntimeError:
                return self._waited_for(spec, event, generation)
            return self._asked(spec, event, generation, REMOTE.here)

        return InProcess(call=call, name=spec.id, read_by_dialect=True)

    def _waited_for(self, spec: HookSpec, event: Event, generation: int) -> Any:
        """The answer for a caller without an event loop, who has nobody else to end its wait."""
        asked: Future[Any] = REMOTE.submit(
            self.ask(self._invoke(spec, event, generation), spec.timeout, event.session_id)
        )
        try:
            return asked.result(spec.timeout)
        except TimeoutError:
            raise OverdueError from None
        finally:
            asked.cancel()

    async def _asked(self, spec: HookSpec, event: Event, generation: int, held_up: bool) -> Any:  # noqa: FBT001 - told once, by us
        if held_up and not REMOTE.here:
            raise RemoteHandlerError(
                Failure.NOT_STARTED, "it was asked by code that holds up the bridge's own thread"
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

    def tell(self, invoke: pb.Invoke) -> None:
        """Tell an observer; it is not waited for, and told nothing where nobody is there or nothing more fits."""
        if (
            self.link is None
            or not self.ready
            or self.draining
            or self.bridge.closed
            or not self.link.post(pb.EngineFrame(invoke=invoke))
        ):
            self.bridge.count("dropped")

    async def ask(self, invoke: pb.Invoke, seconds: float, session_id: str) -> dict[str, Any]:
        """Ask a hook, and return its answer.

        Raises:
            FailedError: there is none.
        """
        if self.link is None or self.draining or self.bridge.closed:
            raise RemoteHandlerError(Failure.UNREACHABLE, self._missing())
        if len(self.waiting) >= self.bridge.bounds.waiting:
            raise RemoteHandlerError(
                Failure.NOT_STARTED,
                f"{len(self.waiting)} events wait for the handlers `{self.instance}` already",
            )
        invocation = Invocation(invoke, self.bridge.clock() + seconds, session_id)
        self.waiting.append(invocation)
        self.pump()
        try:
            return await invocation.answered
        except asyncio.CancelledError:
            overdue = self.bridge.clock() >= invocation.until - _MOMENT
            self.withdraw(invocation, "timed out" if overdue else "nobody waits for it any more")
            raise
        finally:
            self._forget(invocation)

    def _missing(self) -> str:
        if self.bridge.closed:
            return "the bridge is closed"
        return f"the handlers `{self.instance}` {'are leaving' if self.link is not None else 'are not attached'}"

    def pump(self) -> None:
        """Send what waits, as far as there may be more under way."""
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
        assert self.link is not None  # noqa: S101 - whoever sends has looked
        invocation.invoke.budget_ms = _milliseconds(invocation.until - self.bridge.clock())
        if not self.link.post(pb.EngineFrame(invoke=invocation.invoke)):
            self.link.end("it does not read what it is sent")

    def _forget(self, invocation: Invocation) -> None:
        if (
            self.pending.pop(invocation.invoke.invocation_id, None) is None
            and invocation in self.waiting
        ):
            self.waiting.remove(invocation)
        self.pump()
        self.leave()

    def leave(self) -> None:
        """A peer that is going, and owes no answer any more, is gone."""
        if self.draining and self.link is not None and not any(self.under_way()):
            self.link.end("it left")

    def result(self, result: pb.Result) -> None:
        """An answer; one that nobody waits for is counted."""
        invocation = self.pending.get(result.invocation_id)
        if invocation is None or invocation.answered.done():
            self.bridge.count("late")
            return
        try:
            invocation.answered.set_result(answer_of(result, self.bridge.bounds))
        except RemoteHandlerError as error:
            self.bridge.count("failed")
            invocation.answered.set_exception(error)

    def withdraw(self, invocation: Invocation, why: str) -> None:
        """Tell the peer that an invocation is no longer waited for."""
        if invocation.invoke.invocation_id in self.pending:
            self.bridge.count("cancelled")
            if self.link is not None:
                self.link.post(
                    pb.EngineFrame(
                        cancel=pb.Cancel(invocation_id=invocation.invoke.invocation_id, why=why)
                    )
                )

    def under_way(self) -> Iterator[Invocation]:
        """Everything that is waited for."""
        yield from (*self.pending.values(), *self.waiting)

    # -- coming and going ------------------------------------------------------------------------------------------

    def count_registry(self) -> None:
        """It tells its hooks anew, by this link or by another.

        Raises:
            ConfigError: it did so too often.
        """
        told, now = self._registries, self.bridge.clock()
        if len(told) == told.maxlen and now - told[0] < _MINUTE:
            raise ConfigError(f"more than {told.maxlen} registries a minute", name="remote.bounds")
        told.append(now)

    def registered(self, generation: int) -> None:
        """Its hooks are known; what was under way when the former link was lost is asked once more."""
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
        self.pump()

    def left(self, why: str) -> Coroutine[Any, Any, None] | None:
        """Its link is lost. What is returned is to be awaited: the end of the grace in which it may come back."""
        self.link, self.ready, self.draining = None, False, False
        self.lost_at = self.bridge.clock()
        self.losses += 1
        if self.bridge.bounds.grace > 0 and any(self.under_way()):
            return self._after_grace(why, self.losses)
        self.fail_all(why)
        return None

    async def _after_grace(self, why: str, loss: int) -> None:
        await self.bridge.sleep(self.bridge.bounds.grace)
        if self.link is None and self.losses == loss:
            self.fail_all(why)

    def fail_all(self, why: str) -> None:
        """Nobody answers any more; what that means is said by each hook's fail mode."""
        for invocation in list(self.under_way()):
            invocation.fail(
                Failure.UNREACHABLE,
                f"the handlers `{self.instance}` were lost{f': {why}' if why else ''}",
            )


def _milliseconds(seconds: float) -> int:
    return max(1, min(math.ceil(seconds * 1000), _LONGEST_BUDGET))


def bound(peer: Peer, specs: tuple[HookSpec, ...], generation: int) -> list[HookSpec]:
    """Definitions with the peer as their handler. An observer is told at once, so it needs no thread of the engine's."""
    return [
        spec.replace(handler=peer.handler(spec, generation), detached=False)
        if type(spec.handler) is InProcess
        else spec
        for spec in specs
    ]
