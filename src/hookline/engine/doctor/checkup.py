"""Asks every hook that may run about a synthetic event, and lists what is wrong with each hook."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

from hookline.config.settings import read_settings
from hookline.core.failure import explain_file_switch
from hookline.engine.approval_service import (
    find_self_approve_problem,
    list_off,
    list_pack_problems,
    list_removed_problems,
)
from hookline.engine.doctor.diagnosis import FAILURE_FINDINGS, diagnose_outcome
from hookline.engine.doctor.probe import ask_hook, make_event
from hookline.engine.doctor.static_checks import (
    MISSING_HINT,
    Finding,
    check_extras,
    check_files,
    check_policy,
    find_duplicates,
    find_unresolved,
    make_finding,
    make_warning,
)
from hookline.engine.doctor.tool_matchers import find_unmatched_tools
from hookline.engine.host_integrations import list_call_problems
from hookline.engine.session_limits import describe_failures, find_failures, make_key
from hookline.engine.trust_gate import inspect_once
from hookline.model.frozen import Frozen
from hookline.model.spec import Broken, HookSpec, Model, Problem
from hookline.model.verdict import BARRED, Failure, Verdict
from hookline.trust.state import APPROVED, CHANGED, FAILURES, NEW, NOT_APPROVED, RECORD, SKIP, WARN

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
    from typing import Any, TypeAlias

    from hookline.core.registry import Entry
    from hookline.engine.engine import Engine
    from hookline.journal.search import Search
    from hookline.trust.gate import Gate

    Watch: TypeAlias = Callable[[Sequence[HookSpec], int], object]

_NO_HOSTS: Mapping[str, str] = {}
SECONDS = 30.0
# After so many events of its kind, a hook that was never asked gets a warning.
_MANY = 20
# Findings which mean that nothing started.
_NOT_STARTED = frozenset({"check.missing", "check.interpreter", "check.not-executable"})
_NOT_FOUND = (126, 127)  # exit codes by which a shell says that it started nothing


class Examined(Frozen):
    """The result for one hook. `state`: of its approval; `verdict` is None if it did not run."""

    spec: HookSpec
    state: str
    verdict: Verdict | None = None
    findings: tuple[Problem, ...] = ()

    def to_dict(self) -> dict[str, Any]:
        return {
            "hook": self.spec.id,
            "native_event": self.spec.native_event,
            "state": self.state,
            "asked": self.verdict is not None,
            "stance": self.verdict.stance.word if self.verdict else None,
            "seconds": self.verdict.seconds if self.verdict else None,
            "findings": [finding.to_dict() for finding in self.findings],
        }


class Checkup(Frozen):
    """The result of a checkup: hook by hook, and findings that concern no single hook."""

    hooks: tuple[Examined, ...]
    findings: tuple[Problem, ...]

    @property
    def all_findings(self) -> tuple[Problem, ...]:
        return (*self.findings, *(finding for hook in self.hooks for finding in hook.findings))

    def to_dict(self) -> dict[str, Any]:
        """Return the document `hookline.checkup/1`."""
        severities = [finding.severity for finding in self.all_findings]
        errors = severities.count("error")
        return {
            "schema": "hookline.checkup/1",
            "hooks": [hook.to_dict() for hook in self.hooks],
            "findings": [finding.to_dict() for finding in self.findings],
            "errors": errors,
            "warnings": len(severities) - errors,
        }


def run_checkup(
    engine: Engine,
    *,
    history: Search | None = None,
    seconds: float = SECONDS,
    models: bool = False,
    hosts: Mapping[str, str] = _NO_HOSTS,
    watch: Watch | None = None,
) -> Checkup:
    """Check every hook of an engine, and ask those that may run.

    Hooks without approval never run. `seconds`: for one hook, at most. `models`: ask hooks that are
    judged by a language model too, which costs what a call costs. `hosts`: those that
    are installed, by name, with their dialects. `watch` is called before each hook is asked, with
    all that will be and its place among them.

    Raises:
        TrustError: the store of approvals cannot be read.
        ConfigError: the settings are wrong.
    """
    trial = _Trial(engine, seconds, models=models, watch=watch)
    examined = {entry.spec.id: trial.examine(entry) for entry in trial.entries}
    asked = {name: one.verdict for name, one in examined.items() if one.verdict is not None}
    specs = [entry.spec for entry in trial.entries if not isinstance(entry.spec.handler, Broken)]
    together = [*find_duplicates(specs), *find_unmatched_tools(specs, hosts)]
    if history:
        together += _find_never_asked(filter(trial.may_run, specs), history, engine.cwd)
    for each in together:
        one = examined[each.hook]
        examined[each.hook] = one.replace(findings=(*one.findings, each))
    off = list_off(trial.gate) if trial.gate else ()
    cost = find_self_approve_problem(read_settings(engine.environ))
    return Checkup(
        hooks=tuple(examined.values()),
        findings=(
            *(Problem(name="check.off", message=why, hint=hint) for why, hint in off),
            *((cost,) if cost else ()),
            *list_call_problems(engine),
            *list_removed_problems(engine),
            *list_pack_problems(engine),
            # The finding of a hook that was asked says already that its address is unreachable.
            *(each for each in find_unresolved(engine) if each.hook not in asked),
            *engine.problems,
        ),
    )


# -- one hook after the other ----------------------------------------------------------------------


class _Trial:
    """The hooks of an engine, their synthetic events, and their approval states."""

    def __init__(
        self, engine: Engine, seconds: float, *, models: bool, watch: Watch | None = None
    ) -> None:
        self.engine = engine
        self.seconds = seconds
        self.models = models
        self.watch = watch
        self.entries = engine.registry.entries()
        self.events = {
            entry.spec.id: make_event(entry.spec, entry.dialect, engine.cwd)
            for entry in self.entries
        }
        given = engine.runtime.gate
        self.gate: Gate | None = given.get() if given is not None else None
        specs = (entry.spec for entry in self.entries)
        states = self.gate.find_states(specs) if self.gate else ()
        self.states = {each.spec.id: each for each in states}
        self.planned = [each.spec for each in self.entries if self._will_ask(each.spec)]

    def _will_ask(self, spec: HookSpec) -> bool:
        is_free = self.models or not isinstance(spec.handler, Model)
        return self.state(spec) == APPROVED and is_free and _explain_unable(spec) is None

    def state(self, spec: HookSpec) -> str:
        """Return the approval state of a hook; without a gate, by the scope of its file."""
        known = self.states.get(spec.id)
        return known.state if known else APPROVED if spec.trusted else NEW

    def may_run(self, spec: HookSpec) -> bool:
        """Whether a host would run a hook."""
        return self.state(spec) == APPROVED or self._effect(spec) in (RECORD, WARN)

    def _effect(self, spec: HookSpec) -> str:
        known = self.states.get(spec.id)
        return self.gate.find_effect(known) if self.gate and known else SKIP

    def examine(self, entry: Entry) -> Examined:
        """Check one hook, and ask it if it may run."""
        spec, state = entry.spec, self.state(entry.spec)
        if unable := _explain_unable(spec):
            return Examined(spec=spec, state=state, findings=(unable,))
        event, environ = self.events[spec.id], self.engine.runtime.environ
        seen = inspect_once(spec, event, environ, self.engine.cwd)
        found = [
            *check_files(spec, seen),
            *check_extras(spec),
            *check_policy(spec, entry.dialect.table),
        ]
        if state != APPROVED:
            barred = self._explain_barred(spec, state)
            # `--fix` changes only modes, and only of files with approved bytes.
            has_approved_bytes = self._has_approved_bytes(spec)
            others = [
                each if has_approved_bytes else each.replace(path="")
                for each in found
                if each.name != barred.name and not {each.name, barred.name} <= _NOT_STARTED
            ]
            return Examined(spec=spec, state=state, findings=(barred, *others))
        if spec not in self.planned:
            return Examined(spec=spec, state=state, findings=tuple(found))
        if self.watch is not None:
            self.watch(self.planned, self.planned.index(spec))
        return self._ask(entry, state, found)

    def _has_approved_bytes(self, spec: HookSpec) -> bool:
        """Whether a hook was approved with the files that it has now, whatever their modes are."""
        known = self.states.get(spec.id)
        if self.gate is None or known is None or known.state != CHANGED:
            return False
        now = {file.key: file.sha256 for file in known.inspection.files}
        versions = self.gate.store.list_versions(known.owner.key, known.definition)
        return any({key: digest for key, digest, *_ in each.files} == now for each in versions)

    def _ask(self, entry: Entry, state: str, found: list[Finding]) -> Examined:
        spec = entry.spec
        outcome, verdict = ask_hook(
            self.engine, entry, self.events[spec.id], self.gate, self.seconds
        )
        known = {each.name for each in found}
        # An interpreter without its script exits as a refusal does.
        known |= {*_NOT_STARTED, "check.refuses"} if known & _NOT_STARTED else set()
        diagnosed = diagnose_outcome(spec, outcome, verdict, self.seconds)
        new = [each for each in diagnosed if each.name not in known]
        has_started = (
            outcome is not None
            and outcome.failure not in (*BARRED, Failure.NOT_STARTED, Failure.UNLOADABLE)
            and outcome.exit_code not in _NOT_FOUND
        )
        return Examined(
            spec=spec,
            state=state,
            verdict=verdict if has_started else None,
            findings=(*found, *new, *self._check_failures(entry, verdict)),
        )

    def _check_failures(self, entry: Entry, verdict: Verdict) -> Iterator[Finding]:
        """Yield how often the hook failed in a row at events of its host.

        A success here resets that count.
        """
        table, engine = entry.dialect.table, self.engine
        failures = find_failures(engine.runtime, entry.spec) if table.suspends_after else None
        if failures is None or not failures.count:
            return
        message = describe_failures(entry.spec, table, failures, engine.runtime.clock())
        hint = "mend it, and run the doctor again"
        if verdict.fault is None:
            engine.runtime.sessions.record_failures((), (make_key(entry.spec),))
            message, hint = f"{message}; it answers now, so its failures are forgotten", ""
        yield make_warning(entry.spec, "check.failures", message, hint)

    def _explain_barred(self, spec: HookSpec, state: str) -> Finding:
        """Return the finding that explains why a hook was not asked, and what its host would do."""
        known, effect = self.states.get(spec.id), self._effect(spec)
        why = known.reason if known and known.reason else NOT_APPROVED
        name, hint = FAILURE_FINDINGS[FAILURES[state]]
        if known and known.inspection.missing_program:
            name, hint = "check.missing", MISSING_HINT
        message = f"it is not run: {why}"
        if effect == RECORD:
            message = f"it was never run; its first run counts as its approval ({why})"
        elif effect == WARN:
            message = f"it is run with a note, but not here: {why}"
        severity = "warning" if effect in (RECORD, WARN) else "error"
        return make_finding(spec, name, message, hint).replace(severity=severity)


def _explain_unable(spec: HookSpec) -> Finding | None:
    """Return why a hook never runs, whatever is approved."""
    if spec.off is not None:
        message = f"it is switched off: {explain_file_switch(spec)}"
        return make_warning(spec, "hook.off", message, "hookline on")
    if not isinstance(spec.handler, Broken):
        return None
    reason = spec.handler.reason
    if spec.handler.absent:
        return make_warning(spec, "hook.never-runs", f"it does not run: {reason}")
    message = f"it could not be loaded: {reason}"
    return make_finding(spec, "check.broken", message, "to see the place: hookline validate")


# -- what a journal tells --------------------------------------------------------------------------


def _find_never_asked(specs: Iterable[HookSpec], history: Search, root: str) -> Iterator[Finding]:
    """Yield a warning for hooks that none of many events selected since their file changed.

    Only a change of the file can give a hook's id to another one.
    """
    for spec in (each for each in specs if each.conditions):
        file = spec.origin.file
        since = os.stat(file).st_mtime if os.path.exists(file) else 0.0
        fired = history.count_events(spec.kind, root, since)
        if fired >= _MANY and not history.count_runs(spec.id, since):
            message = f"none of {fired} events of its kind selected it since its file was changed"
            hint = "hookline explain EVENT tells why not"
            yield make_warning(spec, "check.never-matched", message, hint)
