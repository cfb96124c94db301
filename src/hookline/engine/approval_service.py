"""Looks up, approves, revokes and switches the hooks of an engine, for CLI, chat and HTTP."""

from __future__ import annotations

import os
import shlex
import time

from hookline.config.yaml_toggle import turn_on
from hookline.engine.approved_texts import read_texts
from hookline.engine.lazy_gate import note_approvals
from hookline.engine.loader import list_hooks
from hookline.engine.pack_problems import find_pack_problems
from hookline.engine.trust_gate import make_gate
from hookline.errors import ConfigError, HookError, TrustError
from hookline.model.frozen import Frozen
from hookline.model.spec import MANAGED, HookSpec, InProcess, Origin, Problem, describe_command
from hookline.trust.gate import Gate, find_user
from hookline.trust.state import (
    CHANGED,
    NEW,
    RECORD,
    REVOKED,
    RUN,
    WARN,
    HookState,
    list_differences,
)
from hookline.trust.store import Approval, Switch

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence
    from typing import Any

    from hookline.engine.engine import Engine

# What is off, by its switch, in words; and what turns it on again, where there is a shell.
_OFF: Mapping[str, tuple[str, str]] = {
    "environment": ("the variable HOOKLINE switches hooks off", "unset HOOKLINE"),
    "everywhere": ("hooks are switched off everywhere", "hookline on --global"),
    "project": ("hooks are switched off in this project", "hookline on"),
}
_LET_THROUGH = (RUN, RECORD, WARN)


class HookStatus(Frozen):
    """The state of a hook, and whether it runs at its next event. `off`: what switches it off."""

    trust: HookState
    runs: bool = False
    off: str = ""


class ApprovalResult(Frozen):
    """The result of an approval: the status of each hook, and whether every switch is `on`.

    `left`: why files that switch these hooks off could not be written.
    """

    statuses: tuple[HookStatus, ...]
    on: bool
    left: tuple[str, ...] = ()

    @property
    def events(self) -> list[str]:
        """The native events of the hooks, each once."""
        return list(dict.fromkeys(each.trust.spec.native_event for each in self.statuses))

    @property
    def mounted(self) -> int:
        """How many of the hooks run at their next event."""
        return sum(each.runs for each in self.statuses)


def get_gate_for(engine: Engine) -> Gate:
    """Return the engine's gate, or the usual one for an engine without.

    What is done at it is written into the engine's journal.

    Raises:
        ConfigError: the settings are wrong.
    """
    given = engine.runtime.gate
    gate = given.get() if given is not None else make_gate(engine.cwd, engine.environ)
    if gate.declared is None:
        gate.declared = engine.loader
    if gate.store.write_record is None:
        gate.store.write_record = note_approvals(engine.runtime.journal)
    return gate


# -- looking -----------------------------------------------------------------------------------


def find_statuses(engine: Engine, specs: Iterable[HookSpec] | None = None) -> dict[str, HookStatus]:
    """Return the status of hooks by their ids; without `specs`, of all that were ever declared.

    Raises:
        ConfigError: the settings are wrong.
    """
    gate = get_gate_for(engine)
    found = {}
    for state in gate.find_states(list_hooks(engine.snapshot) if specs is None else specs):
        off = gate.explain_off(state.spec)
        runs = not off and gate.find_effect(state) in _LET_THROUGH
        found[state.spec.id] = HookStatus(trust=state, runs=runs, off=off)
    return found


def find_store_problem(engine: Engine) -> Problem | None:
    """Return why the approvals cannot be read, and what follows; None if they can.

    Raises:
        ConfigError: the settings are wrong.
    """
    store = get_gate_for(engine).store
    try:
        for owner in store.list_owners():
            store.read_approvals(owner)
        store.read_switches()
    except TrustError as error:
        message = f"{error.message}: hooks that need an approval count as changed"
        return Problem(name=error.name, message=message, hint=error.hint)
    return None


def list_pack_problems(engine: Engine) -> list[Problem]:
    """Return what is wrong with installed packs, except those that the engine could not load."""
    files = (each.key[0] for each in engine.snapshot.sources if each.error is None)
    found = find_pack_problems(files, engine.environ)
    return [problem for problems in found.values() for problem in problems]


def count_waiting(engine: Engine) -> int:
    """Return how many hooks wait for an approval; a file that is not parsed counts as one.

    Raises:
        ConfigError: the settings are wrong.
    """
    statuses = (each for each in find_statuses(engine).values() if not each.runs)
    asked = (each.trust for each in statuses if each.trust.column)
    waiting = sum(state.state in (NEW, CHANGED) for state in asked)
    return waiting + len(engine.loader.list_unread())


def list_off(gate: Gate) -> list[tuple[str, str]]:
    """Return why hooks are off, and what turns them on again, where there is a shell."""
    reasons = {name: _OFF[name] for name, is_on in gate.find_switches().items() if not is_on}
    above = gate.find_off_folder()
    if "project" in reasons and above != gate.root:
        why = f"hooks are switched off in `{above}`, in which this project lies"
        reasons["project"] = (why, f"hookline on -C {shlex.quote(above)}")
    return [reasons[name] for name in _OFF if name in reasons]


def list_managed(engine: Engine) -> list[HookSpec]:
    """Return the hooks that no switch reaches, because they are managed policy.

    Raises:
        ConfigError: the settings are wrong.
    """
    gate = get_gate_for(engine)
    return [spec for spec in engine.hooks if gate.states.is_managed(spec)]


def describe_change(engine: Engine, state: HookState) -> list[str]:
    """Describe when a hook was approved and what changed since; empty if it never was."""
    store = get_gate_for(engine).store
    try:
        versions = store.list_versions(state.owner.key, state.definition) if state.column else []
    except TrustError:
        return []
    if not versions or state.state != CHANGED:
        return []
    latest = versions[0]
    when = time.strftime("%Y-%m-%d %H:%M:%S UTC", time.gmtime(latest.at))
    since = f"approved on {when} by {latest.who} ({latest.how})"
    return [since, *list_differences(latest, state.inspection)]


# -- doing: each raises TrustError `trust.unwritable` if the store cannot be written --------------


def approve(
    gate: Gate, states: Sequence[HookState], *, who: str = "", how: str = "command line"
) -> None:
    """Approve hooks as these states show them, all or none.

    Raises:
        TrustError: `trust.missing`, what a hook runs is not there or cannot be loaded;
            `pack.changed`, the pack of a hook is not as it was installed.
    """
    asked = [state for state in states if state.column]
    files = (state.spec.origin.file for state in asked)
    for problems in find_pack_problems(files, gate.environ).values():
        message = f"`{problems[0].origin.file}`: {problems[0].message}"
        raise TrustError(message, name=problems[0].name, hint=problems[0].hint)
    for state in asked:
        if not state.can_run:
            hint = "there is nothing to approve yet: mend it, then run `hookline approve` again"
            message = f"`{state.spec.id}`: {state.reason}"
            raise TrustError(message, name="trust.missing", hint=hint)
    gate.store.approve(
        [gate.to_approval(state, who=who, how=how) for state in asked],
        texts={state.inspection.digest: read_texts(state.inspection) for state in asked},
    )


def revoke(
    gate: Gate, specs: Sequence[HookSpec], *, who: str = "", how: str = "command line"
) -> list[HookState]:
    """Revoke the approval of hooks; return the states of those that needed one.

    The next use of an own hook does not approve it again.

    Raises:
        TrustError: `trust.not-asked`, none of them needs one.
    """
    asked = [state for state in gate.find_states(specs) if state.column]
    if specs and not asked:
        spec, hint = specs[0], "take it out of its file, or switch it off by itself"
        if gate.states.is_managed(spec):
            hint = f"only root can take it out of `{spec.origin.file}`"
        message = f"`{spec.id}` has no approval to revoke: it runs without one"
        raise TrustError(message, name="trust.not-asked", hint=hint)
    gate.store.revoke([gate.to_approval(state, who=who, how=how) for state in asked])
    return [state.replace(state=REVOKED, reason="you revoked its approval") for state in asked]


def switch_hooks(
    gate: Gate,
    specs: Sequence[HookSpec] | None,
    *,
    on: bool,
    everywhere: bool = False,
    who: str = "",
    how: str = "",
) -> None:
    """Turn hooks on or off, in the gate's project or everywhere: single ones, or all (None).

    Raises:
        TrustError: `trust.not-switched`, no switch reaches one of them.
    """
    for spec in specs or ():
        if type(spec.handler) is InProcess:
            why, hint = "it is a function of the program itself", "the program can take it out"
        elif gate.states.is_managed(spec):
            why = "it is managed policy, which only root can have written"
            hint = f"only root can take it out of `{spec.origin.file}`"
        else:
            continue
        message = f"no switch reaches `{spec.id}`: {why}"
        raise TrustError(message, name="trust.not-switched", hint=hint)
    root = "" if everywhere else gate.root
    record = {"root": root, "who": who or find_user(gate.environ), "how": how}
    if specs is None:
        gate.store.set_switch(Switch(root=root), is_on=on, record=record)
    for spec in specs or ():
        definition, command = gate.states.find_definition(spec), describe_command(spec.handler)
        told = {
            "hook": spec.id, "native": spec.native_event, "command": command,
            "file": spec.origin.file, "identity": definition,
        }  # fmt: skip
        switch = Switch(root=root, definition=definition)
        gate.store.set_switch(switch, is_on=on, record=record | told)


def approve_hooks(
    engine: Engine, specs: Sequence[HookSpec], *, who: str, how: str, enable: bool = False
) -> ApprovalResult:
    """Approve hooks as they are now; raises as `approve`.

    `enable`: turn this project on as well.
    """
    gate = get_gate_for(engine)
    approve(gate, gate.find_states(specs), who=who, how=how)
    left: tuple[str, ...] = ()
    if enable:
        if not gate.find_switches()["project"] or list_keys_off(specs):
            switch_hooks(gate, None, on=True, who=who, how=how)
        left = enable_files(engine, specs)
        now = {spec.id: spec for spec in list_hooks(engine.snapshot)}
        specs = [now.get(spec.id, spec) for spec in specs]
    return ApprovalResult(
        statuses=tuple(find_statuses(engine, specs).values()),
        on=all(gate.find_switches().values()) and not list_keys_off(specs),
        left=left,
    )


def switch_all(
    engine: Engine, *, on: bool, everywhere: bool = False, who: str, how: str
) -> tuple[str, ...]:
    """Turn hooks on or off, in the engine's project or everywhere.

    The files of a project that have such a switch are written, so that they say the same. Returns
    why files could not be written.
    """
    switch_hooks(get_gate_for(engine), None, on=on, everywhere=everywhere, who=who, how=how)
    return () if everywhere else enable_files(engine, list_hooks(engine.snapshot), on=on)


def list_keys_off(specs: Iterable[HookSpec]) -> list[Origin]:
    """Return the keys of files that switch some of these hooks off, each once."""
    return _drop_doubles(spec.off for spec in specs)


def _drop_doubles(keys: Iterable[Origin | None]) -> list[Origin]:
    return list({(key.file, key.pointer): key for key in keys if key is not None}.values())


def enable_files(engine: Engine, specs: Iterable[HookSpec], *, on: bool = True) -> tuple[str, ...]:
    """Turn the keys on or off by which files switch these hooks, and read the files again.

    Returns why some of them could not be written. Those of policy are never turned off.
    """
    keys, left = list_keys_off(specs) if on else _drop_doubles(spec.on for spec in specs), []
    for key in keys:
        if not on and key.scope == MANAGED:
            continue
        try:
            turn_on(key.file, key.pointer, engine.cwd, on=on)
        except ConfigError as error:
            left.append(f"{error.message} ({error.hint})")
    if keys:
        engine.reload()
    return tuple(left)


# -- removed guards ----------------------------------------------------------------------------


def list_removed(engine: Engine) -> list[Approval]:
    """Return the approved guards that no file declares any more; none without a gate."""
    if engine.runtime.gate is None:
        return []
    try:
        found = get_gate_for(engine).find_removed()
    except HookError:
        return []
    return sorted(found, key=lambda each: (each.file, each.event, each.command))


def list_removed_problems(engine: Engine) -> Iterator[Problem]:
    """Yield a problem for each of them."""
    for each in list_removed(engine):
        message = f"an approved guard on {each.event} is not declared any more: `{each.command}`"
        hint = f"put it back, or forget it: hookline revoke {shlex.quote(each.command)}"
        origin = Origin(file=each.file)
        yield Problem.warning("check.gone", message, hint, origin=origin)


def find_removed(engine: Engine, what: str, event: str = "") -> list[Approval]:
    """Return removed guards by an id, a command or a file."""
    meant = (
        each
        for each in list_removed(engine)
        if what in (each.hook, each.command) or os.path.abspath(what) == each.file
    )
    return [each for each in meant if event in ("", each.event, each.kind)]


def forget_removed(
    engine: Engine,
    approvals: Sequence[Approval],
    *,
    who: str,
    how: str,
    may_be_absent: bool = False,
) -> None:
    """Forget the approvals of guards that are gone; or keep them, and miss them no more."""
    gate = get_gate_for(engine)
    named = [each.replace(who=who or find_user(gate.environ), how=how) for each in approvals]
    gate.store.forget(named, may_be_absent=may_be_absent)


# -- the price of convenience ------------------------------------------------------------------


def find_self_approve_problem(settings: Mapping[str, Any]) -> Problem | None:
    """Return what `self_approve` in the user's settings costs; None where it is not set."""
    if not settings.get("trust", {}).get("self_approve"):
        return None
    message = (
        "`trust.self_approve` lets every program of this machine approve hooks without a token:"
        " an agent can write a hook, declare it and approve it, and so can every other user"
    )
    hint = "remove it; a person approves: hookline approve"
    return Problem.warning("trust.self-approve", message, hint)
