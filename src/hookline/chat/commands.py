"""Commands: runs one chat command, from the typed text to the answer."""

from __future__ import annotations

import shlex

from hookline.chat.listing import (
    NAME,
    append_hint,
    describe_hook,
    list_findings,
    list_hook_lines,
    list_switches,
    select_shown,
)
from hookline.core.failure import explain_file_switch
from hookline.engine.approval_service import (
    approve_hooks,
    find_statuses,
    find_store_problem,
    get_gate_for,
    list_off,
    revoke,
    switch_all,
    switch_hooks,
)
from hookline.engine.doctor.checkup import run_checkup
from hookline.engine.doctor.static_checks import list_errors
from hookline.engine.hook_lookup import describe_run, find_by_command
from hookline.engine.loader import list_hooks
from hookline.errors import TrustError, did_you_mean

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from hookline.engine.engine import Engine
    from hookline.model.spec import HookSpec

_HOW = "chat"
_LONGEST = 4000  # characters of a command
# A phone makes dashes of two hyphens.
_EVERYWHERE = frozenset({"everywhere", "global", "--global", "—global", "–global"})  # noqa: RUF001
_USAGE = """/hooks or /hooks list - is everything on, where hooks are declared, and how each stands
/hooks on | /hooks off - switch the hooks of this project on or off, at once
/hooks on everywhere | /hooks off everywhere - switch those of every project
/hooks on <command> | /hooks off <command> - switch a single hook
/hooks doctor - try each approved hook on a harmless event
/hooks approve <event> <command> - approve a hook of one event, live at once
/hooks approve <command> - approve it on every event that it is declared for
/hooks revoke <command> - take the approval back, at once
/hooks help - this text""".splitlines()
_EXAMPLE = """No ready-made scripts come with this version. A hook is declared in a file of the project; for example in config/shell_hooks.yaml:

hooks:
  - event: pre_tool_call
    command: /absolute/path/to/guard.py

Then: /hooks approve /absolute/path/to/guard.py""".splitlines()


def run_command(engine: Engine, text: str, who: str) -> list[str]:
    """Run a command and return the answer, line by line; for any other text, the usage."""
    name, rest = _split_word(text[:_LONGEST])
    if name.partition("@")[0].lower() != NAME:
        return [f"A command begins with `{NAME}`.", "", *_USAGE]
    typed, rest = _split_word(rest)
    match verb := typed.lower():
        case "" | "list":
            return _list(engine)
        case "on" | "off":
            return _switch(engine, rest, who, on=verb == "on")
        case "doctor":
            return _check(engine)
        case "approve" if rest:
            return _approve(engine, rest, who)
        case "revoke" if rest:
            return _revoke(engine, rest, who)
        case "help":
            return [*_USAGE, "", *_EXAMPLE]
        case "approve" | "revoke":
            return [f"{verb.capitalize()} what?", "", *_USAGE]
    return [f"There is no `{NAME} {typed}`.", "", *_USAGE]


def _split_word(text: str) -> tuple[str, str]:
    """Return the first word and the rest, separated by any white space, because phones break lines."""
    first, *rest = text.split(None, 1) or [""]
    return first, "".join(rest).strip()


# -- reading ---------------------------------------------------------------------------------------


def _list(engine: Engine) -> list[str]:
    """Return the switches, the files that declare hooks, and every hook with its approval and health."""
    if problem := find_store_problem(engine):
        raise TrustError(problem.message, name=problem.name, hint=problem.hint)
    statuses = find_statuses(engine)
    files = dict.fromkeys(status.trust.spec.origin.file for status in statuses.values())
    lines = [*list_switches(engine), *(f"config: {path}" for path in files if path)]
    for spec, together in select_shown(list_hooks(engine.snapshot)):
        lines += ["", *list_hook_lines(engine, spec, statuses[spec.id], together)]
    lines += [f"! {problem}" for problem in engine.problems if problem.severity == "error"]
    return lines if statuses else [*lines, "", "No hooks here.", "", *_EXAMPLE]


def _check(engine: Engine) -> list[str]:
    """Try each approved hook, and return the result of each."""
    found = run_checkup(engine)
    results = {result.spec.id: result for result in found.hooks}
    lines = list_switches(engine)
    for spec, together in select_shown(result.spec for result in found.hooks):
        result = results[spec.id]
        severities = {finding.severity for finding in result.findings}
        mark = "✗" if "error" in severities else "!" if severities else "✓"
        tried = f"tried, {result.verdict.seconds:.2f} s" if result.verdict else "not tried"
        lines += ["", f"{mark} {describe_hook(spec, together)} ({tried})"]
        lines += list_findings(result.findings, spec)
    # The lines of the switches come first.
    rest = [each for each in found.findings if each.name not in ("check.off", "hook.off")]
    lines += ["", *list_findings(rest)] if rest else []
    return lines if results else [*lines, "", "No hooks here."]


# -- changing --------------------------------------------------------------------------------------


def _switch(engine: Engine, words: str, who: str, *, on: bool) -> list[str]:
    """Switch hooks, all of them or those of a command."""
    first, rest = _split_word(words)
    everywhere = first.lower() in _EVERYWHERE
    command = rest if everywhere else words
    if not command:
        unwritten = switch_all(engine, on=on, everywhere=everywhere, who=who, how=_HOW)
        return [*list_switches(engine), *(f"! {why}" for why in unwritten)]
    specs = _find_hooks(engine, command)
    lines = []
    gate = get_gate_for(engine)
    switch_hooks(gate, specs, on=on, everywhere=everywhere, who=who, how=_HOW)
    for status in find_statuses(engine, specs).values():
        spec = status.trust.spec
        mark = "- off" if status.off else "✓ on"
        lines.append(f"{mark}: {spec.native_event}  {describe_run(spec)}")
    return [*lines, *list_switches(engine)]


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
    faults = list_findings(list_errors(engine, state), spec)
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
    try:
        return find_by_command(engine.hooks, unquoted[0] if len(unquoted) == 1 else command, event)
    except TrustError as error:
        near = did_you_mean(first, events)
        if error.name != "trust.unmatched" or event or not rest or not near:
            raise
        message = f"no hook is declared for an event `{first}`"
        raise TrustError(message, name="event.unknown", hint=near) from None
