"""Engine: load hooks of any dialect, fire events, get one explained decision."""

from __future__ import annotations

import os
import time
from time import perf_counter

from hookline.core.dispatch import dispatch
from hookline.core.fold import make_silent_decision
from hookline.core.guardrails import REMEMBERING, follows_redo
from hookline.core.plan import find_cached_plan, plan
from hookline.engine.drive import ask_alone, ask_alone_async, drive, drive_async, refuse
from hookline.engine.library import Library
from hookline.engine.notices import add_notices, note_folder, note_removed, was_told
from hookline.engine.projects import folder_of_hooks, with_project
from hookline.engine.trust_gate import DeclaredHooks, run_gated
from hookline.engine.unread import note_unread
from hookline.handlers import recursion_guard
from hookline.model import kinds
from hookline.model.event import Event, Stop
from hookline.wire.payload import parse_payload

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Mapping
    from contextvars import Token
    from typing import Any, Self, TypeAlias

    from hookline.core.dialect import Dialect, Table
    from hookline.core.dispatch import Dispatch, Run
    from hookline.core.plan import Plan
    from hookline.core.registry import Registry
    from hookline.engine.detached import Detached, Finished
    from hookline.engine.library import Path
    from hookline.engine.reload import Reloaded
    from hookline.engine.trust_gate import LazyGate
    from hookline.engine.watching import Watcher
    from hookline.handlers.process import BackgroundProgram
    from hookline.handlers.process_spec import Limits
    from hookline.journal.journal import Journal
    from hookline.model.outcome import Outcome
    from hookline.model.problem import Problem
    from hookline.model.reply import Reply
    from hookline.model.spec import HookSpec
    from hookline.model.verdict import Decision
    from hookline.sessions.memory import Memory
    from hookline.sessions.store import Sessions
    from hookline.trust.gate import Gate

    _Token: TypeAlias = Token[tuple[tuple[int, str, str], ...]]


class Engine(Library):
    """Hooks of any dialects, and the one way to ask them.

    `cwd`: the project folder, for payloads that name none. `redo_limit`: how often a stop gate may send the agent back in
    one turn (None: what the host's dialect says, 3 where it is silent; 0: no limit). `limits`: bounds of command hooks.
    `environ`: the environment that they inherit. `placed`: find line numbers of everything, not of faults only.
    `observe` is told every event and its decision; `finished` the end of every detached hook, on the thread that it ran on.
    `detach` takes over detached runs, which otherwise get a thread each. `wake` is told at once when a detached hook wakes the
    agent: the session's id, and the message for the agent; without it that is told at the next turn, or at the next stop, which
    it answers by a redo. `sessions`: where that and what else is known of a session survives this process (None: nowhere). `clock` tells the time of day, in seconds since 1970. `relays`: it
    stands for a hook of another engine, so that it may be asked from inside of the event that it is asked about. `journal`
    writes down every event, every hook that was asked, and how the detached ones ended. `gate` decides about every hook that is
    about to run, those of a project too, by what was approved (None: by where its file lies alone; `gating.gate` makes one).
    `interactive`: whether a person can answer what the host asks, for hosts that ask at their terminal only (None: look for
    the host among the processes that started this one, and take what cannot be found for no).
    `supervised`: make this whole process a subreaper (Linux), so that nothing which a hook starts outlives the hook's time
    limit; what the program itself starts in sessions of their own then counts as a hook's.
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
        wake: Callable[[str, str], None] | None = None,
        sessions: Sessions | None = None,
        clock: Callable[[], float] = time.time,
        relays: bool = False,
        journal: Journal | None = None,
        gate: Gate | LazyGate | None = None,
        interactive: bool | None = None,
        supervised: bool = False,
    ) -> None:
        if supervised:
            from hookline.handlers.subreaper import become_subreaper  # noqa: PLC0415 - a program asks for it

            become_subreaper()
        super().__init__(cwd=cwd, environ=environ, placed=placed)
        self.redo_limit = redo_limit
        self.limits = limits
        self.observe = observe
        self.finished = finished
        self.detach = detach
        self.keep: Callable[[Run, BackgroundProgram], None] | None = None  # running programs
        self.wake = wake
        if sessions is None:
            from hookline.sessions.memory import Memory as Kept  # noqa: PLC0415 - `answer` keeps files instead

        self.sessions: Sessions | Memory = Kept() if sessions is None else sessions
        self.clock = clock
        self.journal = journal
        self.gate = gate
        self.gated = gate is not None
        if gate is not None:
            gate.declared = DeclaredHooks(self)
            gate.was_told = lambda event, what: was_told(self, event, what)
        nested = self.environ.get(recursion_guard.VARIABLE) and not relays
        self._inside = recursion_guard.Reentrancy(self.environ) if nested else None
        self._interactive = interactive
        self._id = id(self)
        self._lasting = sessions
        # Whether nobody is to be told of a decision, and nothing outlives this process: then most events end where they are decided.
        self._alone = observe is None and journal is None and sessions is None
        self._told: set[str] = set()
        self._detached: Detached | None = None
        self._indexed: Registry | None = None
        self._by_id: Mapping[str, HookSpec] = {}
        self._watcher: Watcher | None = None

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
        raised, chosen = self._planned(event, payload, dialect)
        if not chosen.groups:
            return self._settle(raised, make_silent_decision(raised), chosen)
        token = self._entered(raised)
        if token is None:
            return self._settle(raised, refuse(dispatch(chosen, raised), self._too_deep(raised)))
        try:
            if chosen.solo is not None and seconds is None:
                decision = ask_alone(chosen, raised, chosen.solo)
            else:
                decision = drive(
                    self._asking(chosen, raised),
                    self._detach,
                    self.limits,
                    self.environ,
                    seconds=seconds,
                    keep=self._keep,
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

        Cancelling it ends every process that it started. `seconds`: for all hooks together; one that is not done by then has
        timed out, which means what its own time limit would mean.

        Raises:
            CodecError, ConfigError: as `fire`.
        """
        raised, chosen = self._planned(event, payload, dialect)
        if not chosen.groups:
            return self._settle(raised, make_silent_decision(raised), chosen)
        token = self._entered(raised)
        if token is None:
            return self._settle(raised, refuse(dispatch(chosen, raised), self._too_deep(raised)))
        try:
            if chosen.solo is not None and seconds is None:
                decision = await ask_alone_async(chosen, raised, chosen.solo)
            else:
                decision = await drive_async(
                    self._asking(chosen, raised),
                    self._detach,
                    self.limits,
                    self.environ,
                    seconds=seconds,
                    keep=self._keep,
                )
        finally:
            recursion_guard.ACTIVE_EVENTS.reset(token)
        return self._settle(raised, decision, chosen)

    def answer(self, dialect: str, payload: Any, *, seconds: float | None = None) -> Reply:
        """A host's payload in, as an object or as the JSON text that the host sent; the host's reply out.

        `seconds` as of `fire`.

        Raises:
            CodecError: the payload cannot be understood; or it is of an event that the host does not have, and a strict hook stands at some gate.
            ConfigError: an unknown dialect.
        """
        host, event = self._received(dialect, payload)
        decision = self.fire(event, seconds=seconds)
        return host.encode_decision(add_notices(self, event, decision), event)

    async def answer_async(
        self, dialect: str, payload: Any, *, seconds: float | None = None
    ) -> Reply:
        """`answer` on an event loop; `seconds` as of `fire_async`.

        Raises:
            CodecError, ConfigError: as `answer`.
        """
        host, event = self._received(dialect, payload)
        decision = await self.fire_async(event, seconds=seconds)
        return host.encode_decision(add_notices(self, event, decision), event)

    def _received(self, dialect: str, payload: Any) -> tuple[Dialect, Event]:
        """The host, and the event that its payload is."""
        host = self.host(dialect)
        parsed = parse_payload(payload) if isinstance(payload, str | bytes) else payload
        return host, host.decode_event(parsed)

    def _planned(
        self, event: str | Event, payload: Mapping[str, Any] | None, dialect: str | None
    ) -> tuple[Event, Plan]:
        """The event as it is raised, and whom to ask about it."""
        if not isinstance(event, Event) or not event.cwd:
            event = self.event(event, payload, dialect=dialect)
        is_timed = self.tells_time or type(event.body) is Stop
        raised = self._completed(event) if is_timed else event
        if self.tells_project and not raised.project:
            raised = with_project(self, raised)
        chosen = find_cached_plan(self.registry, raised)
        if chosen is None:
            chosen = self.plan(raised)
        if chosen.leaves_process and (self.tells_folder or not os.path.isdir(raised.cwd)):
            raised = raised.replace(folder=folder_of_hooks(self, raised))
        if self._once and self._lasting is not None and raised.session_id:
            from hookline.engine.recall import unspent  # noqa: PLC0415 - few hooks run once

            chosen = unspent(self, self._lasting, chosen, raised)
        if self._numbers_calls and raised.kind == "model.request":
            from hookline.engine.iterations import number_call  # noqa: PLC0415 - few hooks cap model calls

            raised = number_call(raised, chosen, self.sessions)
        return raised, chosen

    def plan(self, event: Event, registry: Registry | None = None) -> Plan:
        """Whom to ask about an event, of the engine's own hooks or of those of another registry."""
        host = self.host(event.dialect)
        headless = host.table.asks_at_terminal and not self._is_interactive(host.table)
        return plan(self.registry if registry is None else registry, event, host, headless=headless)

    def _is_interactive(self, table: Table) -> bool:
        """Whether a person sits at the terminal of the host that started this process."""
        if self._interactive is None:
            from hookline.engine.terminal import is_attended  # noqa: PLC0415 - few hosts need it

            self._interactive = is_attended(table.programs)
        return self._interactive

    def _asking(self, chosen: Plan, event: Event) -> Dispatch:
        asked = dispatch(chosen, event, perf_counter)
        if self._inside is not None and (inside := self._inside.find_active_hooks(event.kind)):
            from hookline.engine.nesting import leaving_out  # noqa: PLC0415 - few hooks start an agent

            asked = leaving_out(asked, inside)
        if self.gate is not None:
            asked = run_gated(asked, self.gate)
        if self._once and self._lasting is not None:
            from hookline.engine.once import claiming  # noqa: PLC0415 - few hooks run once

            asked = claiming(asked, self._lasting, event)
        if self._asks_models and self._lasting is not None:
            from hookline.engine.budget import budgeted  # noqa: PLC0415 - few hooks ask models

            asked = budgeted(asked, self._lasting, event, self.environ)
        if any(group.dialect.table.suspends_after for group in chosen.groups):
            from hookline.engine.circuit_breaker import break_circuit  # noqa: PLC0415 - few formats count failures

            asked = break_circuit(asked, self, chosen, event)
        return asked

    def _entered(self, event: Event) -> _Token | None:
        """The mark that an event is being asked about.

        None where a hook on this very event raised it again in this process; for any event where it is raised by the call of a
        language model that a hook asks; and where hooks start agents that have hooks, and so on without an end. In a process that a
        hook started, only that hook is left out, and every other one is asked.
        """
        inside = recursion_guard.ACTIVE_EVENTS.get()
        key = (self._id, event.kind, event.session_id)
        if key in inside or recursion_guard.MODEL_CALL in inside or self._too_deep(event):
            return None
        return recursion_guard.ACTIVE_EVENTS.set((*inside, key))

    def _too_deep(self, event: Event) -> str:
        """Why no hook at all is asked in a process that hooks started, in words; empty where they are."""
        if self._inside is None or self._inside.find_active_hooks(event.kind) is not None:
            return ""
        return f"hooks are nested {recursion_guard.DEEPEST} deep"

    def _completed(self, event: Event) -> Event:
        """The event with what only an engine knows: the time, and how often its stop gate sent the agent back."""
        if self.tells_time and "timestamp" not in event.body.facts:
            now = time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime(self.clock()))
            event = event.replace(
                body=event.body.replace(facts={**event.body.facts, "timestamp": now})
            )
        if not isinstance(event.body, Stop) or not kinds.kind(event.kind).redo:
            return event
        count = self._redos(event, self.host(event.dialect).table)
        facts = {
            **event.body.facts,
            "stop_block_count": count,
            "stop_block_limit": self._limit(event),
        }
        return event.replace(
            body=event.body.replace(
                stop_hook_active=event.body.stop_hook_active or count > 0, facts=facts
            )
        )

    def _redos(self, event: Event, table: Table) -> int:
        """How often the stop gate sent the agent back in the running turn; none where the host says that it was not."""
        return 0 if follows_redo(event, table) is False else self.sessions.redos(event)

    def _limit(self, event: Event) -> int:
        return (
            self.host(event.dialect).table.redo_limit
            if self.redo_limit is None
            else self.redo_limit
        )

    def _settle(self, event: Event, decision: Decision, chosen: Plan | None = None) -> Decision:
        """Tell what came late, count redos, retire what was to run once, and tell whoever observes.

        Without the plan that was `chosen`, nobody was asked.
        """
        if event.folder and decision.verdicts and not os.path.isdir(event.cwd):
            decision = note_folder(self, event, decision)
        decision = note_removed(self, event, decision, chosen)
        if self.leaves_unread:
            decision = note_unread(self, event, decision)
        if self._alone and not self._once and event.kind not in REMEMBERING:
            return decision
        if event.kind in REMEMBERING:
            from hookline.engine.recall import concluded  # noqa: PLC0415 - calls of tools need none of it

            decision = concluded(self, event, decision, chosen)
        if self.sessions.problems:
            from hookline.engine.recall import aloud  # noqa: PLC0415 - nothing is wrong, usually

            decision = aloud(self, decision, chosen)
        if self.journal is not None:
            self.journal.observe(event, decision, self._spec_of)
        if self._once and self._lasting is None and decision.verdicts:
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

    def _spec_of(self, hook_id: str) -> HookSpec | None:
        """A hook that may take part, by its id."""
        if self._indexed is not self.registry:
            self._indexed = self.registry
            self._by_id = {entry.spec.id: entry.spec for entry in self.registry.entries()}
        return self._by_id.get(hook_id)

    def _detach(self, run: Run) -> Outcome | None:
        """Start a hook that nobody waits for; returns why not, where it was not started."""
        if run.dialect is not None and run.dialect.table.late:
            self.sessions.prepare(run.event)
            self._alone = False  # there may be something to tell from now on
        if self.detach is not None:
            self.detach(run)
            return None
        return self.start_detached(run)

    def _keep(self, run: Run, left: BackgroundProgram) -> None:
        """Take over a program that went to the background while it ran."""
        if run.dialect is not None and run.dialect.table.late:
            self.sessions.prepare(run.event)
            self._alone = False
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
            from hookline.engine.detached import Detached  # noqa: PLC0415 - threads, which most engines never start
            from hookline.engine.recall import ended  # noqa: PLC0415 - as above

            self._detached = Detached(
                self.limits,
                self.environ,
                lambda run, finished: ended(self, run, finished),
                self.clock,
            )
        return self._detached

    # -- while it runs ---------------------------------------------------------------------------------------------

    def stale(self) -> bool:
        """Whether a file of hooks was changed, appeared or vanished since it was last read; a look at each, and no reading."""
        from hookline.engine.reload import stale  # noqa: PLC0415 - `answer` ends before anything changes

        return stale(self)

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
        from hookline.engine.watching import Watcher  # noqa: PLC0415 - as above, and threads

        if self._watcher is None:
            self._watcher = Watcher(self, tell=tell)
        return self._watcher.start()

    @property
    def problems(self) -> tuple[Problem, ...]:
        """Everything that is wrong with the sources, in their order; then with the settings and the environment, sessions and journal."""
        others = (self.gate, self._inside, self.sessions, self.journal)
        return (
            *super().problems,
            *(problem for each in others if each is not None for problem in each.problems),
        )

    # -- the end ---------------------------------------------------------------------------------------------------

    def close(self, *, seconds: float = 5.0, hurried: Callable[[], bool] = lambda: False) -> None:
        """Wait for detached hooks, at most so many seconds, then end them and everything that they started; stop to watch.

        `hurried` is asked again and again whether somebody cannot wait so long after all.
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
