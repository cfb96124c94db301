"""Records: what the journal keeps of an event and of each hook that was asked about it.

Of what passed through them it keeps the hash, or, where somebody chose so, the value itself, masked or whole.
"""

from __future__ import annotations

from hookline.journal.keeping import canonical, plain
from hookline.journal.naming import declared
from hookline.model.event import ToolCall
from hookline.model.outcome import Failure

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence
    from typing import Any

    from hookline.journal.keeping import Keeping
    from hookline.model.event import Event, Rewrite
    from hookline.model.outcome import Outcome
    from hookline.model.spec import HookSpec
    from hookline.model.verdict import Decision, Verdict

EVENT, RUN, NOTE = "event", "run", "note"
# What is noted beside events, by the words that it is found by.
NOTES = ("approval", "unanswered")
_MOST = 100  # notes, lowered effects
_LONGEST_NAME = 400  # characters of what a host calls its session, its tool, its call, and of whatever else is a name
_LONGEST_PATH = 4096  # characters; no system takes a longer one
_LONGEST_NOTE = 16 << 10  # bytes of a part of a note that is no text
_SHORT = 16  # characters of a digest, where the whole of it would look like a secret


def event_record(
    event: Event,
    decision: Decision,
    *,
    event_id: str,
    at: str,
    keeping: Keeping,
    hooks: Sequence[HookSpec] = (),
) -> dict[str, Any]:
    """One event and what was decided about it, `hooks` being those that were asked.

    `at` is a time in ISO 8601; `runs` counts the records of its hooks.
    """
    body = event.body
    return {
        "type": EVENT,
        "id": event_id,
        "at": at,
        "kind": _name(decision.kind),
        "dialect": _name(decision.dialect),
        "native_event": _name(decision.native_event),
        "session": _name(event.session_id),
        "cwd": event.cwd[:_LONGEST_PATH],
        "tool": _name(event.tool),
        "call": _name(body.call_id) if isinstance(body, ToolCall) else "",
        "payload": keeping.content(_payload(event)),
        "stance": decision.stance.name.lower(),
        "reason": keeping.text(decision.reason, hooks),
        "redo": decision.redo,
        "retry_after": decision.retry_after,
        "rewrite": _rewrite(decision.rewrite, keeping),
        "effects": _effects(decision, keeping),
        "evidence": _unless_none(decision.evidence, keeping),
        "for_agent": [keeping.content(text) for text in decision.for_agent[:_MOST]],
        "for_user": [keeping.text(text, hooks) for text in decision.for_user[:_MOST]],
        "lowered": [
            {name: _name(part) for name, part in entry.to_dict().items()}
            | {"reason": keeping.text(entry.reason, hooks)}
            for entry in decision.lowered[:_MOST]
        ],
        "seconds": decision.seconds,
        "runs": len(decision.verdicts),
        "faults": sum(verdict.fault is not None for verdict in decision.verdicts),
    }


def run_record(
    verdict: Verdict,
    spec: HookSpec | None,
    *,
    run_id: str,
    event_id: str,
    at: str,
    keeping: Keeping,
    known: Mapping[str, Any] | None = None,
    phase: str = "done",
    printed: Outcome | None = None,
) -> dict[str, Any]:
    """One hook that was asked. `phase`: `started` for one that nobody waits for, whose end is a record of its own.

    `known`: what `declared` told of it before. `printed`: what its program left, where nobody else will ever be told of that.
    """
    hooks = (spec,) if spec is not None else ()
    record = {
        "type": RUN,
        "id": run_id,
        "event": event_id,
        "at": at,
        "hook": verdict.hook_id[:_LONGEST_PATH],
        "phase": phase,
        **(known or declared(spec, keeping)),
        "identity": short(verdict.identity),
        "content": verdict.content,
        "stance": verdict.stance.name.lower(),
        "reason": keeping.text(verdict.reason, hooks),
        "rewrite": _rewrite(verdict.rewrite, keeping),
        "effects": _effects(verdict, keeping),
        "evidence": _unless_none(verdict.evidence, keeping),
        "for_agent": keeping.content(verdict.for_agent) if verdict.for_agent else None,
        "for_user": keeping.text(verdict.for_user, hooks),
        "unsupported": [keeping.text(entry, hooks) for entry in verdict.unsupported[:_MOST]],
        "fault": None if verdict.fault is None else keeping.text(verdict.fault, hooks),
        "exit_code": verdict.exit_code,
        "seconds": verdict.seconds,
        "shadow": verdict.shadow,
    }
    return record | _printed(printed, keeping, hooks) if printed is not None else record


def _printed(outcome: Outcome, keeping: Keeping, hooks: Sequence[HookSpec]) -> dict[str, Any]:
    """What a program printed, kept as payloads are; None where that is nothing."""
    streams = {"stdout": outcome.stdout, "stderr": outcome.stderr}
    kept = {name: keeping.content(text, hooks) if text else None for name, text in streams.items()}
    return kept | {"truncated": outcome.truncated}


def short(digest: str) -> str:
    """The beginning of a digest, by which notes and runs name the same approval."""
    return digest[:_SHORT]


def note_record(
    what: str, fields: Mapping[str, Any], *, note_id: str, at: str, keeping: Keeping
) -> dict[str, Any]:
    """Something that is no event, and that a person should find in the journal. It is found by what it is, as by an event."""
    said = {
        name: keeping.text(value) if isinstance(value, str) else _noted(value)
        for name, value in fields.items()
    }
    own = {"type": NOTE, "id": note_id, "at": at, "native_event": _name(what)}
    return own | said | own


def essence(record: Mapping[str, Any]) -> dict[str, Any]:
    """What identifies a record, for one that is longer than a line may be: all of its fields, and little in each."""
    return {name: _little(value) for name, value in record.items()} | {"cut": True}


def _little(value: Any) -> Any:
    match value:
        case str():
            return value[:_LONGEST_NAME]
        case list() | tuple():
            return []
        case {"sha256": digest, "bytes": size}:
            told = (
                {"target": value["target"][:_LONGEST_NAME], "keys": []} if "target" in value else {}
            )
            return told | {"sha256": digest, "bytes": size, "cut": True}
        case dict():
            return {}
        case _:
            return value


def failure_of(fault: str) -> str:
    """Why a hook failed, as one of a few words: those of `Failure`, `exited` for an exit code, else `answer`."""
    for failure in Failure:
        if fault.startswith(failure.value):
            return failure.name.lower()
    return "exited" if fault.startswith("exited with status") else "answer"


def _payload(event: Event) -> Any:
    """What the host sent; of an event that somebody made by hand, what it carries."""
    if event.raw:
        return event.raw
    body = event.body
    return {name: getattr(body, name) for name in type(body).__fields__}


def _noted(value: Any) -> Any:
    """A part of a note as it is; of a large one the length alone."""
    said = plain(value)
    size = len(canonical(said))
    return said if size <= _LONGEST_NOTE else f"{size} bytes of JSON"


def _effects(of: Decision | Verdict, keeping: Keeping) -> dict[str, Any]:
    return {
        name[:_LONGEST_NAME]: keeping.content(value)
        for name, value in list(of.effects.items())[:_MOST]
    }


def _name(given: Any) -> str:
    return given[:_LONGEST_NAME] if isinstance(given, str) else ""


def _rewrite(rewrite: Rewrite | None, keeping: Keeping) -> dict[str, Any] | None:
    if rewrite is None:
        return None
    patch = rewrite.patch if rewrite.patch is not None else rewrite.value
    return {"target": _name(rewrite.target), "keys": _keys(patch), **keeping.content(rewrite.value)}


def _keys(patch: Any) -> list[str]:
    named: Iterable[Any] = patch if isinstance(patch, dict) else ()
    return sorted(str(key)[:_LONGEST_NAME] for key in named)[:_MOST]


def _unless_none(value: Any, keeping: Keeping) -> Mapping[str, Any] | None:
    return None if value is None else keeping.content(value)
