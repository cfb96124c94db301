"""Listing: the switches, and each hook with its approval and its health, as lines for a chat."""

from __future__ import annotations

import re

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
from hookline.engine.doctor.static_checks import list_errors
from hookline.engine.hook_lookup import describe_run
from hookline.engine.loader import explain_absence, group_broken, list_hooks
from hookline.engine.session_limits import describe_failures, find_failures
from hookline.model.spec import Broken
from hookline.trust.policy import APPROVED, CHANGED, NEW, REVOKED

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

    from hookline.engine.approval_service import HookStatus
    from hookline.engine.engine import Engine
    from hookline.model.spec import HookSpec, Origin, Problem

NAME = "/hooks"
# The state of a hook: in the words of the format, and in hookline's where these differ.
_STATES: Mapping[str, str] = {
    APPROVED: "✓ approved",
    NEW: "✗ NOT approved (new)",
    CHANGED: "✗ changed since approval",
    REVOKED: "✗ NOT approved (revoked)",
}
# A command line that a chat has too; what else of a hint needs a shell.
_COMMAND = re.compile(
    r"hookline (approve -n|approve|list|on|off|doctor)(?: (--global))?(?=[ ,`]|$)"
)
_SHELL = re.compile(r"hookline |chmod |hooks on -C")
_INSTEAD: Mapping[str, str] = {"approve": "approve {}", "approve -n": "list"}


def append_hint(text: str, hint: str, command: str = "<command>") -> str:
    """Return a line with what to do, for a person who has a chat but no shell.

    `hint`: the same where there is a shell. `command`: of the hook that it is about.
    """

    def translate(found: re.Match[str]) -> str:
        verb = _INSTEAD.get(found[1], found[1]).format(command)
        return f"{NAME} {verb}{' everywhere' if found[2] else ''}"

    shown = _COMMAND.sub(translate, hint)
    if _SHELL.search(shown.replace(command, "")):
        shown = f"in a shell: {hint}"
    return f"{text} ({shown})" if hint else text


def list_switches(engine: Engine) -> list[str]:
    """Return whether hooks run here, what switches them off and on, and what no switch affects."""
    gate, specs = get_gate_for(engine), list(list_hooks(engine.snapshot))
    off, keys_off = list_off(gate), list_keys_off(specs)
    is_off = off or (keys_off and all(spec.off for spec in specs))
    reasons = [
        *off,
        *((_describe_key(key, "is not true"), "hookline on") for key in keys_off),
        *((_describe_key(key, "is true"), "") for key in list_keys_on(specs)),
    ]
    lines = ["hooks: OFF" if is_off else "hooks: ON"]
    lines += [f"  {append_hint(why, hint)}" for why, hint in reasons]
    managed = dict.fromkeys(map(describe_run, list_managed(engine))) if off else {}
    if managed:
        lines.append(f"  policy, which no switch reaches, still runs: {', '.join(managed)}")
    return lines


def _describe_key(key: Origin, state: str) -> str:
    return f"`{key.pointer}` {state} in {key.file}:{key.line}"


def select_shown(specs: Iterable[HookSpec]) -> Iterator[tuple[HookSpec, Sequence[HookSpec]]]:
    """Yield the hooks to show; of hooks that are broken together it yields one."""
    found = list(specs)
    broken = group_broken(found)
    for spec in found:
        if spec.id in broken or not isinstance(spec.handler, Broken):
            yield spec, broken.get(spec.id, ())


def describe_hook(spec: HookSpec, together: Sequence[HookSpec] = ()) -> str:
    """Describe a hook: its event and its command.

    Of hooks that are broken `together`, their file.
    """
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
    faults = list_findings(list_errors(engine, state), spec)
    is_approved = state.state == APPROVED
    shown = "✗ approved, and a no-op" if faults and is_approved else _STATES[state.state]
    yield f"  {shown}{f': {state.reason}' if state.reason else ''}"
    yield from (f"    {line}" for line in describe_change(engine, state))
    yield from faults
    table = engine.host(spec.dialect).table
    failures = find_failures(engine.runtime, spec)
    if suspended := describe_failures(spec, table, failures, engine.runtime.clock()):
        yield f"  ! {append_hint(suspended, 'hookline doctor')}"
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


def list_findings(found: Iterable[Problem], spec: HookSpec | None = None) -> list[str]:
    """Return the problems of a hook, each with what to do about it in a chat."""
    command = describe_run(spec) if spec else "<command>"
    lines = []
    for each in found:
        mark = "✗" if each.severity == "error" else "!"
        lines.append(f"  {mark} {append_hint(each.message, each.hint, command)}")
    return lines
