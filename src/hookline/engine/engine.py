"""Engine: load hooks of any dialect, fire events, get one explained decision."""

from __future__ import annotations

import time
from contextvars import ContextVar
from time import perf_counter

from hookline.core.dispatch import dispatch
from hookline.core.fold import silence
from hookline.core.guardrails import Redos, cap_redo, redo_limit
from hookline.core.plan import plan, planned
from hookline.engine.drive import ask_alone, ask_alone_async, drive, drive_async, refuse
from hookline.engine.library import Library
from hookline.model import kinds
from hookline.model.event import Event, Stop
from hookline.wire.payload import from_wire

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from contextvars import Token
    from typing import Any, Self, TypeAlias

    from hookline.core.dispatch import Run
    from hookline.core.plan import Plan
    from hookline.engine.detached import Detached, Finished
    from hookline.engine.library import Path
    from hookline.handlers.program import Limits
    from hookline.model.reply import Reply
    from hookline.model.verdict import Decision

    _Token: TypeAlias = Token[tuple[tuple[int, str, str], ...]]

# (engine, kind, session) of every fire that this context is inside of.
_firing: ContextVar[tuple[tuple[int, str, str], ...]] = ContextVar("hookline_firing", default=())


class Engine(Library):
    """Hooks of any dialects, and the one way to ask them.

    `cwd`: the project folder, for payloads that name none. `redo_limit`: how often a stop gate may send the agent back in
    one turn (None: what the host's dialect says, 3 where it is silent; 0: no limit). `limits`: bounds of command hooks.
    `environ`: the environment that they inherit. `placed`: find line numbers of everything, not of faults only.
    `observe` is told every event and its decision; `finished` the outcome of every detached hook. `detach` takes over
    detached runs, which otherwise get a thread each. `clock` tells the time of day, in seconds since 1970. `relays`: it
    stands for a hook of another engine, so that it may be asked from inside of the event that it is asked about.
    """

    def __init__(
        self,
        *,
        cwd: Path | None = None,
        redo_limit: int | None = None,
        limits: Limits | None = None,
        environ: Mapping[str, str] | None = None,
        placed: bool = True,
        observe: Callable[[Event, Decision], None] | None = None,
        finished: Callable[[Finished], None] | None = None,
        detach: Callable[[Run], None] | None = None,
        clock: Callable[[], float] = time.time,
        relays: bool = False,
    ) -> None:
        super().__init__(cwd=cwd, environ=environ, placed=placed)
        self.redo_limit = redo_limit
        self.limits = limits
        self.observe = observe
        self.finished = finished
        self.detach = detach
        self.clock = clock
        firing = "" if relays else self.environ.get("HOOKLINE_FIRING", "")
        self._inside = frozenset(filter(None, firing.split(",")))
        self._id = id(self)
        self._redos = Redos()
        self._detached: Detached | None = None

    # -- firing ----------------------------------------------------------------------------------------------------

    def fire(self, event: str | Event, payload: Mapping[str, Any] | None = None, *, dialect: str | None = None) -> Decision:
        """Ask every hook about an event, and return the decision.

        `event` is a canonical event, or a native name with the host's native `payload` and `dialect`.

        Raises:
            CodecError: an unknown event, or a payload that cannot be understood.
            ConfigError: an unknown dialect.
        """
        raised, chosen = self._planned(event, payload, dialect)
        if not chosen.groups:
            return self._settle(raised, silence(raised))
        token = self._entered(raised)
        if token is None:
            return self._settle(raised, refuse(dispatch(chosen, raised)))
        try:
            if chosen.solo is not None:
                decision = ask_alone(chosen, raised, chosen.solo)
            else:
                decision = drive(dispatch(chosen, raised, perf_counter), self._detach, self.limits, self.environ)
        finally:
            _firing.reset(token)
        return self._settle(raised, decision)

    async def fire_async(
        self, event: str | Event, payload: Mapping[str, Any] | None = None, *, dialect: str | None = None, seconds: float | None = None
    ) -> Decision:
        """`fire` on an event loop: asynchronous hooks are awaited, processes do not block the loop.

        Cancelling it ends every process that it started. `seconds`: for all hooks together; one that is not done by then has
        timed out, which means what its own time limit would mean.

        Raises:
            CodecError, ConfigError: as `fire`.
        """
        raised, chosen = self._planned(event, payload, dialect)
        if not chosen.groups:
            return self._settle(raised, silence(raised))
        token = self._entered(raised)
        if token is None:
            return self._settle(raised, refuse(dispatch(chosen, raised)))
        try:
            if chosen.solo is not None and seconds is None:
                decision = await ask_alone_async(chosen, raised, chosen.solo)
            else:
                asked = dispatch(chosen, raised, perf_counter)
                decision = await drive_async(asked, self._detach, self.limits, self.environ, seconds=seconds)
        finally:
            _firing.reset(token)
        return self._settle(raised, decision)

    def answer(self, dialect: str, payload: Any) -> Reply:
        """A host's payload in, as an object or as the JSON text that the host sent; the host's reply out.

        Raises:
            CodecError: the payload cannot be understood.
            ConfigError: an unknown dialect.
        """
        host = self.host(dialect)
        event = host.decode_event(from_wire(payload) if isinstance(payload, str | bytes) else payload)
        return host.encode_decision(self.fire(event), event)

    async def answer_async(self, dialect: str, payload: Any, *, seconds: float | None = None) -> Reply:
        """`answer` on an event loop; `seconds` as of `fire_async`.

        Raises:
            CodecError, ConfigError: as `answer`.
        """
        host = self.host(dialect)
        event = host.decode_event(from_wire(payload) if isinstance(payload, str | bytes) else payload)
        return host.encode_decision(await self.fire_async(event, seconds=seconds), event)

    def _planned(self, event: str | Event, payload: Mapping[str, Any] | None, dialect: str | None) -> tuple[Event, Plan]:
        """The event as it is raised, and whom to ask about it."""
        raised = event if type(event) is Event and event.cwd else self.event(event, payload, dialect=dialect)
        if self.tells_time or type(raised.body) is Stop:
            raised = self._completed(raised)
        chosen = planned(self.registry, raised)
        if chosen is None:
            chosen = plan(self.registry, raised, self.host(raised.dialect))
        return raised, chosen

    def _entered(self, event: Event) -> _Token | None:
        """The mark that an event is being asked about.

        None where a hook on this very event made the agent raise it again, in this process or in one that it started.
        """
        inside = _firing.get()
        key = (self._id, event.kind, event.session_id)
        if (inside and key in inside) or (self._inside and event.kind in self._inside):
            return None
        return _firing.set((*inside, key))

    def _completed(self, event: Event) -> Event:
        """The event with what only an engine knows: the time, and how often its stop gate sent the agent back."""
        if self.tells_time and "timestamp" not in event.body.facts:
            now = time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime(self.clock()))
            event = event.replace(body=event.body.replace(facts={**event.body.facts, "timestamp": now}))
        if not isinstance(event.body, Stop) or not kinds.kind(event.kind).redo:
            return event
        count = self._redos.count(event.session_id, event.kind)
        facts = {**event.body.facts, "stop_block_count": count, "stop_block_limit": self._limit(event)}
        return event.replace(body=event.body.replace(stop_hook_active=event.body.stop_hook_active or count > 0, facts=facts))

    def _limit(self, event: Event) -> int:
        return self.host(event.dialect).table.redo_limit if self.redo_limit is None else self.redo_limit

    def _settle(self, event: Event, decision: Decision) -> Decision:
        """Count redos, retire what was to run once, and tell whoever observes."""
        if decision.redo:
            count = self._redos.count(event.session_id, event.kind)
            decision = cap_redo(decision, count, redo_limit(decision, self._limit(event)) if self.redo_limit is None else self.redo_limit)
        if decision.redo or self._redos.counts:
            self._redos = self._redos.after(event.session_id, decision)
        if self._once and decision.verdicts:
            done = self._once & {verdict.hook_id for verdict in decision.verdicts if verdict.fault is None}
            if done:
                self.leave_out(done)
        if self.observe is not None:
            self.observe(event, decision)
        return decision

    def _detach(self, run: Run) -> None:
        if self.detach is not None:
            self.detach(run)
            return
        if self._detached is None:
            from hookline.engine.detached import Detached  # noqa: PLC0415 - threads, which most engines never start

            self._detached = Detached(self.limits, self.environ, self.finished)
        self._detached.start(run)

    # -- the end ---------------------------------------------------------------------------------------------------

    def close(self, *, seconds: float = 5.0) -> None:
        """Wait for detached hooks, at most so many seconds, then end them and everything that they started."""
        if self._detached is not None:
            self._detached.drain(seconds)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *error: object) -> None:
        self.close()
