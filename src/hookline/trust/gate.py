"""Decides whether a hook may run, says why it was skipped, and checks its answer afterwards."""

from __future__ import annotations

import os
from contextlib import suppress

from hookline.core.dispatch import Run
from hookline.core.failure import REVIEW, explain_file_switch, identify
from hookline.errors import TrustError
from hookline.model.event import Event
from hookline.model.frozen import Frozen
from hookline.model.kinds import ACTIONS
from hookline.model.spec import CLONED, Command, HookSpec, InProcess, Problem
from hookline.model.verdict import Failure, Outcome, Stance
from hookline.paths import is_below, shorten_home
from hookline.text.terminal_escape import escape_line
from hookline.trust.inspection import find_changes
from hookline.trust.state import (
    FAILURES,
    MASTER,
    NEW,
    RECORD,
    REVOKED,
    RUN,
    SKIPPED,
    STANCES,
    WARN,
    HookState,
    Policy,
    States,
)
from hookline.trust.store import Approval, Store, Switch
from hookline.wire.disable_flags import is_disable_flag

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping, Sequence
    from typing import Protocol

    from hookline.trust.state import Inspect

    class Declared(Protocol):
        """What all files declare now."""

        def list_hooks(self) -> Sequence[HookSpec]:
            """Return all hooks; the same object until the files are read again."""

        def is_searched(self, dialect: str, scope: str) -> bool:
            """Whether all files of a dialect in a scope were looked for."""


_FIRST_USE = "hookline recorded hooks of yours at their first use. To see them: `hookline list`"
_OFF = frozenset({"0", "off", "false", "no"})


class Admission(Frozen):
    """A run that may start. `note`: the text for the user; `state`: what is compared afterwards."""

    run: Run
    state: HookState
    note: str = ""


class Gate:
    """Decides about every hook of one engine. Safe from any thread.

    Args:
        store: the approvals and switches.
        policy: what becomes of a hook in each state.
        inspect: returns the files that a run would execute.
        root: the folder of the project.
        environ: the environment, in which hooks may be switched off.
        needs_consent: whether all hooks of a dialect have the project's column.
        locate: returns where a file of a dialect lies, in words that no file chose.
        problems: what the user reads once a session, and with each refusal.
    """

    def __init__(
        self,
        store: Store,
        policy: Policy,
        inspect: Inspect,
        *,
        root: str,
        environ: Mapping[str, str],
        needs_consent: Callable[[str], bool],
        locate: Callable[[str, str], str],
        problems: tuple[Problem, ...] = (),
    ) -> None:
        self.store = store
        self.policy = policy
        self.states = States(store, inspect, root, environ, needs_consent)
        self.root = self.states.root
        self.environ = environ
        self.problems = problems
        # An engine sets both. Whether the user of an event's session was told something before.
        self.declared: Declared | None = None
        self.was_told: Callable[[Event, str], bool] = lambda _event, _what: False
        self._locate = locate
        # Hooks that are declared, and their definitions.
        self._known: tuple[Sequence[HookSpec], frozenset[str]] = ((), frozenset())

    # -- before a run --------------------------------------------------------------------------

    def check_before(self, run: Run) -> Admission | Outcome:
        """Return the admission of a run, or the outcome of a hook that may not run."""
        name, off = self._name(run.spec), self.explain_off(run.spec, run.event.cwd)
        if off:
            note = f"hookline skipped {name}, which is switched off: {off}"
            refused = Outcome(failure=Failure.SWITCHED_OFF, detail=off, means=Stance.SILENT)
            return self._refuse(run, refused, note, once=note)
        state = self.states.find_state(run)
        effect = self.find_effect(state)
        if effect in (RUN, RECORD, WARN):
            note = f"{name} ran although {state.reason}. {REVIEW}" if effect == WARN else ""
            note = self._record_first_use(run, state) if effect == RECORD else note
            said = [f"hookline: {each}" for each in self.problems
                    if not self.was_told(run.event, f"settings {each}")]  # fmt: skip
            note = "\n".join(map(escape_line, filter(None, (*said, note))))
            return Admission(run=self._protect(run, state), state=state, note=note)
        stance = self._find_stance(run, effect)
        refused = Outcome(
            failure=FAILURES[state.state], detail=state.reason, means=stance,
            identity=state.definition, content=state.inspection.digest,
        )  # fmt: skip
        is_once = state.state in (NEW, REVOKED) and not stance
        once = f"{state.state} {state.owner.key}" if is_once else ""
        note = f"hookline skipped {name} because {state.reason}. {REVIEW}"
        return self._refuse(run, refused, note, once)

    def _refuse(self, run: Run, refused: Outcome, note: str, once: str) -> Outcome:
        """Return the outcome with its note and the problems; `once` in a session, by this key."""
        if once and self.was_told(run.event, once):
            return refused.replace(told=True)
        notes = [*(f"hookline: {each}" for each in self.problems), note]
        return refused.replace(note="\n".join(map(escape_line, notes)))

    def _record_first_use(self, run: Run, state: HookState) -> str:
        """Approve an own hook by its first use; return the note on it, once a session."""
        note = _FIRST_USE
        try:
            self.store.approve([self.to_approval(state, how="first use")], is_first_use=True)
        except TrustError as error:
            note = f"hookline could not record hooks of yours: {error.message} ({error.hint})"
        return "" if self.was_told(run.event, note) else note

    def _find_stance(self, run: Run, effect: str) -> Stance:
        """Return ASK or DENY for a guard before an action; it is SILENT elsewhere."""
        return STANCES.get(effect, Stance.SILENT) if _is_guard(run.spec) else Stance.SILENT

    def _protect(self, run: Run, state: HookState) -> Run:
        """Return the run with the variables that keep Python from planted files."""
        handler, variables = run.spec.handler, {}
        if state.inspection.imports_covered_python:
            variables["PYTHONPYCACHEPREFIX"] = f"{self.store.folder}/pycache"
            variables["PYTHONDONTWRITEBYTECODE"] = ""
        if state.inspection.is_shielded:
            variables["PYTHONSAFEPATH"] = "1"
        if type(handler) is not Command or not variables:
            return run
        handler = handler.replace(host_env={**handler.host_env, **variables})
        return run.replace(spec=run.spec.replace(handler=handler))

    # -- after a run ---------------------------------------------------------------------------

    def check_after(self, admission: Admission, outcome: Outcome) -> Outcome:
        """Return the outcome; one that does not count if files of the hook changed meanwhile."""
        state, run = admission.state, admission.run
        note = "\n".join(filter(None, (admission.note, outcome.note)))  # a builtin may have one
        outcome = outcome.replace(
            note=note, identity=state.definition, content=state.inspection.digest
        )
        effect = self.policy.changed
        changes = find_changes(state.inspection) if state.column and effect != RUN else ()
        if not changes:
            return outcome
        note = escape_line(f"`{changes[0]}` changed while {self._name(run.spec)} ran. {REVIEW}")
        return outcome.replace(distrusted=self._find_stance(run, effect), note=note)

    def is_withdrawn(self, run: Run) -> bool:
        """Whether the answer of a hook in the background does not count any more."""
        if self.explain_off(run.spec, run.event.cwd):
            return True
        return self.find_effect(self.states.find_state(run)) not in (RUN, WARN, RECORD)

    # -- states and switches -------------------------------------------------------------------

    def find_states(self, specs: Iterable[HookSpec]) -> list[HookState]:
        """Return the state of each hook, as for an event in the project's folder."""
        found = []
        for spec in specs:
            event = Event(
                kind=spec.kind, dialect=spec.dialect, native_name=spec.native_event, cwd=self.root
            )
            if not is_disable_flag(spec):
                found.append(self.states.find_state(Run(spec=spec, event=event)))
        return found

    def find_effect(self, state: HookState) -> str:
        """Return what becomes of a hook."""
        if not state.column:
            return RUN
        return self.policy.find_effect(state.column, state.state, can_run=state.can_run)

    def explain_off(self, spec: HookSpec, cwd: str = "") -> str:
        """Return what switches a hook off, in words; "" if nothing does."""
        if type(spec.handler) is InProcess or self.states.is_managed(spec):
            return ""
        if reason := explain_file_switch(spec):
            return reason
        if self.environ.get(MASTER, "").lower() in _OFF:
            return f"{MASTER}={self.environ[MASTER]}"
        words = self.environ.get(SKIPPED, "").split(",")  # where the shell expands `~`
        skipped = {shorten_home(word.strip(), self.environ) for word in words}
        if named := skipped & {spec.id, spec.name} - {""}:
            return f"{SKIPPED} names `{named.pop()}`"
        switches, folders = self.read_switches(), [self.root]
        with suppress(ValueError):  # a host may name what no path can be, with a NUL in it
            folders += [os.path.realpath(cwd or self.root)] if switches else []
        for each in switches:
            if each.root and not any(is_below(folder, each.root) for folder in folders):
                continue
            if each.definition and each.definition != self.states.find_definition(spec):
                continue
            where = f"in `{each.root}`" if each.root else "in every project"
            where = "in this project" if each.root == self.root else where
            return f"`hookline off` {'names it ' * bool(each.definition)}{where}"
        return ""

    def find_switches(self) -> dict[str, bool]:
        """Return which of `everywhere`, `project` and `environment` are on."""
        return {
            "everywhere": Switch() not in self.read_switches(),
            "project": not self.find_off_folder(),
            "environment": self.environ.get(MASTER, "").lower() not in _OFF,
        }

    def find_off_folder(self) -> str:
        """Return the folder, the project or one around it, in which all hooks are off, if any."""
        roots = (each.root for each in self.read_switches() if each.root and not each.definition)
        return next((root for root in roots if is_below(self.root, root)), "")

    def read_switches(self) -> list[Switch]:
        """Return everything that is switched off; nothing where the store cannot be read."""
        try:
            return self.store.read_switches()
        except TrustError:
            return []

    # -- removed guards ------------------------------------------------------------------------

    def find_removed(self) -> list[Approval]:
        """Return the approved guards whose definitions no file declares any more."""
        declared, project = self.declared, self.states.project
        found: list[Approval] = []
        if declared is None:
            return found
        hooks = declared.list_hooks()
        if hooks is not self._known[0]:
            self._known = (hooks, frozenset(map(self.states.find_definition, hooks)))
        there = self._known[1]
        with suppress(TrustError):
            for key in self.store.list_owners():
                if key.startswith("project-") and not (project and key == project.key):
                    continue
                with suppress(TrustError):  # one damaged owner hides nothing of the others
                    held = self.store.read_approvals(key)
                    for gone in held.versions.keys() - held.revoked - held.absent - there:
                        found += self.store.list_versions(key, gone)[:1]
        return [
            each for each in found if each.guards and declared.is_searched(each.dialect, each.scope)
        ]

    # -- words and records ---------------------------------------------------------------------

    def _name(self, spec: HookSpec) -> str:
        """Return the name of a hook for messages; of a project's hook no text of its files."""
        if spec.origin.scope not in CLONED:
            return identify(spec)
        place, event = self._locate(spec.dialect, spec.origin.file), spec.native_event
        is_plain = event.isascii() and event.replace("_", "").isalnum()
        words = (f"`{place}`" if place else "", event if is_plain else "")
        return f"a hook of this project ({', '.join(filter(None, words))})"

    def to_approval(self, state: HookState, *, who: str = "", how: str) -> Approval:
        """Return what the store keeps of an approval of a hook as it is now."""
        spec = state.spec
        return Approval(
            definition=state.definition, content=state.inspection.digest, owner=state.owner.key,
            dialect=spec.dialect, event=spec.native_event, kind=spec.kind,
            guards=_is_guard(spec), scope=spec.origin.scope, command=state.command,
            file=spec.origin.file, hook=spec.id,
            files=tuple(file.facts for file in state.inspection.files),
            who=who or find_user(self.environ), how=how, at=self.store.now(),
        )  # fmt: skip


def _is_guard(spec: HookSpec) -> bool:
    """Whether a hook can refuse an action."""
    return spec.kind in ACTIONS and not spec.detached and not spec.shadow


def find_user(environ: Mapping[str, str]) -> str:
    """Return the name of the user by the environment, else the user's number."""
    return environ.get("SUDO_USER") or environ.get("USER") or f"uid {os.getuid()}"
