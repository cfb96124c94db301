"""Steering: what a person does about the hooks of an engine, and how these stand; the same for commands, chats and requests."""

from __future__ import annotations

import os
import shlex

from hookline.engine.gating import gate as usual_gate
from hookline.engine.gating import gate_of, noted
from hookline.engine.sources import all_hooks
from hookline.errors import TrustError
from hookline.model.frozen import Frozen
from hookline.model.handler import Http, InProcess, Model
from hookline.model.problem import Problem
from hookline.trust.desk import approve, chosen, revoke, survey, turn
from hookline.trust.gate import Gate, Standing, shown, user_of
from hookline.trust.policy import CHANGED, RECORD, RUN, UNKNOWN, WARN
from hookline.trust.switch import off_by, switches
from hookline.wire.sources import hook_name

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence
    from typing import Any

    from hookline.engine.engine import Engine
    from hookline.model.sight import Sight
    from hookline.model.spec import HookSpec

# What is off, and what turns it on again.
_OFF: Mapping[str, tuple[str, str]] = {
    "environment": ("the variable HOOKLINE switches hooks off", "unset HOOKLINE"),
    "everywhere": ("hooks are switched off everywhere", "hookline on --global"),
    "project": ("hooks are switched off in this project", "hookline on"),
}


class Footing(Frozen):
    """How a hook stands, and whether it runs at its next event. `off`: what switches it off, in words."""

    standing: Standing
    runs: bool = False
    off: str = ""


class Done(Frozen):
    """What came of an approval: how each hook that was meant stands now, and whether the switches are on."""

    footings: tuple[Footing, ...]
    switches: Mapping[str, bool]

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
        """Whether every switch is on."""
        return all(self.switches.values())


def gate_for(engine: Engine, how: str = "", sights: Mapping[str, Sight] | None = None) -> Gate:
    """The engine's gate as somebody uses it by hand: its journal is told `how`; `sights` are what it sees, where that was looked at.

    An engine without a gate gets the usual one.

    Raises:
        ConfigError: the settings are wrong.
    """
    made = gate_of(engine.gate) or usual_gate(engine.cwd, engine.environ)
    tell = made.tell or noted(engine.journal)
    told = None if tell is None else lambda record: tell({**record, "how": record.get("how") or how})
    look = made.look if sights is None else lambda run: sights[run.spec.id]
    return Gate(made.store, made.policy, look, root=made.root, environ=made.environ, demands=made.demands, tell=told)


# -- looking -----------------------------------------------------------------------------------------------------------


def footings(engine: Engine, specs: Iterable[HookSpec] | None = None) -> dict[str, Footing]:
    """How hooks stand, by their ids; without `specs`, all that were ever declared.

    Where the approvals cannot be read, every hook that needs one stands as unknown, for that reason.

    Raises:
        ConfigError: the settings are wrong.
    """
    gate = gate_for(engine)
    wanted = list(all_hooks(engine) if specs is None else specs)
    try:
        stand, known = survey(gate, wanted), gate.known()
    except TrustError as error:
        return {spec.id: Footing(standing=Standing(spec=spec, state=UNKNOWN, reason=error.message)) for spec in wanted}
    found = {}
    for standing in stand:
        spec = standing.spec
        hears = type(spec.handler) is not InProcess and not gate.is_managed(spec)
        off = off_by(spec, known, gate.root, gate.environ) if hears else ""
        found[spec.id] = Footing(standing=standing, runs=not off and _is_let_through(gate, standing), off=off)
    return found


def waiting(engine: Engine) -> int:
    """How many hooks do not run until a person approves them, or approves them anew.

    Raises:
        ConfigError: the settings are wrong.
        TrustError: the approvals cannot be read.
    """
    gate = gate_for(engine)
    asked = (standing for standing in survey(gate, all_hooks(engine)) if standing.group and standing.state in (UNKNOWN, CHANGED))
    return sum(not _is_let_through(gate, standing) for standing in asked)


def _is_let_through(gate: Gate, standing: Standing) -> bool:
    effect = gate.policy.effect(standing.group, standing.state)
    return effect == RUN or (effect in (RECORD, WARN) and not standing.exposed)


def what_is_off(switches: Mapping[str, bool]) -> list[tuple[str, str]]:
    """What switches hooks off, and what turns them on again, in words."""
    return [_OFF[name] for name in _OFF if not switches[name]]


def called(spec: HookSpec) -> str:
    """What a hook runs, as it is shown to be approved: a command, an address as it is asked, or a model and all that it is asked."""
    handler = spec.handler
    if isinstance(handler, Model):
        places = [f"at {handler.base_url}"] * bool(handler.base_url) + [f"with the key in ${handler.key}"] * bool(handler.key)
        return " ".join(("model", ", or ".join(handler.names), *places)) + f": {handler.prompt.strip()}"
    return f"{handler.method} {handler.url}" if isinstance(handler, Http) else shown(spec)


# -- meaning -----------------------------------------------------------------------------------------------------------


def commanded(specs: Sequence[HookSpec], command: str, event: str = "") -> list[HookSpec]:
    """The declared hooks that run exactly this command, or ask this address: as it is shown, or as it stands in its file.

    No other spelling of a path is meant: what is approved is what somebody can read.

    Raises:
        TrustError: `trust.unmatched`, none is declared; `trust.ambiguous`, it is written like hooks that run different things.
    """
    found = [spec for spec in specs if command and _is_written(spec, command) and (not event or event in (spec.native_event, spec.kind))]
    try:
        found = _in_order(specs, [*found, *chosen(specs, command=command, event=event)])
    except TrustError:
        if not found:
            raise
    runs = dict.fromkeys(_shown(spec) for spec in found)
    if len(runs) > 1:
        listed = ", ".join(f"`{text}` ({', '.join(spec.id for spec in found if _shown(spec) == text)})" for text in runs)
        raise TrustError(
            f"`{command}` may mean any of {listed}", name="trust.ambiguous", hint="write it as it is shown, or name one by its id"
        )
    return found


def _shown(spec: HookSpec) -> str:
    """What tells hooks apart that are approved by one text: an address is one, however it is asked."""
    return spec.handler.url if isinstance(spec.handler, Http) else called(spec)


def _is_written(spec: HookSpec, command: str) -> bool:
    """Whether a command is a hook's own as its file has it, where a relative path is taken from the folder of the file.

    The name of a hook is its author's, so it counts only where its words are what is run.
    """
    argv, name = getattr(spec.handler, "argv", ()), spec.name
    if not argv or not name or name not in (command, hook_name(command)) or command != command.strip():
        return False
    try:
        words = shlex.split(command)
    except ValueError:
        return False
    folder = os.path.dirname(spec.origin.file)
    return len(words) == len(argv) and all(
        word == run or (not word.startswith("/") and os.path.normpath(os.path.join(folder, word)) == run)
        for word, run in zip(words, argv, strict=True)
    )


def meant(engine: Engine, word: str, event: str = "") -> list[HookSpec]:
    """The hooks that a person means by an id, a command or address, a name, or the path of a file that declares or is run.

    Raises:
        TrustError: `trust.unmatched`, no declared hook is meant; `trust.ambiguous`, hooks that run different things are.
    """
    specs = [spec for spec in all_hooks(engine) if not event or event in (spec.native_event, spec.kind)]
    by_id = [spec for spec in specs if spec.id == word]
    if by_id:
        return by_id
    try:
        return commanded(specs, word)
    except TrustError as error:
        if error.name == "trust.ambiguous":
            raise
        path = os.path.realpath(word)
        found = [spec for spec in specs if spec.name == word] or [spec for spec in specs if _is_of(engine, spec, path)]
        if not found:
            where = f" on `{event}`" if event else ""
            raise TrustError(
                f"no hook is declared with the id, command, name or file `{word}`{where}",
                name="trust.unmatched",
                hint="`hookline list` shows what is declared",
            ) from error
        return found


def _is_of(engine: Engine, spec: HookSpec, path: str) -> bool:
    """Whether a file declares a hook, or is run by it."""
    if spec.origin.file and os.path.realpath(spec.origin.file) == path:
        return True
    return any(file.real == path for standing in survey(gate_for(engine), [spec]) for file in standing.sight.files)


def _in_order(specs: Sequence[HookSpec], found: Sequence[HookSpec]) -> list[HookSpec]:
    ids = {spec.id for spec in found}
    return [spec for spec in specs if spec.id in ids]


# -- doing -------------------------------------------------------------------------------------------------------------


def approve_as_seen(engine: Engine, seen: Sequence[Standing], *, who: str, how: str) -> Done:
    """Approve hooks as somebody saw them, whatever their files have become meanwhile: all of them or none.

    Raises:
        TrustError: others may write what is to be approved, it is not there, or nothing can be written down.
    """
    gate = gate_for(engine, how, {standing.spec.id: standing.sight for standing in seen})
    approve(gate, [standing.spec for standing in seen], who=who, how=how)
    return _done(engine, [standing.spec for standing in seen])


def approve_declared(engine: Engine, specs: Sequence[HookSpec], *, who: str, how: str, enable: bool = False) -> Done:
    """Approve hooks as they are now, all of them or none; with `enable` the switch of this project is turned on, too.

    Raises:
        TrustError: as `approve_as_seen`.
    """
    gate = gate_for(engine, how)
    approve(gate, specs, who=who, how=how)
    if enable and not switches(gate.known(), gate.root, gate.environ)["project"]:
        turn(gate, on=True, who=who or user_of(gate.environ))
    return _done(engine, specs)


def revoke_declared(engine: Engine, specs: Sequence[HookSpec], *, who: str, how: str) -> list[Standing]:
    """Take the approval of hooks back; returns how those stand that needed one.

    Raises:
        TrustError: `trust.not-asked`, none of them needs one; or nothing can be written down.
    """
    done = revoke(gate_for(engine, how), specs, who=who, how=how)
    if not done:
        why = next((standing.reason for standing in survey(gate_for(engine), specs) if standing.reason), "it runs without one")
        raise TrustError(
            f"`{specs[0].id}` has no approval to take back: {why}",
            name="trust.not-asked",
            hint="take it out of its file, or `hookline off`",
        )
    return done


def turn_all(engine: Engine, *, on: bool, everywhere: bool = False, who: str, how: str) -> dict[str, bool]:
    """Turn hooks on or off, in the engine's project or everywhere; returns which switches are on.

    Raises:
        TrustError: nothing can be written down.
    """
    gate = gate_for(engine, how)
    turn(gate, on=on, everywhere=everywhere, who=who or user_of(gate.environ))
    return switches(gate.known(), gate.root, gate.environ)


def _done(engine: Engine, specs: Sequence[HookSpec]) -> Done:
    gate = gate_for(engine)
    return Done(footings=tuple(footings(engine, specs).values()), switches=switches(gate.known(), gate.root, gate.environ))


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
    return Problem(name="trust.self-approve", message=message, hint="remove it; a person approves: hookline approve", severity="warning")
