"""Builds every notice to the user about an event, beside the output of its hooks."""

from __future__ import annotations

import json
import os

from hookline.core.fit import fit
from hookline.errors import CodecError
from hookline.model.kinds import ACTIONS, kind, unknown_kind
from hookline.model.spec import Command, Problem
from hookline.model.verdict import Decision, Lowered, Reply, Stance
from hookline.paths import state_folder
from hookline.text.terminal_escape import escape_line, escape_text
from hookline.wire.payload import unknown_event_error

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator

    from hookline.core.plan import Plan
    from hookline.engine.runtime import Runtime
    from hookline.model.event import Event

# Effects in `lowered`: hooks that hookline did not ask, and an event that its dialect does not
# have.
NOT_ASKED, NO_EVENT = "hooks", "event"
_STANCES = frozenset(("ask", "deny", "halt"))
_CHANGES = frozenset(("input", "output", "text", "messages"))
_OLD = (
    "approvals of an older hookline (`trust.db`) are not read any more."
    " To approve your hooks again: `hookline approve`"
)
_NEWER = "a newer version of hookline may know it"


# -- before the decision reaches a host --------------------------------------------------------

_MOST_LOOKED = 1_000  # sessions and events that are remembered


def add_notices(runtime: Runtime, event: Event, decision: Decision) -> Decision:
    """Return the decision with notices on hooks that a file switches off and on an unknown event.

    The user sees each once a session.

    Raises:
        CodecError: the host's event is none of its dialect, and a strict hook guards some event,
            which may be this one.
    """
    decision = _note_switched_off(runtime, event, decision)
    table, registry = runtime.host(event.dialect).table, runtime.snapshot.registry
    if (
        event.kind != unknown_kind(event.dialect, event.native_name)
        or table.row(event.native_name) is not None
        or registry.of_kind(event.kind)
    ):
        return decision
    error = unknown_event_error(table, event.native_name)
    hint = error.hint if error.hint.startswith("did you mean") else _NEWER
    specs = (entry.spec for entry in registry.entries())
    if any(spec.strict and kind(spec.kind).is_gate for spec in specs):
        message = f"{error.message}, which may be a gate, and in strict mode none is passed unasked"
        raise CodecError(message, name=error.name, hint=hint)
    words = f"{error.code} {error.message}, so no hook was asked ({hint})"
    decision = decision.replace(lowered=(*decision.lowered, Lowered(effect=NO_EVENT, reason=words)))
    if not runtime.was_told(event, f"unknown event {event.native_name}"):
        decision = decision.replace(for_user=(*decision.for_user, f"hookline: {words}"))
    return decision


def _note_switched_off(runtime: Runtime, event: Event, decision: Decision) -> Decision:
    """Return the decision with the files that switch hooks of this event off."""
    off = [problem for problem in runtime.problems if problem.hooks or problem.tells_user]
    if not off:
        return decision
    specs = (spec for each in runtime.snapshot.sources for spec in each.loaded.specs)
    here = {spec.id: spec.origin.file for spec in specs if spec.kind == event.kind}
    for problem in off:
        if problem.tells_user:
            is_about_event = problem.origin.file in here.values()
        else:
            is_about_event = any(hook in here for hook in problem.hooks)
        if is_about_event:
            decision = add_notice(runtime, event, decision, str(problem), key=problem.message)
    return decision


def note_removed(runtime: Runtime, event: Event, decision: Decision, plan: Plan) -> Decision:
    """Return the decision with a notice on approved guards of this kind that no file declares.

    It repeats at each action; in strict mode the decision becomes `ask` (docs/explanation/trust.md
    4).
    """
    if runtime.gate is None or event.kind not in ACTIONS:
        return decision
    folder = state_folder(runtime.environ)
    if not os.path.isdir(f"{folder}/approvals"):
        if os.path.exists(f"{folder}/trust.db"):  # of an older hookline
            decision = add_notice(runtime, event, decision, _OLD, repeats=True)
        return decision
    found = runtime.gate.get_strict().find_removed()
    removed = [each.command for each in found if each.kind == event.kind]
    if not removed:
        return decision
    count = len(set(removed)) - 1
    more = f" and {count} more" if count else ""
    text = (
        f"an approved guard is not declared any more: `{removed[0]:.80}`{more}."
        " To review what changed: `hookline approve`"
    )
    if runtime.snapshot.strict and decision.stance < Stance.ASK:
        asking = decision.replace(stance=Stance.ASK, reason=text)
        return fit(asking, plan.powers, ask_becomes=plan.ask_becomes, redoes=plan.redoes)
    return add_notice(runtime, event, decision, text, repeats=True)


def note_unread(runtime: Runtime, event: Event, decision: Decision) -> Decision:
    """Return the decision with a notice on hook files that are not approved, once a session.

    A session is looked at once for each kind of event, because that reads files.
    """
    looked = event.dialect, event.session_id, event.native_name
    if not runtime.loader.leaves_unread or looked in runtime.looked:
        return decision
    if len(runtime.looked) >= _MOST_LOOKED:
        runtime.looked.clear()
    runtime.looked.add(looked)
    files = ", ".join(f"`{file}`" for file in runtime.loader.list_unread())
    if not files:
        return decision
    text = (
        f"hooks of this project ({files}) do not run because you have not approved them."
        " To review them: `hookline approve`"
    )
    return add_notice(runtime, event, decision, text)


def note_folder(runtime: Runtime, event: Event, decision: Decision) -> Decision:
    """Return the decision with a notice that its hooks ran in another folder than the event's."""
    specs = (runtime.find_spec(verdict.hook_id) for verdict in decision.verdicts)
    handlers = (spec.handler for spec in specs if spec is not None)
    if all(not isinstance(each, Command) or each.in_folder for each in handlers):
        return decision
    text = f"the working folder `{event.cwd}` does not exist, so hooks ran in `{event.folder}`"
    return add_notice(runtime, event, decision, text)


def add_session_problems(runtime: Runtime, decision: Decision, plan: Plan) -> Decision:
    """Return the decision with notices on problems of the session store, each once."""
    new = [each for each in runtime.sessions.problems if each.name not in runtime.told]
    if not new or "note" not in plan.powers:
        return decision
    runtime.told |= {problem.name for problem in new}
    return decision.replace(for_user=(*decision.for_user, *map(str, new)))


def add_notice(
    runtime: Runtime,
    event: Event,
    decision: Decision,
    text: str,
    *,
    key: str = "",
    repeats: bool = False,
) -> Decision:
    """Return the decision with a notice to the user, once a session unless it `repeats`.

    Where the event has no notices it is an entry of `lowered`. `key` names the notice, if its text
    may change.
    """
    row = runtime.host(event.dialect).table.row(event.native_name)
    can_note = row is None or "note" in row.powers_on(event.tool)
    if not repeats and runtime.was_told(event, f"{key or text} {can_note}"):
        return decision
    if can_note:
        return decision.replace(for_user=(*decision.for_user, f"hookline: {text}"))
    return decision.replace(lowered=(*decision.lowered, Lowered(effect=NOT_ASKED, reason=text)))


# -- what a host's reply has no room for -------------------------------------------------------


def write_reply(
    encode: Callable[[Decision, Event], Reply],
    event: Event,
    decision: Decision,
    problems: Iterable[Problem] = (),
) -> Reply:
    """Return the host's reply, with what its words have no room for on stderr.

    Beside a refusal, stderr is the reason, so only the notices to the user are added there. A guard
    that asks, or that could not run, must never seem to be silent.
    """
    reply = encode(decision, event)
    if reply.exit_code:
        lines = [line for text in decision.for_user for line in text.splitlines() if line.strip()]
        return add_to_stderr(reply, (line for line in lines if not is_shown(reply, line)))
    warnings = (str(each) for each in problems if escape_line(each.message) not in decision.reason)
    return add_to_stderr(reply, (*warnings, *list_lost(decision, reply)))


def add_to_stderr(reply: Reply, lines: Iterable[str]) -> Reply:
    """Return the reply with these lines on its stderr, each once."""
    stderr = reply.stderr
    for line in map(escape_text, dict.fromkeys(lines)):
        sender = "" if line.startswith("hookline ") else "hookline: "
        stderr += f"{sender}{line}\n"
    return reply.replace(stderr=stderr) if stderr != reply.stderr else reply


def list_lost(decision: Decision, reply: Reply) -> Iterator[str]:
    """Yield what the host has no word for: stances, changes, and notes that its reply lacks."""
    for lost in decision.lowered:
        if lost.effect in _STANCES:
            yield f"{lost.hook or 'a hook'} answered `{lost.effect}`: {lost.reason}"
        elif lost.effect in _CHANGES:
            yield f"{lost.hook} would change the `{lost.effect}`: {lost.reason}"
        elif lost.effect in (NOT_ASKED, NO_EVENT) and not _shows(reply, lost.reason):
            yield lost.reason
    without_notes = any(lost.effect == "note" for lost in decision.lowered)
    for verdict in decision.verdicts:
        if verdict.shadow or verdict.told:
            continue
        fault, notes = verdict.fault or "", verdict.for_user.splitlines() if without_notes else []
        lines = [fault, *(line for line in notes if not fault or fault not in line)]
        for text in lines:
            if text.strip() and not _shows(reply, text):
                yield f"{verdict.hook_id}: {text}"


def is_shown(reply: Reply, line: str) -> bool:
    """Whether a reply says already what is wrong, whatever a hint at the end of the line adds."""
    wrong, _, hint = line.rpartition(" (")
    return _shows(reply, wrong if wrong and hint.endswith(")") else line)


def _shows(reply: Reply, text: str) -> bool:
    return json.dumps(text, ensure_ascii=False)[1:-1] in reply.stdout or text in reply.stderr
