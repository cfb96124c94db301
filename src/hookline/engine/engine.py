"""The engine: loads hooks of any dialect, fires events and returns one explained decision."""

from __future__ import annotations

import os
from time import perf_counter

from hookline.core.dispatch import dispatch
from hookline.core.fold import make_silent_decision
from hookline.core.guardrails import REMEMBERING
from hookline.core.plan import find_cached_plan
from hookline.engine.drive import ask_alone, ask_alone_async, drive, drive_async, refuse
from hookline.engine.event_facts import add_redo_count, add_time
from hookline.engine.notices import (
    add_notice,
    add_notices,
    note_folder,
    note_removed,
    write_reply,
)
from hookline.engine.projects import add_project, find_hook_folder
from hookline.engine.reentrancy import enter_event, explain_depth
from hookline.engine.runtime import Runtime
from hookline.engine.trust_gate import run_gated
from hookline.engine.unread_files import note_unread
from hookline.handlers import recursion_guard
from hookline.model import kinds
from hookline.model.event import Event, Stop
from hookline.wire.payload import parse_payload

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterable, Mapping
    from contextvars import Token
    from typing import Any, Self, TypeAlias

    from hookline.core.dialect import Dialect
    from hookline.core.dispatch import Dispatch, Run
    from hookline.core.plan import Plan
    from hookline.engine.detached import Detached
    from hookline.engine.file_watcher import Watcher
    from hookline.engine.reload import Reloaded
    from hookline.handlers.process import BackgroundProgram
    from hookline.model.outcome import Outcome
    from hookline.model.problem import Problem
    from hookline.model.reply import Reply
    from hookline.model.verdict import Decision

    Problems: TypeAlias = Callable[[Event], Iterable[Problem]]
    _Token: TypeAlias = Token[tuple[tuple[int, str, str], ...]]


class Engine(Runtime):
    """Hooks of any dialects, and the one way to ask them; made from what `Runtime` takes."""

    # -- firing ----------------------------------------------------------------------------------------------------

    def fire(
        self,
        event: str | Event,
        payload: Mapping[str, Any] | None = None,
        *,
        dialect: str | None = None,
        seconds: float | None = None,
    ) -> Decision:
        """Ask every hook about an event, and return the decision.

        `event` is a canonical event, or a native name with the host's native `payload` and `dialect`. `seconds`: for all hooks
        together, as of `fire_async`; a plain Python function is not interrupted.

        Raises:
            CodecError: an unknown event, or a payload that cannot be understood.
            ConfigError: an unknown dialect.
        """
        raised, chosen = self._plan_event(event, payload, dialect)
        if not chosen.groups:
            return self._settle(raised, make_silent_decision(raised), chosen)
        token = self._enter(raised)
        if token is None:
            return self._settle(
                raised, refuse(dispatch(chosen, raised), explain_depth(self._inside, raised.kind))
            )
        try:
            if chosen.solo is not None and seconds is None:
                decision = ask_alone(chosen, raised, chosen.solo)
            else:
                asked = self._build_dispatch(chosen, raised)
                decision = drive(
                    asked, self._detach, self.limits, self.environ, seconds=seconds, keep=self._keep
                )
        finally:
            recursion_guard.ACTIVE_EVENTS.reset(token)
        return self._settle(raised, decision, chosen)

    async def fire_async(
        self,
        event: str | Event,
        payload: Mapping[str, Any] | None = None,
        *,
        dialect: str | None = None,
        seconds: float | None = None,
    ) -> Decision:
        """`fire` on an event loop: asynchronous hooks are awaited, processes do not block the loop.

        Cancelling it ends every process that it started. `seconds`: for all hooks together; one that
        is not done by then has timed out. Raises as `fire`.
        """
        raised, chosen = self._plan_event(event, payload, dialect)
        if not chosen.groups:
            return self._settle(raised, make_silent_decision(raised), chosen)
        token = self._enter(raised)
        if token is None:
            return self._settle(
                raised, refuse(dispatch(chosen, raised), explain_depth(self._inside, raised.kind))
            )
        try:
            if chosen.solo is not None and seconds is None:
                decision = await ask_alone_async(chosen, raised, chosen.solo)
            else:
                asked = self._build_dispatch(chosen, raised)
                decision = await drive_async(
                    asked, self._detach, self.limits, self.environ, seconds=seconds, keep=self._keep
                )
        finally:
            recursion_guard.ACTIVE_EVENTS.reset(token)
        return self._settle(raised, decision, chosen)

    def answer(
        self,
        dialect: str,
        payload: Any,
        *,
        event: str = "",
        seconds: float | None = None,
        notice: str = "",
        problems: Problems | None = None,
    ) -> Reply:
        """Return a host's reply to its payload, which is an object or the JSON text that it sent.

        `event`: the event as the host calls it, if the payload does not say. `seconds` as of `fire`.
        `notice`: what the user is told beside the hooks' own words. `problems` returns what is said
        on stderr about the files of an event's hooks.

        Raises:
            CodecError: the payload cannot be understood; or the host has no such event, and a
                strict hook guards some event.
            ConfigError: an unknown dialect.
        """
        host, received = self._decode(dialect, payload, event)
        decision = self.fire(received, seconds=seconds)
        return self._reply(host, received, decision, notice, problems)

    async def answer_async(
        self, dialect: str, payload: Any, *, event: str = "", seconds: float | None = None
    ) -> Reply:
        """`answer` on an event loop; `seconds` as of `fire_async`. Raises as `answer`."""
        host, received = self._decode(dialect, payload, event)
        return self._reply(host, received, await self.fire_async(received, seconds=seconds))

    def _decode(self, dialect: str, payload: Any, event: str) -> tuple[Dialect, Event]:
        """Return the host, and the event that its payload is."""
        host = self.host(dialect)
        parsed = parse_payload(payload) if isinstance(payload, str | bytes) else payload
        return host, host.decode_event(parsed, event)

    def _reply(
        self,
        host: Dialect,
        event: Event,
        decision: Decision,
        notice: str = "",
        problems: Problems | None = None,
    ) -> Reply:
        decision = add_notices(self, event, decision)
        if notice:
            decision = add_notice(self, event, decision, notice)
        return write_reply(
            host.encode_decision, event, decision, problems(event) if problems else ()
        )

    def _plan_event(
        self, event: str | Event, payload: Mapping[str, Any] | None, dialect: str | None
    ) -> tuple[Event, Plan]:
        """Return the event as it is raised, and the plan of its hooks."""
        if not isinstance(event, Event) or not event.cwd:
            event = self.event(event, payload, dialect=dialect)
        is_timed = self.tells_time or type(event.body) is Stop
        raised = self._complete_event(event) if is_timed else event
        if self.tells_project and not raised.project:
            raised = add_project(raised, self.cwd, self.environ, self.host(raised.dialect).table)
        chosen = find_cached_plan(self.registry, raised)
        if chosen is None:
            chosen = self.plan(raised)
        if chosen.leaves_process and (self.tells_folder or not os.path.isdir(raised.cwd)):
            folder = find_hook_folder(
                raised, self.cwd, self.environ, self.host(raised.dialect).table
            )
            raised = raised.replace(folder=folder)
        if self._once and self._session_store is not None and raised.session_id:
            from hookline.engine.deferred_delivery import drop_spent_hooks  # noqa: PLC0415 - few hooks run once

            chosen = drop_spent_hooks(self, self._session_store, chosen, raised)
        if self._numbers_calls and raised.kind == "model.request":
            from hookline.engine.iterations import number_call  # noqa: PLC0415 - few hooks cap model calls

            raised = number_call(raised, chosen, self.sessions)
        return raised, chosen

    def _build_dispatch(self, chosen: Plan, event: Event) -> Dispatch:
        asked = dispatch(chosen, event, perf_counter)
        if self._inside is not None and (inside := self._inside.find_active_hooks(event.kind)):
            from hookline.engine.reentrancy import skip_active_hooks  # noqa: PLC0415 - few hooks start an agent

            asked = skip_active_hooks(asked, inside)
        if self.gate is not None:
            asked = run_gated(asked, self.gate)
        if self._once and self._session_store is not None:
            from hookline.engine.once import claim_hooks  # noqa: PLC0415 - few hooks run once

            asked = claim_hooks(asked, self._session_store, event)
        if self._asks_models and self._session_store is not None:
            from hookline.engine.budget import limit_model_calls  # noqa: PLC0415 - few hooks ask models

            asked = limit_model_calls(asked, self._session_store, event, self.environ)
        if any(group.dialect.table.suspends_after for group in chosen.groups):
            from hookline.engine.circuit_breaker import break_circuit  # noqa: PLC0415 - few formats count failures

            asked = break_circuit(asked, self, chosen, event)
        return asked

    def _enter(self, event: Event) -> _Token | None:
        """Return the mark that an event is being asked about; None if no hook is asked about it."""
        return enter_event(self._inside, (self._id, event.kind, event.session_id))

    def _complete_event(self, event: Event) -> Event:
        """Return the event with the time, and with how often its stop gate sent the agent back."""
        if self.tells_time:
            event = add_time(event, self.clock())
        if not isinstance(event.body, Stop) or not kinds.kind(event.kind).redo:
            return event
        count = self._count_redos(event, self.host(event.dialect).table)
        return add_redo_count(event, count, self._find_redo_limit(event))

    def _settle(self, event: Event, decision: Decision, chosen: Plan | None = None) -> Decision:
        """Deliver late answers, count redos, retire hooks that run once, and call the observers.

        Without a `chosen` plan no hook was asked.
        """
        if event.folder and decision.verdicts and not os.path.isdir(event.cwd):
            decision = note_folder(self, event, decision)
        decision = note_removed(self, event, decision, chosen)
        if self.leaves_unread:
            decision = note_unread(self, event, decision)
        if self._is_unobserved and not self._once and event.kind not in REMEMBERING:
            return decision
        if event.kind in REMEMBERING:
            from hookline.engine.deferred_delivery import conclude_turn  # noqa: PLC0415 - calls of tools need none of it

            decision = conclude_turn(self, event, decision, chosen)
        if self.sessions.problems:
            from hookline.engine.deferred_delivery import add_session_problems  # noqa: PLC0415 - nothing is wrong, usually

            decision = add_session_problems(self, decision, chosen)
        if self.journal is not None:
            self.journal.observe(event, decision, self._find_spec)
        if self._once and self._session_store is None and decision.verdicts:
            done = self._once & {
                verdict.hook_id
                for verdict in decision.verdicts
                if verdict.fault is None and not verdict.late
            }
            if done:
                self.leave_out(done)
        if self.observe is not None:
            self.observe(event, decision)
        return decision

    def _detach(self, run: Run) -> Outcome | None:
        """Start a detached hook; return why not, if it was not started."""
        if run.dialect is not None and run.dialect.table.late:
            self.sessions.prepare(run.event)
            self._is_unobserved = False  # there may be something to tell from now on
        if self.detach is not None:
            self.detach(run)
            return None
        return self.start_detached(run)

    def _keep(self, run: Run, left: BackgroundProgram) -> None:
        """Take over a program that went to the background while it ran."""
        if run.dialect is not None and run.dialect.table.late:
            self.sessions.prepare(run.event)
            self._is_unobserved = False
        if self.keep is not None:
            self.keep(run, left)
        else:
            self.finish_left(run, left)

    def finish_left(self, run: Run, left: BackgroundProgram) -> None:
        """Wait in the background for the end of a program that `keep` was given."""
        if run.dialect is not None and run.dialect.table.late:
            self.sessions.begin(run.event, run.spec.id)
        self._detacher().finish(run, left)

    def start_detached(self, run: Run) -> Outcome | None:
        """Start a run that `detach` was given, in the background; returns why not, where too many run already, or the engine is closing."""
        if run.dialect is not None and run.dialect.table.late:
            self.sessions.begin(run.event, run.spec.id)
        refused = self._detacher().start(run)
        if refused is not None:
            self.sessions.over(run.event, run.spec.id)
        return refused

    def _detacher(self) -> Detached:
        if self._detached is None:
            from hookline.engine.deferred_delivery import finish_detached  # noqa: PLC0415 - as above
            from hookline.engine.detached import Detached  # noqa: PLC0415 - threads, which most engines never start

            self._detached = Detached(
                self.limits,
                self.environ,
                lambda run, finished: finish_detached(self, run, finished),
                self.clock,
            )
        return self._detached

    # -- while it runs ---------------------------------------------------------------------------------------------

    def stale(self) -> bool:
        """Whether a file of hooks was changed, appeared or vanished since it was last read; a look at each, and no reading."""
        from hookline.engine.reload import is_stale  # noqa: PLC0415 - `answer` ends before anything changes

        return is_stale(self)

    def reload(self, held: Collection[tuple[str, str]] = ()) -> Reloaded:
        """Read all files anew and take what is valid, all at once, between two events; from any thread.

        A file with new errors, one of the system's policy that is gone and one that was named and is gone leave their last
        good version in force, which `problems` says. What is taken is trusted as it was when the engine was made. Trees and
        Python hooks stay. `held`: files, each with its dialect, that wait for the next time.
        """
        from hookline.engine.reload import reload  # noqa: PLC0415 - as above

        return reload(self, held)

    def reload_if_changed(self) -> Reloaded | None:
        """`reload` if `stale`; None if nothing changed."""
        return self.reload() if self.stale() else None

    def watch(self, tell: Callable[[str], None] | None = None) -> Watcher:
        """Take changes of files from now on, until `close`, or `stop` of what this returns; `tell` is given a line for each."""
        from hookline.engine.file_watcher import Watcher  # noqa: PLC0415 - as above, and threads

        if self._watcher is None:
            self._watcher = Watcher(self, tell=tell)
        return self._watcher.start()

    # -- the end ---------------------------------------------------------------------------------------------------

    def close(self, *, seconds: float = 5.0, hurried: Callable[[], bool] = lambda: False) -> None:
        """Wait for detached hooks, at most so many seconds, then end them and everything that they started; stop to watch.

        `hurried` is called repeatedly; the wait ends early once it returns True.
        """
        if self._watcher is not None:
            self._watcher.stop()
        if self._detached is not None:
            self._detached.drain(seconds, hurried)
        if self.journal is not None:
            self.journal.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *error: object) -> None:
        self.close()
