"""Records: what the journal keeps of an event and of each hook that ran for it.

Of values it keeps the hash, or on request the value itself, masked or in full.
"""

from __future__ import annotations

from hookline.journal.labels import describe_hook
from hookline.journal.payload_policy import to_canonical_json, to_plain
from hookline.model.event import ToolCall
from hookline.model.outcome import Failure

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence
    from typing import Any

    from hookline.journal.payload_policy import PayloadPolicy
    from hookline.model.event import Event, Rewrite
    from hookline.model.outcome import Outcome
    from hookline.model.spec import HookSpec
    from hookline.model.verdict import Decision, Verdict

EVENT, RUN, NOTE = "event", "run", "note"
# The kinds of notes, by the words that find them.
NOTES = ("approval", "unanswered")
_MOST = 100  # notes, lowered effects
_LONGEST_NAME = 400  # characters of a host's session id, tool name, call id, and of any other name
_LONGEST_PATH = 4096  # characters; no system accepts a longer one
_LONGEST_NOTE = 16 << 10  # bytes of a part of a note that is not text
_SHORT = 16  # characters of a digest; a whole one would look like a secret


def event_record(
    event: Event,
    decision: Decision,
    *,
    event_id: str,
    at: str,
    policy: PayloadPolicy,
    hooks: Sequence[HookSpec] = (),
) -> dict[str, Any]:
    """Return the record of an event and its decision; `hooks` are those that ran.

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
        "payload": policy.keep_value(_payload(event)),
        "stance": decision.stance.name.lower(),
        "reason": policy.keep_text(decision.reason, hooks),
        "redo": decision.redo,
        "retry_after": decision.retry_after,
        "rewrite": _rewrite(decision.rewrite, policy),
        "effects": _effects(decision, policy),
        "evidence": _keep_optional(decision.evidence, policy),
        "for_agent": [policy.keep_value(text) for text in decision.for_agent[:_MOST]],
        "for_user": [policy.keep_text(text, hooks) for text in decision.for_user[:_MOST]],
        "lowered": [
            {name: _name(part) for name, part in entry.to_dict().items()}
            | {"reason": policy.keep_text(entry.reason, hooks)}
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
    policy: PayloadPolicy,
    known: Mapping[str, Any] | None = None,
    phase: str = "done",
    printed: Outcome | None = None,
) -> dict[str, Any]:
    """Return the record of one hook's run. `phase`: `started` for a detached hook, whose end has a record of its own.

    `known`: an earlier result of `describe_hook`. `printed`: the program's output, if no other record will hold it.
    """
    hooks = (spec,) if spec is not None else ()
    record = {
        "type": RUN,
        "id": run_id,
        "event": event_id,
        "at": at,
        "hook": verdict.hook_id[:_LONGEST_PATH],
        "phase": phase,
        **(known or describe_hook(spec, policy)),
        "identity": shorten_digest(verdict.identity),
        "content": verdict.content,
        "stance": verdict.stance.name.lower(),
        "reason": policy.keep_text(verdict.reason, hooks),
        "rewrite": _rewrite(verdict.rewrite, policy),
        "effects": _effects(verdict, policy),
        "evidence": _keep_optional(verdict.evidence, policy),
        "for_agent": policy.keep_value(verdict.for_agent) if verdict.for_agent else None,
        "for_user": policy.keep_text(verdict.for_user, hooks),
        "unsupported": [policy.keep_text(entry, hooks) for entry in verdict.unsupported[:_MOST]],
        "fault": None if verdict.fault is None else policy.keep_text(verdict.fault, hooks),
        "exit_code": verdict.exit_code,
        "seconds": verdict.seconds,
        "shadow": verdict.shadow,
    }
    return record | _describe_output(printed, policy, hooks) if printed is not None else record


def _describe_output(
    outcome: Outcome, policy: PayloadPolicy, hooks: Sequence[HookSpec]
) -> dict[str, Any]:
    """Return a program's output, kept by the payload policy; None for an empty stream."""
    streams = {"stdout": outcome.stdout, "stderr": outcome.stderr}
    kept = {
        name: policy.keep_value(text, hooks) if text else None for name, text in streams.items()
    }
    return kept | {"truncated": outcome.truncated}


def shorten_digest(digest: str) -> str:
    """Return the start of a digest, by which notes and runs name the same approval."""
    return digest[:_SHORT]


def note_record(
    what: str, fields: Mapping[str, Any], *, note_id: str, at: str, policy: PayloadPolicy
) -> dict[str, Any]:
    """Return the record of a note: something besides events that you should find, by its name as if it were an event."""
    said = {
        name: policy.keep_text(value) if isinstance(value, str) else _keep_note_value(value)
        for name, value in fields.items()
    }
    own = {"type": NOTE, "id": note_id, "at": at, "native_event": _name(what)}
    return own | said | own


def summarise(record: Mapping[str, Any]) -> dict[str, Any]:
    """Return a short form of a record that is too long for a line: all of its fields, with little in each."""
    return {name: _shorten(value) for name, value in record.items()} | {"cut": True}


def _shorten(value: Any) -> Any:
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


def failure_name(fault: str) -> str:
    """Return why a hook failed in one word: a name of `Failure`, `exited` for an exit code, else `answer`."""
    for failure in Failure:
        if fault.startswith(failure.value):
            return failure.name.lower()
    return "exited" if fault.startswith("exited with status") else "answer"


def _payload(event: Event) -> Any:
    """Return what the host sent; for an event made by hand, its body."""
    if event.raw:
        return event.raw
    body = event.body
    return {name: getattr(body, name) for name in type(body).__fields__}


def _keep_note_value(value: Any) -> Any:
    """Return a part of a note; of a large part, only the length."""
    said = to_plain(value)
    size = len(to_canonical_json(said))
    return said if size <= _LONGEST_NOTE else f"{size} bytes of JSON"


def _effects(of: Decision | Verdict, policy: PayloadPolicy) -> dict[str, Any]:
    return {
        name[:_LONGEST_NAME]: policy.keep_value(value)
        for name, value in list(of.effects.items())[:_MOST]
    }


def _name(given: Any) -> str:
    return given[:_LONGEST_NAME] if isinstance(given, str) else ""


def _rewrite(rewrite: Rewrite | None, policy: PayloadPolicy) -> dict[str, Any] | None:
    if rewrite is None:
        return None
    patch = rewrite.patch if rewrite.patch is not None else rewrite.value
    return {
        "target": _name(rewrite.target),
        "keys": _keys(patch),
        **policy.keep_value(rewrite.value),
    }


def _keys(patch: Any) -> list[str]:
    named: Iterable[Any] = patch if isinstance(patch, dict) else ()
    return sorted(str(key)[:_LONGEST_NAME] for key in named)[:_MOST]


def _keep_optional(value: Any, policy: PayloadPolicy) -> Mapping[str, Any] | None:
    return None if value is None else policy.keep_value(value)
