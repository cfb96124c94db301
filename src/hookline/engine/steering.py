"""Steering: what a person does about the hooks of an engine, and how these stand; the same for commands, chats and requests."""

from __future__ import annotations

from hookline.config.enabling import enable
from hookline.engine.gating import gate as usual_gate
from hookline.engine.gating import gate_of, noted
from hookline.engine.gone import Declared
from hookline.engine.shelf import all_hooks
from hookline.errors import ConfigError, TrustError
from hookline.model.frozen import Frozen
from hookline.model.problem import Problem
from hookline.model.spec import MANAGED
from hookline.trust.desk import approve, revoke, survey, surveyed, turn, turn_hooks
from hookline.trust.gate import Gate
from hookline.trust.policy import CHANGED, RECORD, RUN, UNKNOWN, WARN
from hookline.trust.switch import switches
from hookline.trust.told import user_of

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence
    from typing import Any

    from hookline.engine.engine import Engine
    from hookline.model.problem import Origin
    from hookline.model.sight import Sight
    from hookline.model.spec import HookSpec
    from hookline.trust.standing import Standing

# What is off, by its switch, in words.
_OFF: Mapping[str, str] = {
    "environment": "the variable HOOKLINE switches hooks off",
    "everywhere": "hooks are switched off everywhere",
    "project": "hooks are switched off in this project",
}
# What turns it on again, where there is a shell.
ON_AGAIN: Mapping[str, str] = {
    "environment": "unset HOOKLINE",
    "everywhere": "hookline on --global",
    "project": "hookline on",
}
_LET_THROUGH = (RUN, RECORD, WARN)


class Footing(Frozen):
    """How a hook stands, and whether it runs at its next event. `off`: what switches it off, in words."""

    standing: Standing
    runs: bool = False
    off: str = ""


class Done(Frozen):
    """What came of an approval: how each hook that was meant stands now, and whether the switches are on.

    `left`: why files that switch these hooks off could not be written.
    """

    footings: tuple[Footing, ...]
    switches: Mapping[str, bool]
    left: tuple[str, ...] = ()

    @property
    def events(self) -> list[str]:
        """The native events of the hooks, each once."""
        return list(dict.fromkeys(footing.standing.spec.native_event for footing in self.footings))

    @property
    def mounted(self) -> int:
        """How many of the hooks run at their next event."""
        return sum(footing.runs for footing in self.footings)

    @property
    def on(self) -> bool:
        """Whether every switch is on, and no file switches one of these hooks off."""
        return all(self.switches.values()) and not any(
            footing.standing.spec.off for footing in self.footings
        )


def gate_for(engine: Engine, sights: Mapping[str, Sight] | None = None) -> Gate:
    """The engine's gate as somebody uses it by hand; `sights` are what it sees, where that was looked at.

    An engine without a gate gets the usual one; what is done at it, the engine's journal is told.

    Raises:
        ConfigError: the settings are wrong.
    """
    made = gate_of(engine.gate) or usual_gate(engine.cwd, engine.environ)
    look = made.look if sights is None else lambda run: sights[run.spec.id]
    return Gate(
        made.store, made.policy, look, root=made.root, environ=made.environ, demands=made.demands, place=made.place,
        tell=made.store.tell or noted(engine.journal), declared=made.vanished.declared or Declared(engine),
    )  # fmt: skip


# -- looking -----------------------------------------------------------------------------------------------------------


def footings(engine: Engine, specs: Iterable[HookSpec] | None = None) -> dict[str, Footing]:
    """How hooks stand, by their ids; without `specs`, all that were ever declared.

    Where the approvals cannot be read, every hook that needs one stands as unknown, for that reason, and does not run.

    Raises:
        ConfigError: the settings are wrong.
    """
    gate = gate_for(engine)
    known, fault = None, ""
    try:
        known = gate.known()
    except TrustError as error:
        fault = error.message
    found = {}
    for standing in surveyed(gate, all_hooks(engine) if specs is None else specs, known, fault):
        off = gate.off(standing.spec, known)
        runs = not off and gate.effect(standing, fault) in _LET_THROUGH
        found[standing.spec.id] = Footing(standing=standing, runs=runs, off=off)
    return found


def store_problem(engine: Engine) -> Problem | None:
    """Why the approvals cannot be read, and what follows; None where they can.

    Raises:
        ConfigError: the settings are wrong.
    """
    try:
        gate_for(engine).known()
    except TrustError as error:
        return Problem(
            name=error.name,
            message=f"{error.message}: no hook runs that needs an approval",
            hint=error.hint,
        )
    return None


def waiting(engine: Engine) -> int:
    """How many hooks do not run until a person approves them, or approves them anew.

    Raises:
        ConfigError: the settings are wrong.
        TrustError: the approvals cannot be read.
    """
    gate = gate_for(engine)
    asked = (
        standing
        for standing in survey(gate, all_hooks(engine))
        if standing.group and standing.state in (UNKNOWN, CHANGED)
    )
    return sum(gate.effect(standing) not in _LET_THROUGH for standing in asked)


def what_is_off(switches: Mapping[str, bool]) -> list[tuple[str, str]]:
    """Each switch that is off: its name, and the same in words."""
    return [(name, _OFF[name]) for name in _OFF if not switches[name]]


def policy_of(engine: Engine) -> list[HookSpec]:
    """The hooks that no switch reaches, because policy says so.

    Raises:
        ConfigError: the settings are wrong.
    """
    gate = gate_for(engine)
    return [spec for spec in engine.hooks if gate.is_managed(spec)]


# -- doing -------------------------------------------------------------------------------------------------------------


def approve_as_seen(engine: Engine, seen: Sequence[Standing], *, who: str, how: str) -> Done:
    """Approve hooks as somebody saw them, whatever their files have become meanwhile: all of them or none.

    Raises:
        TrustError: others may write what is to be approved, it is not there, or nothing can be written down.
    """
    gate = gate_for(engine, {standing.spec.id: standing.sight for standing in seen})
    approve(gate, [standing.spec for standing in seen], who=who, how=how)
    return _done(engine, [standing.spec for standing in seen])


def approve_declared(
    engine: Engine, specs: Sequence[HookSpec], *, who: str, how: str, enable: bool = False
) -> Done:
    """Approve hooks as they are now, all of them or none; with `enable` the switch of this project is turned on, too.

    Raises:
        TrustError: as `approve_as_seen`.
    """
    gate = gate_for(engine)
    approve(gate, specs, who=who, how=how)
    left: tuple[str, ...] = ()
    if enable:
        if not switches(gate.known(), gate.root, gate.environ)["project"] or keys_off(specs):
            turn(gate, on=True, who=who or user_of(gate.environ), how=how)
        left = enable_files(engine, specs)
        specs = _as_now(engine, specs)
    return _done(engine, specs).replace(left=left)


def revoke_declared(
    engine: Engine, specs: Sequence[HookSpec], *, who: str, how: str
) -> list[Standing]:
    """Take the approval of hooks back; returns how those stand that needed one.

    Raises:
        TrustError: `trust.not-asked`, none of them needs one; or nothing can be written down.
    """
    gate = gate_for(engine)
    done = revoke(gate, specs, who=who, how=how)
    if not done:
        spec = specs[0]
        why = next(
            (standing.reason for standing in survey(gate, specs) if standing.reason),
            "it runs without one",
        )
        managed = f"only root can take it out of `{spec.origin.file}`"
        hint = (
            managed
            if gate.is_managed(spec)
            else "take it out of its file, or switch it off by itself"
        )
        raise TrustError(
            f"`{spec.id}` has no approval to take back: {why}", name="trust.not-asked", hint=hint
        )
    return done


def turn_all(
    engine: Engine, *, on: bool, everywhere: bool = False, who: str, how: str
) -> tuple[str, ...]:
    """Turn hooks on or off, in the engine's project or everywhere; returns why files that switch hooks on or off could not be written.

    The files of a project that have such a switch are written, so that they say the same as hookline.

    Raises:
        TrustError: nothing can be written down.
    """
    gate = gate_for(engine)
    turn(gate, on=on, everywhere=everywhere, who=who or user_of(gate.environ), how=how)
    return () if everywhere else enable_files(engine, all_hooks(engine), on=on)


def keys_off(specs: Iterable[HookSpec]) -> list[Origin]:
    """The keys of files that switch some of these hooks off, each once."""
    return list(
        {
            (spec.off.file, spec.off.pointer): spec.off for spec in specs if spec.off is not None
        }.values()
    )


def keys_on(specs: Iterable[HookSpec]) -> list[Origin]:
    """The keys of files that switch some of these hooks on, each once; none of policy, which no switch reaches."""
    found = (spec.on for spec in specs)
    return list(
        {
            (key.file, key.pointer): key
            for key in found
            if key is not None and key.scope != MANAGED
        }.values()
    )


def enable_files(engine: Engine, specs: Iterable[HookSpec], *, on: bool = True) -> tuple[str, ...]:
    """Turn the keys on or off by which files switch some of these hooks, and read the files again.

    Returns why some of them could not be written.
    """
    keys, left = keys_off(specs) if on else keys_on(specs), []
    for key in keys:
        try:
            enable(key.file, key.pointer, engine.cwd, on=on)
        except ConfigError as error:
            left.append(f"{error.message} ({error.hint})")
    if keys:
        engine.reload()
    return tuple(left)


def _as_now(engine: Engine, specs: Sequence[HookSpec]) -> list[HookSpec]:
    """The same hooks, as they are after their files were read anew."""
    now = {spec.id: spec for spec in all_hooks(engine)}
    return [now.get(spec.id, spec) for spec in specs]


def turn_single(
    engine: Engine,
    specs: Sequence[HookSpec],
    *,
    on: bool,
    everywhere: bool = False,
    who: str,
    how: str,
) -> list[Footing]:
    """Turn single hooks on or off, in the engine's project or everywhere, all of them or none; returns how they stand then.

    Raises:
        TrustError: `trust.not-switched`, no switch reaches one of them; or nothing can be written down.
    """
    gate = gate_for(engine)
    turn_hooks(gate, specs, on=on, everywhere=everywhere, who=who or user_of(gate.environ), how=how)
    return list(footings(engine, specs).values())


def _done(engine: Engine, specs: Sequence[HookSpec]) -> Done:
    gate = gate_for(engine)
    return Done(
        footings=tuple(footings(engine, specs).values()),
        switches=switches(gate.known(), gate.root, gate.environ),
    )


# -- the price of convenience ------------------------------------------------------------------------------------------


def self_approve_problem(settings: Mapping[str, Any]) -> Problem | None:
    """What `self_approve` in the table `[trust]` of a person's settings costs; None where it is not set.

    `settings`: all of them, by table and key.
    """
    if not settings.get("trust", {}).get("self_approve"):
        return None
    message = (
        "`trust.self_approve` lets every program of this machine approve hooks without a token: an agent that was talked into it"
        " can write a hook, declare it and approve it, and whoever else is on this machine can, too"
    )
    return Problem(
        name="trust.self-approve",
        message=message,
        hint="remove it; a person approves: hookline approve",
        severity="warning",
    )
