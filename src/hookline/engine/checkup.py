"""Checkup: every hook that may run asked about a made-up event, on the way that every event takes, and what is wrong with it."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Protocol

from hookline.config.settings import settings
from hookline.core.plan import Group, Plan
from hookline.engine.callers import called
from hookline.engine.drive import drive
from hookline.engine.gating import gate_of
from hookline.engine.soundness import Finding, by_files, by_policy, conflicts, duplicates, found, runs
from hookline.engine.steering import self_approve_problem
from hookline.engine.symptoms import by_outcome
from hookline.engine.synthetic import made_up
from hookline.model.frozen import Frozen
from hookline.model.handler import Broken, Model
from hookline.model.kinds import kind
from hookline.model.problem import Problem
from hookline.trust.policy import RECORD, SKIP, WARN

if TYPE_CHECKING:
    from collections.abc import Generator, Iterator, Mapping
    from typing import Any

    from hookline.core.dispatch import Dispatch, Run
    from hookline.core.registry import Entry
    from hookline.engine.engine import Engine
    from hookline.model.event import Event
    from hookline.model.outcome import Outcome
    from hookline.model.spec import HookSpec
    from hookline.model.verdict import Decision, Stance, Verdict
    from hookline.trust.gate import Standing

SCHEMA = "hookline.checkup/1"
# Tells a hook that this is a test: the variable is set to 1.
VARIABLE = "HOOKLINE_DOCTOR"
SECONDS = 30.0
# So many events of its kind without a hook ever being asked make it worth a word.
_MANY = 20
# Why nothing was started: one of these is enough.
_NOT_STARTED = frozenset({"check.missing", "check.interpreter", "check.not-executable"})
# What keeps a hook from being run, by its state: the finding, and what to do.
_BARRED: Mapping[str, tuple[str, str]] = {
    "unknown": ("check.unapproved", "look at it, then: hookline approve"),
    "changed": ("check.changed", "look at what changed, then: hookline approve"),
    "revoked": ("check.unapproved", "to let it run again: hookline approve"),
    "missing": ("check.missing", "name a file that is there, by its absolute path"),
}


class History(Protocol):
    """What a journal knows. `since`: a time in seconds since 1970."""

    def asked(self, hook_id: str, since: float) -> int:
        """How often a hook was asked."""

    def fired(self, kind: str, root: str, since: float) -> int:
        """How many events of a kind there were in a folder and below."""


class Examined(Frozen):
    """One hook as it was found. `state` is how it stands with whoever approves; `verdict` is None where it was not asked."""

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
            "stance": self.verdict.stance.name.lower() if self.verdict else None,
            "seconds": self.verdict.seconds if self.verdict else None,
            "findings": [finding.to_dict() for finding in self.findings],
        }


class Checkup(Frozen):
    """Everything that was found: hook by hook, and what is wrong with no hook in particular."""

    hooks: tuple[Examined, ...] = ()
    findings: tuple[Problem, ...] = ()

    @property
    def all_findings(self) -> tuple[Problem, ...]:
        return (*self.findings, *(finding for hook in self.hooks for finding in hook.findings))

    def to_dict(self) -> dict[str, Any]:
        """The document `hookline.checkup/1`."""
        found = self.all_findings
        return {
            "schema": SCHEMA,
            "hooks": [hook.to_dict() for hook in self.hooks],
            "findings": [finding.to_dict() for finding in self.findings],
            "errors": sum(finding.severity == "error" for finding in found),
            "warnings": sum(finding.severity != "error" for finding in found),
        }


def check(engine: Engine, *, history: History | None = None, seconds: float = SECONDS, models: bool = False) -> Checkup:
    """Look at every hook of an engine, and ask those that may run.

    One that nobody approved is never run. `seconds`: for one hook, at most. `models`: ask hooks that are judged by a language
    model too, which costs what a call costs.

    Raises:
        TrustError: the store of approvals cannot be read.
        ConfigError: the settings are wrong.
    """
    entries = list(engine.registry.entries())
    standings = _standings(engine, entries)
    examined = [_examined(engine, entry, standings.get(entry.spec.id), seconds, models=models) for entry in entries]
    ways = {entry.spec.id: runs(entry.spec, made_up(entry.spec, entry.dialect, engine.cwd), engine.environ) for entry in entries}
    together = [*duplicates([entry.spec for entry in entries], ways), *conflicts([entry.spec for entry in entries], _said(examined))]
    together += _never_asked(entries, history, engine.cwd) if history else ()
    whole = [one.replace(findings=(*one.findings, *(each for each in together if each.hook == one.spec.id))) for one in examined]
    cost = self_approve_problem(settings(engine.environ))
    return Checkup(hooks=tuple(whole), findings=(*_switched_off(engine), *((cost,) if cost else ()), *called(engine), *engine.problems))


def _said(examined: list[Examined]) -> dict[str, Stance]:
    return {one.spec.id: one.verdict.stance for one in examined if one.verdict is not None and not one.verdict.fault}


# -- trust ---------------------------------------------------------------------------------------------------------------


def _standings(engine: Engine, entries: list[Entry]) -> dict[str, Standing]:
    from hookline.trust import survey  # noqa: PLC0415 - looking is not firing

    gate = gate_of(engine.gate)
    return {} if gate is None else {each.spec.id: each for each in survey(gate, (entry.spec for entry in entries))}


def _switched_off(engine: Engine) -> Iterator[Problem]:
    from hookline.trust import switches  # noqa: PLC0415 - as above

    gate = gate_of(engine.gate)
    if gate is None:
        return
    for which, is_on in switches(gate.known(), gate.root, gate.environ).items():
        if not is_on:
            told, hint = _OFF[which]
            yield Problem(name="check.off", message=told, hint=hint)


_OFF: Mapping[str, tuple[str, str]] = {
    "everywhere": ("hooks are switched off everywhere", "hookline on --global"),
    "project": ("hooks are switched off in this project", "hookline on"),
    "environment": ("hooks are switched off by the variable HOOKLINE", "unset HOOKLINE"),
}


# -- one hook ------------------------------------------------------------------------------------------------------------


def _examined(engine: Engine, entry: Entry, standing: Standing | None, seconds: float, *, models: bool) -> Examined:
    """One hook as it is found, and, if it may run, as it answers."""
    spec = entry.spec
    state = standing.state if standing else "trusted" if spec.trusted else "unknown"
    event = made_up(spec, entry.dialect, engine.cwd)
    if isinstance(spec.handler, Broken):
        told = found(spec, "check.broken", f"it could not be loaded: {spec.handler.reason}", hint="hookline validate tells the place")
        return Examined(spec=spec, state=state, findings=(told,))
    still = [*by_files(spec, event, engine.environ), *by_policy(spec)]
    if state != "trusted":
        told = _barred(engine, spec, state, standing)
        # What is not approved is told of, and never changed.
        others = [each.replace(path="") for each in still if not {each.name, told.name} <= _NOT_STARTED]
        return Examined(spec=spec, state=state, findings=(told, *others))
    if isinstance(spec.handler, Model) and not models:
        return Examined(spec=spec, state=state, findings=tuple(still))
    outcome, verdict = ask(engine, entry, event, seconds)
    heard = [*by_outcome(spec, outcome, verdict, seconds)]
    known = {each.name for each in still}
    # An interpreter without its script exits as a refusal does.
    known |= {*_NOT_STARTED, "check.refuses"} if known & _NOT_STARTED else set()
    return Examined(spec=spec, state=state, verdict=verdict, findings=(*still, *(each for each in heard if each.name not in known)))


def _barred(engine: Engine, spec: HookSpec, state: str, standing: Standing | None) -> Finding:
    """Why a hook was not asked, and what its host would make of it."""
    name, hint = _BARRED[state]
    why = standing.reason if standing and standing.reason else "nobody approved it"
    gate = gate_of(engine.gate)
    effect = gate.effect(standing) if gate and standing else SKIP
    if effect == RECORD:
        return found(spec, name, f"it was never run; its first run counts as its approval ({why})", hint=hint, severity="warning")
    if effect == WARN:
        return found(spec, name, f"it is run with a note, but not here: {why}", hint=hint, severity="warning")
    return found(spec, name, f"it is not run: {why}", hint=hint)


def ask(engine: Engine, entry: Entry, event: Event, seconds: float = SECONDS) -> tuple[Outcome | None, Verdict]:
    """Ask one hook about an event, whatever its conditions say; what it produced (None: it was not run) and its verdict.

    All else is as in production: payload, process, limits, trust, reading.
    """
    # Its conditions stay: without them it would be another hook than the one that was approved. Its predicates are what is asked.
    spec = entry.spec.replace(detached=False, once=False, timeout=min(entry.spec.timeout, seconds))
    bare = entry.replace(spec=spec, tools=None, on_tool=(), content=())
    group = Group(dialect=entry.dialect, steps=(bare,), detached=(), parallel=False)
    powers = entry.row.powers if entry.row else kind(spec.kind).powers
    seen: list[Outcome] = []
    asked = engine._asking(Plan(groups=(group,), rule=entry.dialect.table.fold, powers=powers), event)
    decision = drive(_watched(asked, seen), engine._detach, engine.limits, {**engine.environ, VARIABLE: "1"})
    return (seen[0] if seen else None), decision.verdicts[0]


def _watched(asked: Dispatch, seen: list[Outcome]) -> Generator[tuple[Run, ...], tuple[Outcome, ...], Decision]:
    """The dispatcher, with what its runs produced kept aside."""
    try:
        runs = next(asked)
        while True:
            outcomes = yield runs
            seen += outcomes
            runs = asked.send(outcomes)
    except StopIteration as stop:
        decision: Decision = stop.value
        return decision


# -- what a journal tells ----------------------------------------------------------------------------------------------


def _never_asked(entries: list[Entry], history: History, root: str) -> Iterator[Finding]:
    """Hooks that no event selected since their file was last changed, although there were many of their kind here.

    Only a change of the file can give a hook's id to another one.
    """
    for spec in (entry.spec for entry in entries if entry.spec.conditions and entry.spec.trusted):
        since = _changed_at(spec.origin.file)
        fired = history.fired(spec.kind, root, since)
        if fired >= _MANY and not history.asked(spec.id, since):
            told = f"none of {fired} events of its kind selected it since its file was changed"
            yield found(spec, "check.never-matched", told, hint="hookline explain EVENT tells why not", severity="warning")


def _changed_at(file: str) -> float:
    try:
        return os.stat(file).st_mtime
    except OSError:
        return 0.0
