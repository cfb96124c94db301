"""The gate: decides whether a hook may run, and whether its answer counts afterwards."""

from __future__ import annotations

import os
import pwd
from contextlib import suppress

from hookline.core.failure import explain_file_switch, identify
from hookline.errors import TrustError
from hookline.model.frozen import Frozen
from hookline.model.handler import Command, InProcess
from hookline.model.kinds import ACTIONS
from hookline.model.outcome import Failure, Outcome
from hookline.model.spec import CLONED
from hookline.model.verdict import Stance
from hookline.text.terminal_escape import escape_line
from hookline.trust.policy import (
    ASK,
    CHANGED,
    DENY,
    NEW,
    OWN,
    PROJECT,
    RECORD,
    REVOKED,
    RUN,
    WARN,
    explain_environment,
    explain_switch,
)
from hookline.trust.state import HookState, States
from hookline.trust.store import Approval

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence
    from typing import Protocol

    from hookline.core.dispatch import Run
    from hookline.model.event import Event
    from hookline.model.problem import Problem
    from hookline.model.spec import HookSpec
    from hookline.trust.inspected_files import Inspection
    from hookline.trust.policy import Policy
    from hookline.trust.state import Inspect
    from hookline.trust.store import Store, Switch

    class Declared(Protocol):
        """What all files declare now."""

        def list_hooks(self) -> Sequence[HookSpec]:
            """Return all hooks; the same object until files are read anew."""

        def is_searched(self, dialect: str, scope: str) -> bool:
            """Whether all files of a dialect in a scope were looked for."""


REVIEW = "To review it: `hookline approve`"
_FAILURES: Mapping[str, Failure] = {
    NEW: Failure.UNTRUSTED,
    CHANGED: Failure.CHANGED,
    REVOKED: Failure.REVOKED,
}
_STANCES: Mapping[str, Stance] = {ASK: Stance.ASK, DENY: Stance.DENY}


class Admission(Frozen):
    """A run that may start. `note`: the text for the user; `state`: what is compared afterwards."""

    run: Run
    note: str = ""
    state: HookState | None = None


class Gate:
    """Decides about every hook of one engine. Safe from any thread.

    Args:
        store: the approvals and switches.
        policy: what becomes of a hook in each state.
        inspect: returns the files that a run would execute.
        find_changes: returns which of them changed since.
        root: the folder of the project.
        environ: the environment, in which hooks may be switched off.
        needs_consent: whether all hooks of a dialect have the project's column.
        locate: returns where a file of a dialect lies, in words that no file chose.
    """

    problems: tuple[Problem, ...] = ()

    def __init__(
        self,
        store: Store,
        policy: Policy,
        inspect: Inspect,
        *,
        find_changes: Callable[[Inspection], Sequence[str]] = lambda _: (),
        root: str,
        environ: Mapping[str, str],
        needs_consent: Callable[[str], bool] = lambda _: False,
        locate: Callable[[str, str], str] = lambda _dialect, _file: "",
    ) -> None:
        self.store = store
        self.policy = policy
        self.states = States(store, inspect, root, environ, needs_consent)
        self.root = self.states.root
        self.environ = environ
        self.declared: Declared | None = None
        # Whether the user of an event's session was told something before; an engine sets its own.
        self.was_told: Callable[[Event, str], bool] = _Memory().was_told
        self._find_changes = find_changes
        self._locate = locate
        self._removed: tuple[object, ...] | None = None
        self._found: tuple[Approval, ...] = ()

    # -- before a run --------------------------------------------------------------------------

    def check_before(self, run: Run) -> Admission | Outcome:
        """Return the admission of a run, or the outcome of a hook that may not run."""
        spec = run.spec
        if type(spec.handler) is InProcess:
            return Admission(run=run)
        if not self.states.is_managed(spec):
            reason = self.explain_off(spec, run.event.cwd)
            if reason:
                return self._switch_off(run, reason)
        state = self.states.find_state(run)
        effect = self.find_effect(state)
        if effect == RECORD:
            return self._record_first_use(run, state)
        if effect == RUN:
            return Admission(run=self._protect(run, state), state=state)
        if effect == WARN:
            note = f"{self._name(spec)} ran although {state.reason}. {REVIEW}"
            return Admission(run=self._protect(run, state), note=escape_line(note), state=state)
        return self._refuse(run, state, effect)

    def find_effect(self, state: HookState) -> str:
        """Return the effect of a state on a hook (policy.EFFECTS)."""
        if not state.column:
            return RUN
        return self.policy.find_effect(state.column, state.state, can_run=state.can_run)

    def explain_off(self, spec: HookSpec, cwd: str = "") -> str:
        """Return what switches a hook off, in words; "" if nothing does."""
        if type(spec.handler) is InProcess or self.states.is_managed(spec):
            return ""
        return (
            explain_file_switch(spec)
            or explain_environment(spec, self.environ)
            or explain_switch(
                self.read_switches(), self.root, cwd, lambda: self.states.find_definition(spec)
            )
        )

    def read_switches(self) -> tuple[Switch, ...]:
        """Return everything that is switched off; nothing where the store cannot be read."""
        try:
            return self.store.read_switches()
        except TrustError:
            return ()

    def _record_first_use(self, run: Run, state: HookState) -> Admission:
        """Approve the user's own hook by its first use."""
        note = "hookline recorded hooks of yours at their first use. To see them: `hookline list`"
        try:
            self.store.approve([self.to_approval(state, how="first use")], is_first_use=True)
        except TrustError as error:
            note = f"hookline could not record hooks of yours: {error.message} ({error.hint})"
        is_told = self.was_told(run.event, note)
        return Admission(
            run=self._protect(run, state), note="" if is_told else escape_line(note), state=state
        )

    def _switch_off(self, run: Run, reason: str) -> Outcome:
        note = escape_line(
            f"hookline skipped {self._name(run.spec)}, which is switched off: {reason}"
        )
        is_told = self.was_told(run.event, note)
        return Outcome(
            failure=Failure.SWITCHED_OFF, detail=reason, note="" if is_told else note,
            means=Stance.SILENT, told=is_told,
        )  # fmt: skip

    def _refuse(self, run: Run, state: HookState, effect: str) -> Outcome:
        """Return the outcome of a hook that does not run: a stance before an action, else a notice."""
        stance = self._find_stance(run, effect)
        why = "you have not approved it" if state.state == NEW and state.can_run else state.reason
        note = escape_line(f"hookline skipped {self._name(run.spec)} because {why}. {REVIEW}")
        once = state.state in (NEW, REVOKED) and not stance
        is_told = once and self.was_told(run.event, f"{state.state} {state.owner.key}")
        return Outcome(
            failure=_FAILURES[state.state], detail=state.reason, note="" if is_told else note,
            means=stance, told=is_told, identity=state.definition, content=state.inspection.digest,
        )  # fmt: skip

    def _find_stance(self, run: Run, effect: str) -> Stance:
        """Return ASK or DENY for a guard before an action; it is SILENT elsewhere."""
        is_guard = run.spec.kind in ACTIONS and not run.detached and not run.spec.shadow
        return _STANCES.get(effect, Stance.SILENT) if is_guard else Stance.SILENT

    def _protect(self, run: Run, state: HookState) -> Run:
        """Return the run with the variables that keep Python from planted files."""
        seen, handler = state.inspection, run.spec.handler
        if type(handler) is not Command:
            return run
        variables = {}
        if seen.imports_covered_python:
            variables["PYTHONPYCACHEPREFIX"] = f"{self.store.folder}/pycache"
            variables["PYTHONDONTWRITEBYTECODE"] = ""
        is_own = state.column == OWN or self.states.is_managed(run.spec)
        if is_own and not seen.unseen and not seen.has_python_file:
            variables["PYTHONSAFEPATH"] = "1"
        if not variables:
            return run
        handler = handler.replace(host_env={**handler.host_env, **variables})
        return run.replace(spec=run.spec.replace(handler=handler))

    # -- after a run ---------------------------------------------------------------------------

    def check_after(self, admission: Admission, outcome: Outcome) -> Outcome:
        """Return the outcome; one that does not count if files of the hook changed during its run."""
        state = admission.state
        if state is None:
            return outcome.replace(note=admission.note) if admission.note else outcome
        outcome = outcome.replace(
            note=admission.note, identity=state.definition, content=state.inspection.digest
        )
        if not state.column:
            return outcome
        changes = self._find_changes(state.inspection)
        effect = self.policy.find_effect(PROJECT, CHANGED)
        if not changes or effect == RUN:
            return outcome
        name = self._name(admission.run.spec)
        note = escape_line(f"`{changes[0]}` changed while {name} ran. {REVIEW}")
        stance = self._find_stance(admission.run, effect)
        return outcome.replace(distrusted=stance, note=note)

    def is_withdrawn(self, run: Run) -> bool:
        """Whether the answer of a hook in the background does not count any more."""
        spec = run.spec
        if type(spec.handler) is InProcess or self.states.is_managed(spec):
            return False
        if self.explain_off(spec, run.event.cwd):
            return True
        return self.find_effect(self.states.find_state(run)) not in (RUN, WARN, RECORD)

    # -- removed guards ------------------------------------------------------------------------

    def find_removed(self) -> tuple[Approval, ...]:
        """Return the approved guards whose definitions no file declares any more."""
        if self.declared is None:
            return ()
        try:
            keys = [key for key in self.store.list_owners() if self._is_concerned(key)]
        except TrustError:
            return ()
        held = []
        for key in keys:
            with suppress(TrustError):  # what is damaged of one owner hides nothing of the others
                held.append((key, self.store.read_approvals(key)))
        hooks = self.declared.list_hooks() if held else ()
        version = (id(hooks), held)
        if version != self._removed:
            there = frozenset(map(self.states.find_definition, hooks))
            gone = [(key, definition) for key, each in held
                    for definition in each.versions.keys() - each.revoked - each.absent - there]  # fmt: skip
            self._found = tuple(
                each for key, definition in gone for each in self._read_removed(key, definition)
            )
            # The hooks are kept, so that no other object can have their id.
            self._removed, self._kept = version, hooks
        return self._found

    def _is_concerned(self, key: str) -> bool:
        project = self.states.project
        return not key.startswith("project-") or (project is not None and key == project.owner.key)

    def _read_removed(self, key: str, definition: str) -> list[Approval]:
        try:
            latest = self.store.list_versions(key, definition)[:1]
        except TrustError:
            return []
        assert self.declared is not None  # noqa: S101 - asked by the caller
        return [each for each in latest
                if each.guards and self.declared.is_searched(each.dialect, each.scope)]  # fmt: skip

    # -- words and records ---------------------------------------------------------------------

    def _name(self, spec: HookSpec) -> str:
        """Return the name of a hook for messages; of a project's hook no text that its files chose."""
        if spec.origin.scope not in CLONED:
            return identify(spec)
        return f"a hook of this project ({self.describe_place(spec.dialect, spec.origin.file, spec.native_event)})"

    def describe_place(self, dialect: str, file: str, event: str) -> str:
        """Return where a hook is declared, in words that no file chose."""
        place = self._locate(dialect, file)
        is_plain = event.isascii() and event.replace("_", "").isalnum()
        return ", ".join(filter(None, (f"`{place}`" if place else "", event if is_plain else "")))

    def to_approval(self, state: HookState, *, who: str = "", how: str) -> Approval:
        """Return what the store keeps of an approval of a hook as it is now."""
        spec = state.spec
        files = tuple((file.key, file.sha256, file.is_executable, file.is_writable_by_all)
                      for file in state.inspection.files)  # fmt: skip
        return Approval(
            definition=state.definition, content=state.inspection.digest, owner=state.owner.key,
            label=state.owner.label, dialect=spec.dialect, event=spec.native_event, kind=spec.kind,
            guards=spec.kind in ACTIONS and not spec.detached and not spec.shadow,
            scope=spec.origin.scope, command=state.command, file=spec.origin.file, hook=spec.id,
            files=files, who=who or find_user(self.environ), how=how, at=self.store.now(),
        )  # fmt: skip


class _Memory:
    """Remembers the notices of each session, if no engine does."""

    def __init__(self) -> None:
        self._said: set[tuple[str, str]] = set()

    def was_told(self, event: Event, what: str) -> bool:
        """Whether the event's session had this notice before; record it."""
        key = (event.session_id, what)
        is_told = key in self._said
        self._said.add(key)
        return is_told


def find_user(environ: Mapping[str, str]) -> str:
    """Return the user's name: by the environment, else by the system."""
    if named := environ.get("SUDO_USER") or environ.get("USER"):
        return named

    try:
        return pwd.getpwuid(os.getuid()).pw_name
    except KeyError:
        return f"uid {os.getuid()}"
