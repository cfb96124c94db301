"""Peer: one instance that holds handlers, attached or lost.

Its invocations, and their fate without it.
"""

from __future__ import annotations

import asyncio
import math
import secrets
import time
from collections import deque
from itertools import islice
from typing import TYPE_CHECKING, Any
from uuid import uuid4

from hookline.dialects.a3s import A3S
from hookline.errors import ConfigError
from hookline.handlers.table import OverdueError
from hookline.model.spec import InProcess
from hookline.model.verdict import Failure, RemoteHandlerError, Stance
from hookline.remote.event_loop import REMOTE
from hookline.remote.proto import bridge_pb2 as pb
from hookline.remote.results import read_answer
from hookline.remote.tracing import find_traceparent

if TYPE_CHECKING:
    from collections import Counter

    from hookline.model.event import Event
    from hookline.model.spec import HookSpec
    from hookline.remote.limits import Bounds
    from hookline.remote.stream import Outbox

_LONGEST_BUDGET = 2**32 - 1  # ms
_MINUTE = 60.0
_DIALECT = A3S()


class Link:
    """The engine's end of one stream. `proven`: its way here shows that it is this user.

    `peer` is the instance behind it, once that is known; `generation` that of its hooks.
    """

    def __init__(self, outbox: Outbox[pb.EngineFrame], *, proven: bool) -> None:
        self.outbox = outbox
        self.proven = proven
        self.peer: Peer | None = None
        self.generation = -1

    def post(self, **frame: Any) -> bool:
        """Queue a frame; return False if there is no room, or after the end."""
        return self.outbox.post(pb.EngineFrame(**frame))

    def end(self, why: str) -> None:
        """End the stream, with the reason for the other side."""
        self.post(goaway=pb.Goaway(why=why))
        self.handle_end(why)

    def handle_end(self, why: str) -> None:
        """Handle the end of the stream."""
        self.outbox.close()
        if self.peer is not None and self.peer.link is self:
            self.peer.handle_loss(why)


class Invocation:
    """One hook's run for one event.

    `answered` is its result; `sent`: whether the peer was asked.
    """

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

    `invocations` are those without an answer, by id, in the order in which they are sent. `ready`:
    this link has registered its hooks; `closed`: the engine ends. `counts` are those of the bridge.
    Everything belongs to the bridge's event loop, except the
    functions that `bind` makes, which any thread may call.
    """

    def __init__(self, instance: str, bounds: Bounds, counts: Counter[str]) -> None:
        self.instance = instance
        self.bounds = bounds
        self.counts = counts
        self.key = secrets.token_urlsafe(24)
        self.link: Link | None = None
        self.ready = self.draining = self.closed = False
        self.hooks: frozenset[str] = frozenset()
        self.lost_at = 0.0
        self.invocations: dict[str, Invocation] = {}
        self._grace: asyncio.TimerHandle | None = None
        self._registries: deque[float] = deque(maxlen=bounds.registries)

    # -- called by the engine ----------------------------------------------------------------------

    def bind(self, spec: HookSpec, generation: int) -> HookSpec:
        """Return a definition with this peer as its handler.

        An observer is only notified, so it needs no engine thread.
        """
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
            text = _DIALECT.encode_event(event, spec).encode()
        except (TypeError, ValueError, RecursionError) as error:
            raise RemoteHandlerError(Failure.UNSERIALISABLE, f"{error}"[:200]) from None
        if len(text) > (most := self.bounds.payload):
            why = f"its event has {len(text):,} bytes, and {most:,} are the most that is sent"
            raise RemoteHandlerError(Failure.NOT_STARTED, why)
        return pb.Invoke(
            invocation_id=uuid4().hex,
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

    # -- on the bridge's loop ----------------------------------------------------------------------

    def notify(self, invoke: pb.Invoke) -> None:
        """Notify an observer without waiting.

        Drop the event if it is not attached or its queue is full.
        """
        attached = self.ready and not self.draining and not self.closed
        if not attached or not self._post(invoke=invoke):
            self.counts["dropped"] += 1

    async def ask(self, invoke: pb.Invoke, seconds: float, session_id: str) -> dict[str, Any]:
        """Run a hook, and return its answer.

        Raises:
            RemoteHandlerError: there is none.
        """
        if self.link is None or self.draining or self.closed:
            absent = f"the handlers `{self.instance}` {'are leaving' if self.link else 'are not attached'}"
            why = "the bridge is closed" if self.closed else absent
            raise RemoteHandlerError(Failure.UNREACHABLE, why)
        bounds = self.bounds
        if len(self.invocations) >= bounds.in_flight + bounds.waiting:
            why = f"{bounds.waiting} events wait for the handlers `{self.instance}` already"
            raise RemoteHandlerError(Failure.NOT_STARTED, why)
        invocation = Invocation(invoke, time.monotonic() + seconds, session_id)
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
            for invocation in [*islice(self.invocations.values(), self.bounds.in_flight)]:
                if not invocation.sent:
                    self._send(invocation)

    def _send(self, invocation: Invocation) -> None:
        invocation.sent = True
        invocation.invoke.budget_ms = _milliseconds(invocation.until - time.monotonic())
        if not self._post(invoke=invocation.invoke) and self.link is not None:
            self.link.end("it does not read what it is sent")

    def _post(self, **frame: Any) -> bool:
        return self.link is not None and self.link.post(**frame)

    def end_if_done(self) -> None:
        """End the link of a peer that is leaving and owes no more answers."""
        if self.draining and not self.invocations and self.link is not None:
            self.link.end("it left")

    def handle_result(self, result: pb.Result) -> None:
        """Handle an answer; count one that comes too late."""
        invocation = self.invocations.get(result.invocation_id)
        if invocation is None or not invocation.sent or invocation.answered.done():
            self.counts["late"] += 1
            return
        try:
            invocation.answered.set_result(read_answer(result, self.bounds))
        except RemoteHandlerError as error:
            invocation.answered.set_exception(error)

    def withdraw(self, invocation: Invocation, why: str) -> None:
        """Tell the peer that an invocation was cancelled."""
        if invocation.sent:
            self._post(cancel=pb.Cancel(invocation_id=invocation.invoke.invocation_id, why=why))

    # -- coming and going --------------------------------------------------------------------------

    def attach(self, link: Link) -> None:
        """Take a new link, in place of the current one."""
        former, self.link = self.link, link
        self.ready = self.draining = False
        if self._grace is not None:
            self._grace.cancel()
        if former is not None:
            former.end("another process with its key took its place")

    def count_registry(self) -> None:
        """Count a new set of hooks, by this link or another.

        Raises:
            ConfigError: there were too many.
        """
        times, now = self._registries, time.monotonic()
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
            self._send(invocation)
        self.send_waiting()

    def handle_loss(self, why: str) -> None:
        """Handle the loss of the link: after the grace period, in which the peer may come back, its invocations fail."""
        self.counts["lost"] += 1
        self.link, self.ready, self.draining = None, False, False
        self.lost_at = time.monotonic()
        if self.bounds.grace > 0 and self.invocations:
            loop = asyncio.get_running_loop()
            self._grace = loop.call_later(self.bounds.grace, self.fail_all, why)
        else:
            self.fail_all(why)

    def fail_all(self, why: str) -> None:
        """Fail all invocations; each hook's fail mode says what that means."""
        lost = f"the handlers `{self.instance}` were lost{f': {why}' if why else ''}"
        for invocation in self.invocations.values():
            invocation.fail(Failure.UNREACHABLE, lost)


def _milliseconds(seconds: float) -> int:
    return max(1, min(math.ceil(seconds * 1000), _LONGEST_BUDGET))
