"""Listing: the switches, and each hook with its approval and its health, as lines for a chat."""

from __future__ import annotations

from hookline.chat.advice import NAME, OFF_MESSAGE, ON_AGAIN, append_hint, find_hint
from hookline.core.descriptions import describe_conditions
from hookline.engine.approval_service import (
    describe_change,
    find_switches,
    get_gate_for,
    list_keys_off,
    list_keys_on,
    list_managed,
    list_off,
)
from hookline.engine.circuit_breaker import describe_failures, find_failures
from hookline.engine.doctor.static_checks import list_errors
from hookline.engine.hook_lookup import describe_run
from hookline.engine.snapshot import explain_absence, group_broken, list_hooks
from hookline.model.handler import Broken
from hookline.trust.policy import APPROVED, CHANGED, NEW, REVOKED, find_off

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

    from hookline.core.registry import Entry
    from hookline.engine.approval_service import HookStatus
    from hookline.engine.engine import Engine
    from hookline.model.problem import Problem
    from hookline.model.spec import HookSpec
    from hookline.trust.state import HookState

# The state of a hook: in the words of the format, and in hookline's where these differ.
_STATES: Mapping[str, str] = {
    APPROVED: "✓ approved",
    NEW: "✗ NOT approved (new)",
    CHANGED: "✗ changed since approval",
    REVOKED: "✗ NOT approved (revoked)",
}


def list_switches(engine: Engine) -> list[str]:
    """Return whether hooks run here, what switches them off and on, and which hooks no switch affects."""
    gate, specs = get_gate_for(engine), list(list_hooks(engine.snapshot))
    off, keys_off = list_off(find_switches(gate)), list_keys_off(specs)
    is_off = off or (keys_off and all(spec.off for spec in specs))
    lines = ["hooks: OFF" if is_off else "hooks: ON"]
    above = find_off(gate.read_switches(), gate.root)
    for switch, why in off:
        reason, hint = why, ON_AGAIN[switch]
        if switch == "project" and above != gate.root:
            reason = f"hooks are switched off in {above}, in which this project lies"
            hint = "they are turned on there"
        lines.append(f"  {append_hint(reason, hint)}")
    keys = [(key, "is not true", ON_AGAIN["project"]) for key in keys_off]
    keys += [(key, "is true", "") for key in list_keys_on(specs)]
    for key, state, hint in keys:
        reason = f"`{key.pointer}` {state} in {key.file}:{key.line}"
        lines.append(f"  {append_hint(reason, hint)}")
    managed = dict.fromkeys(map(describe_run, list_managed(engine))) if off else {}
    if managed:
        lines.append(f"  policy, which no switch reaches, still runs: {', '.join(managed)}")
    return lines


def select_shown(specs: Iterable[HookSpec]) -> Iterator[tuple[HookSpec, Sequence[HookSpec]]]:
    """Yield the hooks to show; of hooks that are broken together it yields one."""
    found = list(specs)
    broken = group_broken(found)
    for spec in found:
        if spec.id in broken or not isinstance(spec.handler, Broken):
            yield spec, broken.get(spec.id, ())


def describe_hook(spec: HookSpec, together: Sequence[HookSpec] = ()) -> str:
    """Describe a hook: its event and its command; for hooks that are broken `together`, the file that they stand for."""
    run = describe_run(spec)
    if len(together) > 1:
        return f"{spec.native_event} and {len(together) - 1} more  {spec.name or run}"
    return f"{spec.native_event}{describe_conditions(spec)}  {run}"


def list_hook_lines(
    engine: Engine, spec: HookSpec, status: HookStatus, together: Sequence[HookSpec]
) -> Iterator[str]:
    """Yield the lines of one hook: its event and command, its state, and its problems."""
    yield describe_hook(spec, together)
    if absent := explain_absence(engine.snapshot, spec):
        yield f"  - left out: {absent}"
        return
    if isinstance(spec.handler, Broken):
        yield f"  ✗ broken: {spec.handler.reason}"
        return
    state = status.trust
    faults = list_faults(engine, state)
    is_approved = state.state == APPROVED
    shown = "✗ approved, and a no-op" if faults and is_approved else _STATES[state.state]
    yield f"  {shown}{f': {state.reason}' if state.reason else ''}"
    yield from (f"    {line}" for line in describe_change(engine, state))
    yield from (f"  {line}" for line in faults)
    entry = _find_entry(engine, spec)
    if entry and (table := entry.dialect.table).suspends_after:
        failures = find_failures(engine.runtime, spec)
        if suspended := describe_failures(spec, table, failures, engine.runtime.clock()):
            yield f"  ! {append_hint(suspended, f'{NAME} doctor')}"
    yield from _explain_off(engine, spec, status)
    if status.runs and not is_approved:
        yield "    it runs nevertheless: it is the user's own"


def _explain_off(engine: Engine, spec: HookSpec, status: HookStatus) -> Iterator[str]:
    """Yield what switches off this hook alone."""
    gate = get_gate_for(engine)
    definition = gate.states.find_definition(spec)
    single = [each for each in gate.read_switches() if each.definition == definition]
    if status.off and single:
        everywhere = "" if all(each.root for each in single) else "everywhere "
        yield f"  - switched off by itself ({NAME} on {everywhere}{describe_run(spec)})"
    elif status.off and all(find_switches(gate).values()):
        yield f"  - {status.off}"


def list_faults(engine: Engine, state: HookState) -> list[str]:
    """Return why a hook cannot start, as far as that shows without a run."""
    entry = _find_entry(engine, state.spec)
    if entry is None:
        return []
    errors = list_errors(entry, engine.cwd, engine.environ, state.inspection)
    return list_findings(engine, errors, state.spec)


def list_findings(
    engine: Engine, found: Iterable[Problem], spec: HookSpec | None = None
) -> list[str]:
    """Return the problems of a hook, each with what to do about it in a chat."""
    entry = _find_entry(engine, spec) if spec else None
    command = describe_run(spec) if spec else "<command>"
    closes = entry.dialect.table.closes if entry else ""
    lines = []
    for each in found:
        mark = "✗" if each.severity == "error" else "!"
        message = OFF_MESSAGE if each.name == "check.off" else each.message
        hint = find_hint(each.name, each.hint, command=command, closes=closes)
        lines.append(f"  {mark} {append_hint(message, hint)}")
    return lines


def _find_entry(engine: Engine, spec: HookSpec) -> Entry | None:
    entries = engine.registry.of_kind(spec.kind)
    return next((entry for entry in entries if entry.spec.id == spec.id), None)
