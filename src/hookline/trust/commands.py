"""The commands on approvals: look up, approve, revoke, switch; for CLI, chat and HTTP."""

from __future__ import annotations

from hookline.core.dispatch import Run
from hookline.errors import TrustError
from hookline.model.event import Event
from hookline.model.handler import InProcess, describe_command
from hookline.trust.gate import find_user
from hookline.trust.policy import APPROVED, REVOKED
from hookline.trust.store import Switch
from hookline.wire.disable_flags import is_disable_flag

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from hookline.model.spec import HookSpec
    from hookline.trust.gate import Gate
    from hookline.trust.state import HookState


def find_states(gate: Gate, specs: Iterable[HookSpec]) -> list[HookState]:
    """Return the state of each hook, as for an event in the project's folder."""
    return [
        gate.states.find_state(_make_run(gate, spec)) for spec in specs if not is_disable_flag(spec)
    ]


def _make_run(gate: Gate, spec: HookSpec) -> Run:
    event = Event(
        kind=spec.kind, dialect=spec.dialect, native_name=spec.native_event, cwd=gate.root
    )
    return Run(spec=spec, event=event)


def choose_hooks(
    specs: Iterable[HookSpec], *, command: str = "", event: str = "", hook: str = ""
) -> list[HookSpec]:
    """Return the declared hooks with a command (or address), an event and an id; "" is any.

    Raises:
        TrustError: `trust.unmatched`, no declared hook is meant.
    """
    found = [
        spec
        for spec in specs
        if not is_disable_flag(spec)
        and (not command or command in (describe_command(spec.handler), _join_words(spec)))
        and (not event or event in (spec.native_event, spec.kind))
        and (not hook or hook in (spec.id, spec.name))
    ]
    if found:
        return found
    wanted = (("command", command), ("event", event), ("hook", hook))
    meant = ", ".join(f"{what} `{text}`" for what, text in wanted if text)
    raise TrustError(
        f"no hook is declared with {meant}",
        name="trust.unmatched",
        hint="approval lets a declared hook run; it declares none",
    )


def _join_words(spec: HookSpec) -> str:
    return " ".join(getattr(spec.handler, "argv", ()))


def approve(
    gate: Gate, states: Sequence[HookState], *, who: str = "", how: str = "command line"
) -> list[HookState]:
    """Approve hooks as these states show them, all or none; return those that needed it.

    Raises:
        TrustError: `trust.missing`, what a hook runs is not there or cannot be loaded;
            `trust.unwritable`, the store cannot be written.
    """
    asked = [state for state in states if state.column]
    for state in asked:
        if not state.can_run:
            raise TrustError(
                f"`{state.spec.id}`: {state.reason}",
                name="trust.missing",
                hint="there is nothing to approve yet: mend it, then run `hookline approve` again",
            )
    gate.store.approve([gate.to_approval(state, who=who, how=how) for state in asked])
    return [state.replace(state=APPROVED, reason="") for state in asked]


def revoke(
    gate: Gate, specs: Sequence[HookSpec], *, who: str = "", how: str = "command line"
) -> list[HookState]:
    """Revoke the approval of hooks; the next use of an own hook does not approve it again.

    Raises:
        TrustError: `trust.unwritable`, the store cannot be written.
    """
    asked = [state for state in find_states(gate, specs) if state.column]
    gate.store.revoke([gate.to_approval(state, who=who, how=how) for state in asked])
    return [state.replace(state=REVOKED, reason="you revoked its approval") for state in asked]


def switch_project(
    gate: Gate, *, is_on: bool, everywhere: bool = False, who: str = "", how: str = ""
) -> None:
    """Turn all hooks on or off, in the gate's project or everywhere.

    Raises:
        TrustError: `trust.unwritable`, the store cannot be written.
    """
    root = "" if everywhere else gate.root
    record = {"root": root, "who": who or find_user(gate.environ), "how": how}
    gate.store.set_switch(Switch(root=root), is_on=is_on, record=record)


def switch_hooks(
    gate: Gate,
    specs: Sequence[HookSpec],
    *,
    is_on: bool,
    everywhere: bool = False,
    who: str = "",
    how: str = "",
) -> None:
    """Turn single hooks on or off by their definitions, in the gate's project or everywhere.

    Raises:
        TrustError: `trust.not-switched`, no switch reaches one of them; `trust.unwritable`.
    """
    for spec in specs:
        _check_switchable(gate, spec)
    root = "" if everywhere else gate.root
    for spec in specs:
        definition, command = gate.states.find_definition(spec), describe_command(spec.handler)
        record = {
            "hook": spec.id, "event": spec.native_event, "command": command, "file": spec.origin.file,
            "root": root, "definition": definition, "who": who or find_user(gate.environ), "how": how,
        }  # fmt: skip
        switch = Switch(root=root, definition=definition, command=command)
        gate.store.set_switch(switch, is_on=is_on, record=record)


def _check_switchable(gate: Gate, spec: HookSpec) -> None:
    if type(spec.handler) is InProcess:
        why, hint = "it is a function of the program itself", "the program can take it out"
    elif gate.states.is_managed(spec):
        why = "it is managed policy, which only root can have written"
        hint = f"only root can take it out of `{spec.origin.file}`"
    else:
        return
    raise TrustError(f"no switch reaches `{spec.id}`: {why}", name="trust.not-switched", hint=hint)
