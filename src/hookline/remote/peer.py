"""Peer: one instance that holds handlers, attached or lost; its invocations, and their fate without it."""

from __future__ import annotations

import asyncio
import math
import secrets
from collections import Counter, deque
from itertools import count, islice
from typing import TYPE_CHECKING, Any

from hookline.dialects.a3s import A3S
from hookline.errors import ConfigError
from hookline.handlers.exceptions import OverdueError, RemoteHandlerError
from hookline.model.handler import InProcess
from hookline.model.outcome import Failure
from hookline.model.verdict import Stance
from hookline.remote.event_loop import REMOTE
from hookline.remote.proto import bridge_pb2 as pb
from hookline.remote.results import read_answer
from hookline.remote.tracing import find_traceparent

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable

    from hookline.model.event import Event
    from hookline.model.spec import HookSpec
    from hookline.remote.limits import Bounds
    from hookline.remote.stream import StreamEnd

_LONGEST_BUDGET = 2**32 - 1  # ms
_MINUTE = 60.0


class BridgeState:
    """What a bridge shares with its peers: limits, a clock in seconds, counters and ids, on the loop of `hookline.remote`.

    `counts`: how often each thing happened: late, dropped, failed, cancelled, resent, refused,
    rejected, stale, resumed, lost, unknown.
    """

    def __init__(
        self,
        bounds: Bounds,
        clock: Callable[[], float],
        sleep: Callable[[float], Awaitable[object]],
    ) -> None:
        self.bounds = bounds
        self.clock = clock
        self.sleep = sleep
        self.dialect = A3S()
        self.closed = False
        self.counts: Counter[str] = Counter()
        self._prefix, self._ids = secrets.token_hex(6), count(1)

    def next_id(self) -> str:
        """Return an id that no other invocation has, of this engine or another."""
        return f"{self._prefix}-{next(self._ids)}"


class Invocation:
    """One hook's run for one event. `answered` is its result; `sent`: whether the peer was asked."""

    def __init__(self, invoke: pb.Invoke, until: float, session_id: str) -> None:
        self.invoke = invoke
        self.until = until
        self.session_id = session_id
        self.sent = False
        self.answered: asyncio.Future[dict[str, Any]] = asyncio.get_running_loop().create_future()

    def fail(self, failure: Failure, detail: str) -> None:
        if not self.answered.done():
            self.answered.set_exception(RemoteHandlerError(failure, detail))


class Peer:
    """An instance by its name. `key`: the secret by which it resumes; `link`: its current stream.

    `invocations` are those without an answer, by id, in the order in which they are sent.
    Everything belongs to the bridge's event loop, except the functions that `bind` makes, which any
    thread may call.
    """

    def __init__(self, bridge: BridgeState, instance: str) -> None:
        self.bridge = bridge
        self.instance = instance
        self.key = secrets.token_urlsafe(24)
        self.link: StreamEnd | None = None
        self.ready = False  # this link has registered its hooks
        self.draining = False
        self.hooks: frozenset[str] = frozenset()
        self.lost_at = 0.0
        self.invocations: dict[str, Invocation] = {}
        self._grace: asyncio.Task[None] | None = None
        self._registries: deque[float] = deque(maxlen=bridge.bounds.registries)

    # -- called by the engine --------------------------------------------------------------------------------------

    def bind(self, spec: HookSpec, generation: int) -> HookSpec:
        """Return a definition with this peer as its handler. An observer is only notified, so it needs no engine thread."""
        if type(spec.handler) is not InProcess:
            return spec

        def call(event: Event) -> Any:
            invoke = self._make_invoke(spec, event, generation)
            if spec.detached:
                return REMOTE.call_soon(self.notify, invoke)
            asked = self.ask(invoke, spec.timeout, event.session_id)
            try:
                asyncio.get_running_loop()
            except RuntimeError:
                try:
                    return REMOTE.run(asked, spec.timeout)
                except TimeoutError:
                    raise OverdueError from None
            return REMOTE.wait(asked)

        handler = InProcess(call=call, name=spec.id, read_by_dialect=True)
        return spec.replace(handler=handler, detached=False)

    def _make_invoke(self, spec: HookSpec, event: Event, generation: int) -> pb.Invoke:
        try:
            text = self.bridge.dialect.encode_event(event, spec).encode()
        except (TypeError, ValueError, RecursionError) as error:
            raise RemoteHandlerError(Failure.UNSERIALISABLE, f"{error}"[:200]) from None
        if len(text) > (most := self.bridge.bounds.payload):
            why = f"its event has {len(text):,} bytes, and {most:,} are the most that is sent"
            raise RemoteHandlerError(Failure.NOT_STARTED, why)
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
            traceparent=find_traceparent(event),
        )

    # -- on the bridge's loop --------------------------------------------------------------------------------------

    def notify(self, invoke: pb.Invoke) -> None:
        """Notify an observer without waiting; drop the event if it is not attached or its queue is full."""
        attached = self.link is not None and self.ready and not self.draining
        if not attached or self.bridge.closed or not self._post(pb.EngineFrame(invoke=invoke)):
            self.bridge.counts["dropped"] += 1

    async def ask(self, invoke: pb.Invoke, seconds: float, session_id: str) -> dict[str, Any]:
        """Run a hook, and return its answer.

        Raises:
            RemoteHandlerError: there is none.
        """
        if self.link is None or self.draining or self.bridge.closed:
            absent = f"the handlers `{self.instance}` {'are leaving' if self.link else 'are not attached'}"
            why = "the bridge is closed" if self.bridge.closed else absent
            raise RemoteHandlerError(Failure.UNREACHABLE, why)
        bounds = self.bridge.bounds
        if len(self.invocations) >= bounds.in_flight + bounds.waiting:
            why = f"{bounds.waiting} events wait for the handlers `{self.instance}` already"
            raise RemoteHandlerError(Failure.NOT_STARTED, why)
        invocation = Invocation(invoke, self.bridge.clock() + seconds, session_id)
        self.invocations[invoke.invocation_id] = invocation
        self.send_waiting()
        try:
            return await invocation.answered
        except asyncio.CancelledError:
            self.withdraw(invocation, "the engine no longer waits")
            raise
        finally:
            del self.invocations[invoke.invocation_id]
            self.send_waiting()
            self.end_if_done()

    def send_waiting(self) -> None:
        """Send the next invocations, up to the limit of those that are under way."""
        if self.ready:
            for invocation in [*islice(self.invocations.values(), self.bridge.bounds.in_flight)]:
                if not invocation.sent:
                    self._send(invocation)

    def _send(self, invocation: Invocation) -> None:
        invocation.sent = True
        invocation.invoke.budget_ms = _milliseconds(invocation.until - self.bridge.clock())
        if not self._post(pb.EngineFrame(invoke=invocation.invoke)):
            end_link(self.link, "it does not read what it is sent")

    def _post(self, frame: pb.EngineFrame) -> bool:
        return self.link is not None and self.link.post(frame)

    def end_if_done(self) -> None:
        """End the link of a peer that is leaving and owes no more answers."""
        if self.draining and not self.invocations:
            end_link(self.link, "it left")

    def handle_result(self, result: pb.Result) -> None:
        """Handle an answer; count one that comes too late."""
        invocation = self.invocations.get(result.invocation_id)
        if invocation is None or not invocation.sent or invocation.answered.done():
            self.bridge.counts["late"] += 1
            return
        try:
            invocation.answered.set_result(read_answer(result, self.bridge.bounds))
        except RemoteHandlerError as error:
            self.bridge.counts["failed"] += 1
            invocation.answered.set_exception(error)

    def withdraw(self, invocation: Invocation, why: str) -> None:
        """Tell the peer that an invocation was cancelled."""
        if invocation.sent:
            self.bridge.counts["cancelled"] += 1
            cancel = pb.Cancel(invocation_id=invocation.invoke.invocation_id, why=why)
            self._post(pb.EngineFrame(cancel=cancel))

    # -- coming and going ------------------------------------------------------------------------------------------

    def attach(self, link: StreamEnd) -> None:
        """Take a new link, in place of the current one."""
        former, self.link = self.link, link
        self.ready = self.draining = False
        if self._grace is not None:
            self._grace.cancel()
        end_link(former, "another process with its key took its place")

    def count_registry(self) -> None:
        """Count a new set of hooks, by this link or another.

        Raises:
            ConfigError: there were too many.
        """
        times, now = self._registries, self.bridge.clock()
        if len(times) == times.maxlen and now - times[0] < _MINUTE:
            raise ConfigError(f"more than {times.maxlen} registries a minute", name="remote.bounds")
        times.append(now)

    def handle_registered(self, generation: int) -> None:
        """Send running invocations again after its hooks are registered on a new link."""
        is_back, self.ready = not self.ready, True
        for invocation in list(self.invocations.values()) if is_back else ():
            if not invocation.sent:
                continue
            if invocation.invoke.hook_id not in self.hooks:
                why = f"the handlers `{self.instance}` came back without it"
                invocation.fail(Failure.NOT_STARTED, why)
                continue
            invocation.invoke.attempt += 1
            invocation.invoke.generation = generation
            self.bridge.counts["resent"] += 1
            self._send(invocation)
        self.send_waiting()

    def handle_loss(self, why: str) -> None:
        """Handle the loss of the link: after the grace period, in which the peer may come back, its invocations fail."""
        self.link, self.ready, self.draining = None, False, False
        self.lost_at = self.bridge.clock()
        if self.bridge.bounds.grace > 0 and self.invocations:
            self._grace = asyncio.get_running_loop().create_task(self._fail_after_grace(why))
        else:
            self.fail_all(why)

    async def _fail_after_grace(self, why: str) -> None:
        await self.bridge.sleep(self.bridge.bounds.grace)
        self.fail_all(why)

    def fail_all(self, why: str) -> None:
        """Fail all invocations; each hook's fail mode says what that means."""
        lost = f"the handlers `{self.instance}` were lost{f': {why}' if why else ''}"
        for invocation in self.invocations.values():
            invocation.fail(Failure.UNREACHABLE, lost)


def end_link(link: StreamEnd | None, why: str) -> None:
    """End a stream of the engine's, if there is one, with the reason for the other side."""
    if link is not None:
        link.post(pb.EngineFrame(goaway=pb.Goaway(why=why)))
        link.handle_end(why)


def _milliseconds(seconds: float) -> int:
    return max(1, min(math.ceil(seconds * 1000), _LONGEST_BUDGET))
