"""Commands: runs one chat command, from the typed text to the answer, line by line."""

from __future__ import annotations

import re
import shlex

from hookline.core.condition_descriptions import describe_conditions
from hookline.core.failure import explain_file_switch
from hookline.engine.approval_service import (
    HookStatus,
    approve_hooks,
    describe_change,
    find_statuses,
    find_store_problem,
    get_gate_for,
    list_keys_off,
    list_managed,
    list_off,
    revoke,
    switch_all,
)
from hookline.engine.doctor.checkup import run_checkup
from hookline.engine.doctor.static_checks import list_errors
from hookline.engine.hook_lookup import describe_run, find_by_command
from hookline.engine.loader import explain_absence, list_hooks
from hookline.engine.session_limits import describe_failures, find_failures
from hookline.errors import TrustError
from hookline.model.spec import Broken, HookSpec, Problem
from hookline.trust.state import APPROVED, CHANGED, NEW, REVOKED

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

    from hookline.engine.engine import Engine

_NAME = "/hooks"
_HOW = "chat"
_LONGEST = 4000  # characters of a command
_USAGE = """/hooks or /hooks list - is everything on, where hooks are declared, and how each stands
/hooks on | /hooks off - switch the hooks of this project on or off, at once
/hooks doctor - try each approved hook on a harmless event
/hooks approve <event> <command> - approve a hook of one event, live at once
/hooks approve <command> - approve it on every event that it is declared for
/hooks revoke <command> - take the approval back, at once
/hooks help - this text""".splitlines()
_EXAMPLE = """No ready-made scripts come with this version. A hook is declared in a file of the \
project; for example in config/shell_hooks.yaml:

hooks:
  - event: pre_tool_call
    command: /absolute/path/to/guard.py

Then: /hooks approve /absolute/path/to/guard.py""".splitlines()
# The state of a hook: in the words of the format, and in hookline's where these differ.
_STATES: Mapping[str, str] = {
    APPROVED: "✓ approved",
    NEW: "✗ NOT approved (new)",
    CHANGED: "✗ changed since approval",
    REVOKED: "✗ NOT approved (revoked)",
}
# A command line that a chat has too; what else of a hint is for a shell.
_COMMAND = re.compile(r"hookline (approve -n|approve|list|on|off|doctor)(?=[ ,`]|$)(?! --global)")
_INSTEAD: Mapping[str, str] = {"approve": "approve {}", "approve -n": "list"}


def run_command(engine: Engine, text: str, who: str) -> list[str]:
    """Run a command and return the answer, line by line; for any other text, the usage."""
    text = text[:_LONGEST]
    name, rest = _split_word(text)
    if name.partition("@")[0].lower() != _NAME:
        return [f"A command begins with `{_NAME}`.", "", *_USAGE]
    typed, rest = _split_word(rest)
    match verb := typed.lower():
        case "" | "list":
            return _list(engine)
        case "on" | "off" if not rest:
            unwritten = switch_all(engine, on=verb == "on", who=who, how=_HOW)
            return [*_list_switches(engine), *(f"! {why}" for why in unwritten)]
        case "doctor":
            return _check(engine)
        case "approve" | "revoke" if not rest:
            return [f"{verb.capitalize()} what?", "", *_USAGE]
        case "approve":
            return _approve(engine, rest, who)
        case "revoke":
            return _revoke(engine, rest, who)
        case "help":
            return [*_USAGE, "", *_EXAMPLE]
    return [f"There is no `{text.strip()}`.", "", *_USAGE]


def _split_word(text: str) -> tuple[str, str]:
    """Return the first word and the rest, between any white space, because phones break lines."""
    first, *rest = text.split(None, 1) or [""]
    return first, "".join(rest).strip()


# -- reading ---------------------------------------------------------------------------------------


def _list(engine: Engine) -> list[str]:
    """Return the switches, the files that declare hooks, and each hook with its state."""
    if problem := find_store_problem(engine):
        raise TrustError(problem.message, name=problem.name, hint=problem.hint)
    statuses = find_statuses(engine)
    files = {status.trust.spec.origin.file: None for status in statuses.values()}
    lines = [*_list_switches(engine), *(f"config: {path}" for path in files if path)]
    for together in _group_hooks(list_hooks(engine.snapshot)):
        lines += ["", *_list_hook_lines(engine, together, statuses)]
    lines += [f"! {problem}" for problem in engine.problems if problem.severity == "error"]
    return lines if statuses else [*lines, "", "No hooks here.", "", *_EXAMPLE]


def _check(engine: Engine) -> list[str]:
    """Try each approved hook, and return the result of each."""
    found = run_checkup(engine)
    results = {result.spec.id: result for result in found.hooks}
    lines = _list_switches(engine)
    for together in _group_hooks(result.spec for result in found.hooks):
        result = results[together[0].id]
        severities = {finding.severity for finding in result.findings}
        mark = "✗" if "error" in severities else "!" if severities else "✓"
        tried = f"tried, {result.verdict.seconds:.2f} s" if result.verdict else "not tried"
        lines += ["", f"{mark} {_describe_hook(together)} ({tried})"]
        lines += _list_findings(result.findings, result.spec)
    # The lines of the switches come first.
    rest = [each for each in found.findings if each.name not in ("check.off", "hook.off")]
    lines += ["", *_list_findings(rest)] if rest else []
    return lines if results else [*lines, "", "No hooks here."]


# -- changing --------------------------------------------------------------------------------------


def _approve(engine: Engine, words: str, who: str) -> list[str]:
    """Approve a command's hook, on one event or on all."""
    done = approve_hooks(engine, _find_hooks(engine, words), who=who, how=_HOW)
    state = done.statuses[0].trust
    spec, inspection = state.spec, state.inspection
    lines = [
        f"✓ approved: {describe_run(spec)}",
        f"events: {', '.join(done.events)}",
        f"mounted: {done.mounted}",
    ]
    if state.column:
        files = (file.path for file in inspection.files)
        lines.append(f"covers: {', '.join(('definition', *files))}")
    lines += [f"not covered: {text}" for text in inspection.unseen]
    off = list_off(get_gate_for(engine))
    if spec.off:
        off.append((explain_file_switch(spec), "hookline on"))
    lines += [f"! {append_hint(why, hint)}" for why, hint in off]
    faults = _list_findings(list_errors(state), spec)
    return [*lines, *(line.strip() for line in faults)]


def _revoke(engine: Engine, words: str, who: str) -> list[str]:
    """Revoke an approval."""
    done = revoke(get_gate_for(engine), _find_hooks(engine, words), who=who, how=_HOW)
    events = ", ".join(dict.fromkeys(state.spec.native_event for state in done))
    return [f"✓ revoked: {describe_run(done[0].spec)}", f"events: {events}"]


def _find_hooks(engine: Engine, words: str) -> Sequence[HookSpec]:
    """Return the hooks that `<event> <command>` or `<command>` names.

    Quotes around the command do not count.

    Raises:
        TrustError: no hook is declared so.
    """
    events = {name for spec in engine.hooks for name in (spec.native_event, spec.kind)}
    first, rest = _split_word(words)
    event, command = (first, rest) if first in events and rest else ("", words)
    try:
        unquoted = shlex.split(command)
    except ValueError:
        unquoted = []
    return find_by_command(engine.hooks, unquoted[0] if len(unquoted) == 1 else command, event)


# -- lines ----------------------------------------------------------------------------------------


def append_hint(text: str, hint: str, command: str = "<command>") -> str:
    """Return a line with what to do, for a person who has a chat but no shell.

    `hint`: the same where there is a shell. `command`: of the hook that it is about.
    """
    shown = _COMMAND.sub(
        lambda found: f"{_NAME} {_INSTEAD.get(found[1], found[1]).format(command)}", hint
    )
    return f"{text} ({shown})" if hint else text


def _list_switches(engine: Engine) -> list[str]:
    """Return whether hooks run here, what switches them off, and what no switch affects."""
    gate, specs = get_gate_for(engine), list(list_hooks(engine.snapshot))
    off, keys = list_off(gate), list_keys_off(specs)
    is_off = off or (keys and all(spec.off for spec in specs))
    lines = ["hooks: OFF" if is_off else "hooks: ON"]
    lines += [f"  {append_hint(why, hint)}" for why, hint in off]
    for key in keys:
        why = f"`{key.pointer}` is not true in {key.file}:{key.line}"
        lines.append(f"  {append_hint(why, 'hookline on')}")
    managed = dict.fromkeys(map(describe_run, list_managed(engine))) if off else {}
    if managed:
        lines.append(f"  policy, which no switch reaches, still runs: {', '.join(managed)}")
    return lines


def _group_hooks(specs: Iterable[HookSpec]) -> Iterable[list[HookSpec]]:
    """Return the hooks to show, each with the others that are broken by the same fault.

    An unreadable file counts as a broken hook of many events.
    """
    found: dict[object, list[HookSpec]] = {}
    for spec in specs:
        key: object = spec.id
        if isinstance(spec.handler, Broken):
            key = spec.origin.file, spec.origin.line, spec.handler.reason
        found.setdefault(key, []).append(spec)
    return found.values()


def _describe_hook(together: Sequence[HookSpec]) -> str:
    """Describe a hook: its event and its command; of hooks that are broken together, their file."""
    spec = together[0]
    run = describe_run(spec)
    if len(together) > 1:
        return f"{spec.native_event} and {len(together) - 1} more  {spec.name or run}"
    return f"{spec.native_event}{describe_conditions(spec)}  {run}"


def _list_hook_lines(
    engine: Engine, together: Sequence[HookSpec], statuses: Mapping[str, HookStatus]
) -> Iterator[str]:
    """Yield the lines of one hook: its event and command, its state, and its problems."""
    spec = together[0]
    yield _describe_hook(together)
    if absent := explain_absence(engine.snapshot, spec):
        yield f"  - left out: {absent}"
        return
    if isinstance(spec.handler, Broken):
        yield f"  ✗ broken: {spec.handler.reason}"
        return
    status = statuses[spec.id]
    state = status.trust
    faults = _list_findings(list_errors(state), spec)
    is_approved = state.state == APPROVED
    shown = "✗ approved, and a no-op" if faults and is_approved else _STATES[state.state]
    yield f"  {shown}{f': {state.reason}' if state.reason else ''}"
    yield from (f"    {line}" for line in describe_change(engine, state))
    yield from faults
    table = engine.host(spec.dialect).table
    failures = find_failures(engine.runtime, spec)
    if suspended := describe_failures(spec, table, failures, engine.runtime.clock()):
        yield f"  ! {append_hint(suspended, 'hookline doctor')}"
    if status.off and all(get_gate_for(engine).find_switches().values()):
        yield f"  - {status.off}"
    if status.runs and not is_approved:
        yield "    it runs nevertheless: it is the user's own"


def _list_findings(found: Iterable[Problem], spec: HookSpec | None = None) -> list[str]:
    """Return the problems of a hook, each with what to do about it in a chat."""
    command = describe_run(spec) if spec else "<command>"
    lines = []
    for each in found:
        mark = "✗" if each.severity == "error" else "!"
        lines.append(f"  {mark} {append_hint(each.message, each.hint, command)}")
    return lines
