"""Firing: what an engine does with one event, from the plan to the delivered decision."""

from __future__ import annotations

import os
import time
from time import perf_counter

from hookline.core.dispatch import Run, dispatch, intercept
from hookline.core.fold import make_silent_decision
from hookline.core.guardrails import REMEMBERING
from hookline.core.plan import Plan, find_cached_plan, list_specs
from hookline.engine.drive import Driver, ask_alone, ask_alone_async
from hookline.engine.lazy_gate import run_gated
from hookline.engine.notices import add_session_problems, note_folder, note_removed, note_unread
from hookline.engine.projects import add_folders
from hookline.engine.session_limits import drop_spent_hooks, limit_hooks, number_call
from hookline.handlers.recursion_guard import ACTIVE_EVENTS, DEEPEST, hook_mark
from hookline.model import kinds
from hookline.model.event import Event, Stop
from hookline.model.verdict import Decision, Failure, Outcome

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from contextvars import Token
    from typing import TypeAlias

    from hookline.core.dispatch import Dispatch
    from hookline.engine.detached import Detached
    from hookline.engine.loader import Snapshot
    from hookline.engine.runtime import Runtime
    from hookline.handlers.process import BackgroundProgram

    _Token: TypeAlias = Token[tuple[tuple[int, str, str], ...]]


class Firing:
    """Asks the hooks of a runtime's snapshot about events.

    An event keeps the snapshot that it began with.
    """

    def __init__(self, runtime: Runtime) -> None:
        self.runtime = runtime
        self._detached: Detached | None = None

    def fire(self, event: Event, seconds: float | None) -> Decision:
        """Return the decision on an event, as `Engine.fire`."""
        event, plan = self._prepare(event)
        if not plan.groups:
            return self._settle(event, make_silent_decision(event), plan)
        token, asked = self._begin(event, plan, seconds)
        try:
            if asked is None:
                decision = ask_alone(plan, event)
            else:
                decision = self._make_driver().drive(asked, seconds)
        finally:
            ACTIVE_EVENTS.reset(token)
        return self._settle(event, decision, plan)

    async def fire_async(self, event: Event, seconds: float | None) -> Decision:
        """Return the decision on an event, as `Engine.fire_async`."""
        event, plan = self._prepare(event)
        if not plan.groups:
            return self._settle(event, make_silent_decision(event), plan)
        token, asked = self._begin(event, plan, seconds)
        try:
            if asked is None:
                decision = await ask_alone_async(plan, event)
            else:
                decision = await self._make_driver().drive_async(asked, seconds)
        finally:
            ACTIVE_EVENTS.reset(token)
        return self._settle(event, decision, plan)

    def _make_driver(self) -> Driver:
        runtime = self.runtime
        return Driver(runtime.limits, runtime.environ, self.detach, self._keep)

    # -- before --------------------------------------------------------------------------------

    def _prepare(self, event: Event) -> tuple[Event, Plan]:
        """Return the event with what only the engine knows of it, and the plan of its hooks."""
        runtime, snapshot = self.runtime, self.runtime.snapshot
        if snapshot.tells_time or type(event.body) is Stop:
            event = self.complete(event, snapshot)
        plan = find_cached_plan(snapshot.registry, event)
        if plan is None:
            plan = runtime.make_plan(event, snapshot.registry)
        if plan.leaves_process:
            table = runtime.host(event.dialect).table
            event = add_folders(event, list_specs(plan), runtime.cwd, runtime.environ, table)
        if snapshot.once:
            plan = drop_spent_hooks(runtime, snapshot, plan, event)
        if event.kind == "model.request":
            event = number_call(event, plan, runtime.sessions)
        return event, plan

    def complete(self, event: Event, snapshot: Snapshot) -> Event:
        """Return the event with the time, and with how often its stop gate sent the agent back."""
        if snapshot.tells_time:
            event = add_time(event, self.runtime.clock())
        if not isinstance(event.body, Stop) or not kinds.kind(event.kind).redo:
            return event
        count = self.runtime.count_redos(event)
        return add_redo_count(event, count, self.runtime.find_redo_limit(event))

    def _begin(
        self, event: Event, plan: Plan, seconds: float | None
    ) -> tuple[_Token, Dispatch | None]:
        """Return the mark that the event is being asked about, and its dispatch.

        A Python hook that is asked alone needs no dispatch.
        """
        key = (id(self), event.kind, event.session_id)
        active = ACTIVE_EVENTS.get()
        token = ACTIVE_EVENTS.set((*active, key))
        inside = self.runtime.inside
        if plan.solo is not None and seconds is None and key not in active and inside is None:
            return token, None
        asked = dispatch(plan, event, perf_counter)
        running = frozenset() if inside is None else inside.find_active_hooks(event.kind)
        if key in active or running is None:
            detail = "" if running is not None else f"hooks are nested {DEEPEST} deep"
            again = Outcome(failure=Failure.REENTERED, detail=detail)
            return token, intercept(asked, lambda _: again)
        if running:
            asked = skip_active_hooks(asked, running)
        if self.runtime.gate is not None:
            asked = run_gated(asked, self.runtime.gate)
        asked = limit_hooks(asked, self.runtime, plan, event)
        if plan.has_builtins:
            # Few events have builtins.
            from hookline.engine.builtin_calls import call_builtins  # noqa: PLC0415 - as above
            from hookline.engine.guard_calls import call_guards  # noqa: PLC0415 - as above

            asked = call_guards(call_builtins(asked, self.runtime), self.runtime)
        return token, asked

    # -- after ---------------------------------------------------------------------------------

    def _settle(self, event: Event, decision: Decision, plan: Plan) -> Decision:
        """Add notices, deliver late answers, count redos, and call the observers."""
        runtime = self.runtime
        if event.folder and decision.verdicts and not os.path.isdir(event.cwd):
            decision = note_folder(runtime, event, decision)
        if runtime.gate is not None:
            decision = note_removed(runtime, event, decision, plan)
        decision = note_unread(runtime, event, decision)
        if event.kind in REMEMBERING:
            # Calls of tools need none of it.
            from hookline.engine.detached import conclude_turn  # noqa: PLC0415

            decision = conclude_turn(runtime, event, decision, plan)
        if runtime.sessions.problems:
            decision = add_session_problems(runtime, decision, plan)
        if runtime.journal is not None:
            runtime.journal.observe(event, decision, runtime.find_spec)
        if runtime.observe is not None:
            runtime.observe(event, decision)
        return decision

    # -- in the background ---------------------------------------------------------------------

    def detach(self, run: Run) -> Outcome | None:
        """Start a detached hook; return why not, if it was not started."""
        self._expect_answer(run)
        if self.runtime.detach is None:
            return self.start_detached(run)
        self.runtime.detach(run)
        return None

    def _keep(self, run: Run, left: BackgroundProgram) -> None:
        """Take over a program that went to the background while it ran."""
        self._expect_answer(run)
        if self.runtime.keep is None:
            self.finish_left(run, left)
        else:
            self.runtime.keep(run, left)

    def _expect_answer(self, run: Run) -> None:
        """Prepare the session for a late answer."""
        if run.dialect is not None and run.dialect.table.late:
            self.runtime.sessions.prepare(run.event)

    def finish_left(self, run: Run, left: BackgroundProgram) -> None:
        """Wait in the background for the end of a program that `keep` was given."""
        self._begin_detached(run).finish(run, left)

    def start_detached(self, run: Run) -> Outcome | None:
        """Start a run that `detach` was given, in the background.

        Return why not, if it was not started.
        """
        refused = self._begin_detached(run).start(run)
        if refused is not None:
            self.runtime.sessions.over(run.event, run.spec.id)
        return refused

    def _begin_detached(self, run: Run) -> Detached:
        """Return what runs detached hooks; the session knows from now on that this one runs."""
        if run.dialect is not None and run.dialect.table.late:
            self.runtime.sessions.begin(run.event, run.spec.id)
        if self._detached is None:
            # Threads, which most engines never start.
            from hookline.engine.detached import Detached, finish_detached  # noqa: PLC0415

            self._detached = Detached(
                self.runtime.limits,
                self.runtime.environ,
                lambda run, finished: finish_detached(self.runtime, run, finished),
                self.runtime.clock,
            )
        return self._detached

    def drain(self, seconds: float, hurried: Callable[[], bool]) -> None:
        """Wait for detached hooks, at most so many seconds, then end them."""
        if self._detached is not None:
            self._detached.drain(seconds, hurried)


def skip_active_hooks(asked: Dispatch, running: frozenset[str]) -> Dispatch:
    """Return the dispatch in which a hook fails whose mark is `running`: it raised the event."""
    again = Outcome(failure=Failure.REENTERED)
    return intercept(asked, lambda run: again if hook_mark(run.spec) in running else run)


def add_time(event: Event, seconds: float) -> Event:
    """Return the event with `timestamp` in UTC, if it has none; `seconds` since 1970."""
    facts = event.body.facts
    if "timestamp" in facts:
        return event
    now = time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime(seconds))
    return event.replace(body=event.body.replace(facts={**facts, "timestamp": now}))


def add_redo_count(event: Event, count: int, limit: int) -> Event:
    """Return a stop event with how often the agent was sent back in this turn, and the limit."""
    facts = {**event.body.facts, "stop_block_count": count, "stop_block_limit": limit}
    is_active = event.body.value("stop_hook_active") or count > 0
    return event.replace(body=event.body.replace(stop_hook_active=is_active, facts=facts))
