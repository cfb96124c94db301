"""The hooks of an engine with what it needs to ask them: gate, sessions, journal, limits."""

from __future__ import annotations

import time

from hookline.core.guardrails import follows_redo
from hookline.core.plan import plan
from hookline.engine.declared_hooks import DeclaredHooks
from hookline.engine.library import Library
from hookline.handlers import recursion_guard

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from hookline.core.dialect import Table
    from hookline.core.dispatch import Run
    from hookline.core.plan import Plan
    from hookline.core.registry import Registry
    from hookline.engine.detached import Detached, Finished
    from hookline.engine.file_watcher import Watcher
    from hookline.engine.library import Path
    from hookline.engine.trust_gate import LazyGate
    from hookline.handlers.process import BackgroundProgram
    from hookline.handlers.process_spec import Limits
    from hookline.journal.journal import Journal
    from hookline.model.event import Event
    from hookline.model.problem import Problem
    from hookline.model.spec import HookSpec
    from hookline.model.verdict import Decision
    from hookline.sessions.memory import Memory
    from hookline.sessions.store import Sessions
    from hookline.trust.gate import Gate

_MOST = 256  # notices that one process remembers


class Runtime(Library):
    """Hooks of any dialects with everything that asking them needs; `Engine` asks them.

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
        interactive: whether a person can answer what a host asks (None: look for the host's terminal).
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
            gate.was_told = self.was_told
        nested = self.environ.get(recursion_guard.VARIABLE) and not relays
        self._inside = recursion_guard.Reentrancy(self.environ) if nested else None
        self._interactive = interactive
        self._id = id(self)
        self._session_store = sessions
        # Whether no observer, journal or session store needs a decision: then most events need no more work.
        self._is_unobserved = observe is None and journal is None and sessions is None
        self._told_problems: set[str] = set()
        self._detached: Detached | None = None
        self._indexed: Registry | None = None
        self._by_id: Mapping[str, HookSpec] = {}
        self._watcher: Watcher | None = None

    def plan(self, event: Event, registry: Registry | None = None) -> Plan:
        """Return the plan of an event, from the engine's hooks or those of another registry."""
        host = self.host(event.dialect)
        headless = host.table.asks_at_terminal and not self._is_interactive(host.table)
        return plan(self.registry if registry is None else registry, event, host, headless=headless)

    def _is_interactive(self, table: Table) -> bool:
        """Whether a person sits at the terminal of the host that started this process."""
        if self._interactive is None:
            from hookline.engine.terminal import is_attended  # noqa: PLC0415 - few hosts need it

            self._interactive = is_attended(table.programs)
        return self._interactive

    def _count_redos(self, event: Event, table: Table) -> int:
        """Return how often the stop gate sent the agent back in this turn; 0 if the host says that it was not."""
        return 0 if follows_redo(event, table) is False else self.sessions.redos(event)

    def _find_redo_limit(self, event: Event) -> int:
        own = self.redo_limit
        return self.host(event.dialect).table.redo_limit if own is None else own

    def _find_spec(self, hook_id: str) -> HookSpec | None:
        """Return a hook by its id; None if it is not in the registry."""
        if self._indexed is not self.registry:
            self._indexed = self.registry
            self._by_id = {entry.spec.id: entry.spec for entry in self.registry.entries()}
        return self._by_id.get(hook_id)

    def was_told(self, event: Event, what: str) -> bool:
        """Whether the user was told that in this session, or by this process; from now on they were."""
        if self._session_store is not None and event.session_id:
            return not self._session_store.spend(event, what, 1)
        if what in self._told_problems:
            return True
        self._told_problems = (
            {what} if len(self._told_problems) >= _MOST else {*self._told_problems, what}
        )
        return False

    @property
    def problems(self) -> tuple[Problem, ...]:
        """Everything that is wrong with the sources, in their order; then with the settings and the environment, sessions and journal."""
        others = (self.gate, self._inside, self.sessions, self.journal)
        return (
            *super().problems,
            *(problem for each in others if each is not None for problem in each.problems),
        )
