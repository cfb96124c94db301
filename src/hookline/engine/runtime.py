"""The runtime of an engine: its loader with everything else that asking hooks needs."""

from __future__ import annotations

import os
import time

from hookline.core.guardrails import follows_redo
from hookline.core.plan import Plan, plan
from hookline.engine.lazy_gate import LazyGate
from hookline.engine.loader import Loader, Snapshot
from hookline.handlers import recursion_guard
from hookline.handlers.host_terminal import is_attended
from hookline.handlers.process_spec import Limits
from hookline.handlers.process_tree import become_subreaper
from hookline.model.frozen import Frozen
from hookline.sessions.memory import Memory

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from typing import TypeAlias

    from hookline.core.dialect import Dialect
    from hookline.core.dispatch import Run
    from hookline.core.registry import Registry
    from hookline.handlers.process import BackgroundProgram
    from hookline.journal.journal import Journal
    from hookline.model.event import Event
    from hookline.model.spec import HookSpec, Problem
    from hookline.model.verdict import Decision, Outcome, Verdict
    from hookline.sessions.store import Sessions
    from hookline.trust.gate import Gate

    Path: TypeAlias = str | os.PathLike[str]

_MOST = 256  # notices that one process remembers


class Finished(Frozen):
    """The end of a detached hook, and the event that started it.

    `verdict`: its output as its own dialect reads it; its stance has no effect. `ended`: seconds
    since 1970.
    """

    hook_id: str
    event: Event
    outcome: Outcome
    verdict: Verdict
    ended: float


class Runtime:
    """The loader, the gate, sessions, the journal, limits and callbacks of one engine.

    Args:
        cwd: the project folder, for payloads that name none.
        redo_limit: how often a stop gate may send the agent back in one turn (None: what the
            host's dialect says; 0: no limit).
        limits: bounds of command hooks.
        environ: the environment that command hooks inherit.
        placed: find line numbers of everything, not of faults only.
        observe: is given every event and its decision.
        finished: is given the end of every detached hook, on the thread that it ran on.
        detach: takes over detached runs, which otherwise get a thread each.
        wake: is given a session's id and a message for its agent at once when a detached hook wakes
            the agent; without it, the next turn or stop tells the agent.
        sessions: where late answers and redo counts outlive this process (None: nowhere).
        clock: returns the time of day, in seconds since 1970.
        relays: this engine stands for a hook of another one, which may ask it inside of an event.
        journal: writes down every event and every hook that was asked.
        gate: decides by approvals whether a hook may run (None: by where its file lies alone).
        interactive: whether a person can answer what a host asks (None: look for the host's
            terminal).
        supervised: make this process a subreaper (Linux), so that nothing which a hook starts
            outlives the hook's time limit; what the program itself starts counts as a hook's, too.
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
            become_subreaper()
        self.cwd = os.path.abspath(cwd or os.getcwd())
        self.environ = os.environ if environ is None else environ
        self.loader = Loader(
            cwd=self.cwd, environ=self.environ, placed=placed, gated=gate is not None
        )
        self.redo_limit = redo_limit
        self.limits = limits or Limits()
        self.observe = observe
        self.finished = finished
        self.detach = detach
        self.keep: Callable[[Run, BackgroundProgram], None] | None = None  # running programs
        self.wake = wake
        self.sessions: Memory = Memory() if sessions is None else sessions
        self.clock = clock
        self.journal = journal
        if gate is not None:
            gate.declared = self.loader
            gate.was_told = self.was_told
            if not isinstance(gate, LazyGate):
                gate = LazyGate(self.cwd, self.environ, made=gate)
        self.gate = gate
        nested = self.environ.get(recursion_guard.VARIABLE) and not relays
        self.inside = recursion_guard.Reentrancy(self.environ) if nested else None
        self.left_out: tuple[Problem, ...] = ()  # what the environment lost
        self.told: set[str] = set()  # notices that the user had, without a session
        # Of sessions that were searched for unread files: dialect, id and event.
        self.looked: set[tuple[str, str, str]] = set()
        self._interactive = interactive

    @property
    def snapshot(self) -> Snapshot:
        """What is loaded now; it never changes, a reload makes another one."""
        return self.loader.snapshot

    @property
    def problems(self) -> tuple[Problem, ...]:
        """Everything that is wrong with sources, environment, settings, sessions and journal."""
        others = (self.gate, self.inside, self.sessions, self.journal)
        found = (problem for each in others if each is not None for problem in each.problems)
        return (*self.snapshot.problems(), *self.left_out, *found)

    def host(self, name: str) -> Dialect:
        """Return the dialect that hosts of this name speak.

        Raises:
            ConfigError: an unknown dialect.
        """
        return self.loader.dialects.host(name)

    def make_plan(self, event: Event, registry: Registry) -> Plan:
        """Return the plan of an event from the hooks of a registry."""
        host = self.host(event.dialect)
        if host.table.asks_at_terminal and self._interactive is None:
            self._interactive = is_attended(host.table.programs)
        return plan(registry, event, host, headless=not self._interactive)

    def count_redos(self, event: Event) -> int:
        """Return how often the stop gate sent the agent back in this turn.

        It is 0 if the host says that it was not.
        """
        table = self.host(event.dialect).table
        return 0 if follows_redo(event, table) is False else self.sessions.redos(event)

    def find_redo_limit(self, event: Event) -> int:
        """Return how often a stop gate may send the agent back; 0: without a limit."""
        if self.redo_limit is not None:
            return self.redo_limit
        return self.host(event.dialect).table.redo_limit

    def find_spec(self, hook_id: str) -> HookSpec | None:
        """Return a hook by its id; None if it takes part in no event."""
        specs = (entry.spec for entry in self.snapshot.registry.entries())
        return next((spec for spec in specs if spec.id == hook_id), None)

    def was_told(self, event: Event, what: str) -> bool:
        """Return whether the user had this notice in this session, and record it.

        Without a session id, this process counts as the session.
        """
        if event.session_id:
            return not self.sessions.spend(event, what, 1)
        if what in self.told:
            return True
        if len(self.told) >= _MOST:
            self.told.clear()
        self.told.add(what)
        return False
