"""Records: what the journal keeps of an event and of each hook that was asked about it.

Of what passed through them it keeps the hash, or, where somebody chose so, the value itself, masked or whole.
"""

from __future__ import annotations

import json

from hookline.model.event import ToolCall
from hookline.model.frozen import Frozen
from hookline.model.handler import NO_ENV, Builtin, Command
from hookline.model.outcome import Failure
from hookline.text.digest import sha256

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping, Sequence
    from typing import Any

    from hookline.model.event import Event, Rewrite
    from hookline.model.spec import HookSpec
    from hookline.model.verdict import Decision, Verdict

KEEPINGS = ("hash", "masked", "full")
EVENT, RUN, NOTE = "event", "run", "note"
_LONGEST_TEXT = 2000  # characters of a reason, a fault, a note
_LARGEST_VALUE = 256 << 10  # bytes of a payload or a rewrite as JSON; of a larger one the hash alone is kept
_MOST = 100  # notes, lowered effects
_LONGEST_NAME = 400  # characters of what a host calls its session, its tool, its call, and of whatever else is a name
_LONGEST_PATH = 4096  # characters; no system takes a longer one
_LONGEST_NOTE = 16 << 10  # bytes of a part of a note that is no text
_canonical = json.JSONEncoder(sort_keys=True, separators=(",", ":"), allow_nan=False).encode


class Keeping(Frozen):
    """How much is kept of what passed through: `hash`, `masked` or `full`; and by what values and texts are masked.

    `environ`: what hooks inherit; the values in it that are secret by their names are masked wherever they are said.
    """

    how: str = "hash"
    mask: Callable[[Any], Any] | None = None
    mask_text: Callable[[str], str] | None = None
    environ: Mapping[str, str] = NO_ENV

    def content(self, value: Any) -> dict[str, Any]:
        """A value by the SHA-256 and the length of its JSON (sorted keys, no blanks, ASCII); and itself, if it is kept."""
        text = canonical(value)
        told: dict[str, Any] = {"sha256": sha256(text.encode("ascii")), "bytes": len(text)}
        if self.how == "hash":
            return told
        if len(text) > _LARGEST_VALUE:
            return told | {"cut": True}
        try:
            parsed = json.loads(text)
            return told | {"value": parsed if self.how == "full" else (self.mask or _masked)(parsed)}
        except RecursionError:
            return told | {"cut": True}

    def text(self, text: str, hooks: Iterable[HookSpec] = ()) -> str:
        """What a hook said to a person: always kept, less what looks like a secret, and at most so long.

        `hooks`: those that it may be about. Where payloads are hashed they are called by their ids: their names are what they run.
        """
        if not text:
            return ""
        if self.how == "full":
            kept = text[: 2 * _LONGEST_TEXT]
        else:
            kept = self._covered(_by_ids(text, hooks) if self.how == "hash" else text, hooks)
        return f"{kept[:_LONGEST_TEXT]} [{len(text) - _LONGEST_TEXT} more]" if len(text) > _LONGEST_TEXT else kept

    def _covered(self, text: str, hooks: Iterable[HookSpec]) -> str:
        from hookline.journal.masking import secrets_of, without  # noqa: PLC0415 - its expressions cost 1 ms, and most hooks say nothing

        known = secrets_of(self.environ)
        for spec in hooks:
            known |= secrets_of(getattr(spec.handler, "env", None) or {}) if type(spec.handler) in (Command, Builtin) else set()
        # Secrets that are known go first, and before the text is cut: half of one would not be known any more.
        return (self.mask_text or _masked)(without(text[: 4 * _LONGEST_TEXT], known)[: 2 * _LONGEST_TEXT])


def _by_ids(text: str, hooks: Iterable[HookSpec]) -> str:
    """A text that calls hooks by their ids instead of their names."""
    for spec in hooks:
        if spec.name and spec.name != spec.id:
            text = text.replace(f"`{spec.name}`", f"`{spec.id}`")
    return text


def _masked(value: Any) -> Any:
    from hookline.journal.masking import masked  # noqa: PLC0415 - as above

    return masked(value)


def event_record(
    event: Event, decision: Decision, *, event_id: str, at: str, keeping: Keeping, hooks: Sequence[HookSpec] = ()
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
            {name: _name(part) for name, part in entry.to_dict().items()} | {"reason": keeping.text(entry.reason, hooks)}
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
    fingerprint: str = "",
    phase: str = "done",
) -> dict[str, Any]:
    """One hook that was asked. `phase`: `started` for one that nobody waits for, whose end is a record of its own."""
    hooks = (spec,) if spec is not None else ()
    return {
        "type": RUN,
        "id": run_id,
        "event": event_id,
        "at": at,
        "hook": verdict.hook_id[:_LONGEST_PATH],
        "phase": phase,
        "source": spec.origin.place[:_LONGEST_PATH] if spec else "",
        "scope": spec.origin.scope if spec else "",
        "dialect": spec.dialect if spec else "",
        "handler": handler_kind(spec),
        "fingerprint": fingerprint,
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


def note_record(what: str, fields: Mapping[str, Any], *, note_id: str, at: str, keeping: Keeping) -> dict[str, Any]:
    """Something that is no event, and that a person should find in the journal. It is found by what it is, as by an event."""
    said = {name: keeping.text(value) if isinstance(value, str) else _noted(value) for name, value in fields.items()}
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
            told = {"target": value["target"][:_LONGEST_NAME], "keys": []} if "target" in value else {}
            return told | {"sha256": digest, "bytes": size, "cut": True}
        case dict():
            return {}
        case _:
            return value


def handler_kind(spec: HookSpec | None) -> str:
    """What runs a hook, in one word: `command`, `http`, `builtin`, `inprocess`, `broken` ..."""
    return type(spec.handler).__name__.lower() if spec else ""


def failure_of(fault: str) -> str:
    """Why a hook failed, as one of a few words: those of `Failure`, `exited` for an exit code, else `answer`."""
    for failure in Failure:
        if fault.startswith(failure.value):
            return failure.name.lower()
    return "exited" if fault.startswith("exited with status") else "answer"


def definition_hash(spec: HookSpec) -> str:
    """A fingerprint of a hook as it is declared: whatever changes what it does changes this. What it calls is not read."""
    handler = spec.handler
    fields = {name: _declared(getattr(handler, name)) for name in type(handler).__fields__}
    said = (spec.dialect, spec.native_event, handler_kind(spec), fields, [repr(each) for each in spec.conditions])
    rules = (spec.rank, spec.timeout, spec.detached, spec.shadow, spec.on_failure.name, spec.strict)
    return sha256(canonical([*said, *rules]).encode("ascii"))


def _declared(value: Any) -> Any:
    """A field of a handler, in a form that is the same in every process."""
    if callable(value):
        return f"{getattr(value, '__module__', '')}.{getattr(value, '__qualname__', type(value).__name__)}"
    return value if isinstance(value, dict) else repr(value)


def canonical(value: Any) -> str:
    """A value as JSON with sorted keys and without blanks; what JSON cannot say is said in words."""
    try:
        return _canonical(value)
    except (TypeError, ValueError, RecursionError):
        return _canonical(plain(value))


def plain(value: Any, depth: int = 0) -> Any:
    """A value that JSON can say, nearest to one that it cannot: keys are texts, other objects are named by their type."""
    if depth > _MOST:
        return "nested too deeply"
    match value:
        case None | bool() | int() | str():
            return value
        case float():
            return value if value - value == 0 else str(value)
        case dict():
            return {str(key): plain(part, depth + 1) for key, part in value.items()}
        case list() | tuple():
            return [plain(part, depth + 1) for part in value]
        case set() | frozenset():
            return sorted((plain(part, depth + 1) for part in value), key=repr)
        case _:
            return f"a {type(value).__name__}"


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
    return {name[:_LONGEST_NAME]: keeping.content(value) for name, value in list(of.effects.items())[:_MOST]}


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
