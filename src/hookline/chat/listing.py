"""Listing: the switches, and each hook with its approval and its health, as lines for a chat."""

from __future__ import annotations

from hookline.chat.advice import NAME, ON_AGAIN, SAID, append_hint, find_hint
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
from hookline.engine.declared_hooks import explain_absence, list_hooks
from hookline.engine.doctor.static_checks import list_errors
from hookline.engine.hook_lookup import describe_run
from hookline.model.handler import Broken
from hookline.trust.policy import APPROVED, CHANGED, NEW, REVOKED
from hookline.trust.toggles import find_off

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

    from hookline.core.registry import Entry
    from hookline.engine.approval_service import HookStatus
    from hookline.engine.engine import Engine
    from hookline.model.problem import Problem
    from hookline.model.spec import HookSpec

# The state of a hook: in the words of the format, and in hookline's where these differ.
_STATES: Mapping[str, str] = {
    APPROVED: "✓ approved",
    NEW: "✗ NOT approved (new)",
    CHANGED: "✗ changed since approval",
    REVOKED: "✗ NOT approved (revoked)",
}


def describe_master_switch(engine: Engine) -> Iterator[str]:
    """Yield whether hooks run here, what switches them off and on, and which hooks no switch affects."""
    gate = get_gate_for(engine)
    off = list_off(find_switches(gate))
    keys = list_keys_off(list_hooks(engine.snapshot))
    yield (
        "hooks: OFF"
        if off or (keys and all(spec.off for spec in list_hooks(engine.snapshot)))
        else "hooks: ON"
    )
    above = find_off(gate.read_switches(), gate.root)
    for switch, why in off:
        if switch == "project" and above != gate.root:
            yield f"  hooks are switched off in {above}, in which this project lies (they are turned on there)"
        else:
            yield f"  {append_hint(why, ON_AGAIN[switch])}"
    yield from (
        f"  {append_hint(f'`{key.pointer}` is not true in {key.file}:{key.line}', ON_AGAIN['project'])}"
        for key in keys
    )
    yield from (
        f"  `{key.pointer}` is true in {key.file}:{key.line}"
        for key in list_keys_on(list_hooks(engine.snapshot))
    )
    managed = list_managed(engine) if off else []
    if managed:
        yield f"  policy, which no switch reaches, still runs: {', '.join(dict.fromkeys(map(describe_run, managed)))}"


def describe_hook(spec: HookSpec, together: Sequence[HookSpec] = ()) -> str:
    """Describe a hook: its event and its command; for hooks that are broken `together`, the file that they stand for."""
    if len(together) > 1:
        return (
            f"{spec.native_event} and {len(together) - 1} more  {spec.name or describe_run(spec)}"
        )
    return f"{spec.native_event}{describe_conditions(spec)}  {describe_run(spec)}"


def list_hook_lines(
    engine: Engine,
    spec: HookSpec,
    status: HookStatus,
    entry: Entry | None,
    together: Sequence[HookSpec] = (),
) -> Iterator[str]:
    """Yield the lines of one hook: its event and command, its state, and its problems."""
    yield describe_hook(spec, together)
    if gone := explain_absence(engine.snapshot, spec):
        yield f"  - left out: {gone}"
        return
    if isinstance(spec.handler, Broken):
        yield f"  ✗ broken: {spec.handler.reason}"
        return
    standing = status.trust
    broken = list_errors(entry, engine.cwd, engine.environ, standing.inspection) if entry else []
    state = (
        "✗ approved, and a no-op"
        if broken and standing.state == APPROVED
        else _STATES[standing.state]
    )
    yield f"  {state}{f': {standing.reason}' if standing.reason else ''}"
    yield from (f"    {line}" for line in describe_change(engine, standing))
    yield from (f"  {line}" for line in list_findings(broken, entry))
    if entry and (table := entry.dialect.table).suspends_after:
        failures = find_failures(engine.runtime, spec)
        if told := describe_failures(spec, table, failures, engine.runtime.clock()):
            yield f"  ! {append_hint(told, f'{NAME} doctor')}"
    yield from _off(engine, spec, status)
    if status.runs and standing.state != APPROVED:
        yield "    it runs nevertheless: it is the user's own"


def _off(engine: Engine, spec: HookSpec, status: HookStatus) -> Iterator[str]:
    """Yield what switches off this hook alone."""
    gate = get_gate_for(engine)
    definition = gate.states.find_definition(spec)
    single = [each for each in gate.read_switches() if each.definition == definition]
    if status.off and single:
        everywhere = "" if all(each.root for each in single) else "everywhere "
        yield f"  - switched off by itself ({NAME} on {everywhere}{describe_run(spec)})"
    elif status.off and all(find_switches(gate).values()):
        yield f"  - {status.off}"


def list_findings(found: Iterable[Problem], entry: Entry | None = None) -> Iterator[str]:
    """Yield the problems, each with what to do about it in a chat."""
    command = describe_run(entry.spec) if entry else "<command>"
    closes = entry.dialect.table.closes if entry else ""
    for each in found:
        hint = find_hint(each.name, each.hint, command=command, closes=closes)
        yield f"  {'✗' if each.severity == 'error' else '!'} {append_hint(SAID.get(each.name, each.message), hint)}"
