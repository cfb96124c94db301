"""Records: what the journal keeps of an event, of each hook that ran for it, and of a note.

Of values it keeps the hash, or on request the value itself, masked or in full.
"""

from __future__ import annotations

import json
import re
import time

from hookline.model.event import ToolCall
from hookline.model.frozen import Frozen
from hookline.model.spec import NO_ENV, Broken, Builtin, Command, InProcess, describe_command
from hookline.model.verdict import Failure
from hookline.text.digest import sha256

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence
    from typing import Any

    from hookline.model.event import Event, Rewrite
    from hookline.model.spec import HookSpec
    from hookline.model.verdict import Decision, Outcome, Verdict

EVENT, RUN, NOTE = "event", "run", "note"
# The kinds of notes, by the words that find them.
NOTES = ("approval", "unanswered")
_MOST = 100  # notes, lowered effects
_LONGEST_TEXT = 400  # characters of a host's session id, tool name, call id, and of any other name
_LONGEST_PATH = 4096  # characters; no system accepts a longer one
_LONGEST_REASON = 2000  # characters of a reason, a fault, a note
_LONGEST_NOTE = 16 << 10  # bytes of a part of a note that is not text
# Bytes of a payload or a rewrite as JSON; of a larger one, only the hash is kept.
_LARGEST_VALUE = 256 << 10
_SHORT = 16  # characters of a digest; a whole one would look like a secret
_LONGEST_NAME = 80  # characters of the name of a hook
_DEEPEST = 100
# The name of a script in a command. More digits would be a generated text.
_SCRIPT = (
    r"(?<![\w-])[A-Za-z][A-Za-z_-]*\d{0,3}\.(?:[cm]?js|ts|py|ps1|rb|pl|php|lua|(?:ba|z|fi)?sh)\b"
)
_PLAIN = r"[\w .-]+"  # a name that is no command with an address or a secret in it
_canonical = json.JSONEncoder(sort_keys=True, separators=(",", ":"), allow_nan=False).encode


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
    # An event made by hand has no raw payload.
    payload = event.raw or {name: getattr(body, name) for name in type(body).__fields__}
    return {
        "type": EVENT,
        "id": event_id,
        "at": at,
        "kind": _cut(decision.kind),
        "dialect": _cut(decision.dialect),
        "native_event": _cut(decision.native_event),
        "session": _cut(event.session_id),
        "cwd": event.cwd[:_LONGEST_PATH],
        "tool": _cut(event.tool),
        "call": _cut(body.call_id) if isinstance(body, ToolCall) else "",
        "payload": policy.keep_value(payload),
        "stance": decision.stance.name.lower(),
        "reason": policy.keep_text(decision.reason, hooks),
        "redo": decision.redo,
        "retry_after": decision.retry_after,
        **_changes(decision, policy),
        "for_agent": [policy.keep_value(text) for text in decision.for_agent[:_MOST]],
        "for_user": [policy.keep_text(text, hooks) for text in decision.for_user[:_MOST]],
        "lowered": [
            {name: _cut(part) for name, part in entry.to_dict().items()}
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
    phase: str = "done",
    printed: Outcome | None = None,
) -> dict[str, Any]:
    """Return the record of one hook's run.

    `phase`: `started` for a detached hook, whose end has a record of its own. `printed`: the
    program's output, if no other record will hold it.
    """
    hooks = (spec,) if spec is not None else ()
    record = {
        "type": RUN,
        "id": run_id,
        "event": event_id,
        "at": at,
        "hook": verdict.hook_id[:_LONGEST_PATH],
        "phase": phase,
        **describe_hook(spec, policy),
        "identity": shorten_digest(verdict.identity),
        "content": verdict.content,
        "stance": verdict.stance.name.lower(),
        "reason": policy.keep_text(verdict.reason, hooks),
        **_changes(verdict, policy),
        "for_agent": policy.keep_value(verdict.for_agent) if verdict.for_agent else None,
        "for_user": policy.keep_text(verdict.for_user, hooks),
        "unsupported": [policy.keep_text(entry, hooks) for entry in verdict.unsupported[:_MOST]],
        "fault": None if verdict.fault is None else policy.keep_text(verdict.fault, hooks),
        "exit_code": verdict.exit_code,
        "seconds": verdict.seconds,
        "shadow": verdict.shadow,
    }
    if printed is not None:
        for name, text in (("stdout", printed.stdout), ("stderr", printed.stderr)):
            record[name] = policy.keep_value(text, hooks) if text else None
        record["truncated"] = printed.truncated
    return record


def note_record(
    what: str, fields: Mapping[str, Any], *, note_id: str, at: str, policy: PayloadPolicy
) -> dict[str, Any]:
    """Return the record of a note: something besides events that you should find.

    `what`: its name, by which a search finds it like an event.
    """
    own = {"type": NOTE, "id": note_id, "at": at, "native_event": _cut(what)}
    kept: dict[str, Any] = {}
    for name, value in fields.items():
        if isinstance(value, str):
            kept[name] = policy.keep_text(value)
            continue
        kept[name] = to_plain(value)
        size = len(to_canonical_json(kept[name]))
        if size > _LONGEST_NOTE:
            kept[name] = f"{size} bytes of JSON"
    return own | kept | own


def format_time(seconds: float) -> str:
    """Return seconds since 1970 in ISO 8601, in UTC with milliseconds."""
    moment = time.strftime("%Y-%m-%dT%H:%M:%S", time.gmtime(seconds))
    return f"{moment}.{int(seconds % 1 * 1000):03d}Z"


def shorten_digest(digest: str) -> str:
    """Return the start of a digest, by which notes and runs name the same approval."""
    return digest[:_SHORT]


def failure_name(fault: str) -> str:
    """Return why a hook failed in one word: a name of `Failure`, `exited` for an exit code, else `answer`."""
    for failure in Failure:
        if fault.startswith(failure.value):
            return failure.name.lower()
    return "exited" if fault.startswith("exited with status") else "answer"


def _changes(of: Decision | Verdict, policy: PayloadPolicy) -> dict[str, Any]:
    """Return what a hook or a decision changes and proves, by the payload policy."""
    effects = list(of.effects.items())[:_MOST]
    return {
        "rewrite": _rewrite(of.rewrite, policy) if of.rewrite is not None else None,
        "effects": {name[:_LONGEST_TEXT]: policy.keep_value(value) for name, value in effects},
        "evidence": None if of.evidence is None else policy.keep_value(of.evidence),
    }


def _rewrite(rewrite: Rewrite, policy: PayloadPolicy) -> dict[str, Any]:
    patch = rewrite.patch if rewrite.patch is not None else rewrite.value
    named = patch if isinstance(patch, dict) else ()
    keys = sorted(str(key)[:_LONGEST_TEXT] for key in named)[:_MOST]
    return {"target": _cut(rewrite.target), "keys": keys, **policy.keep_value(rewrite.value)}


def _cut(given: Any) -> str:
    return given[:_LONGEST_TEXT] if isinstance(given, str) else ""


# -- the hook --------------------------------------------------------------------------------------


def describe_hook(spec: HookSpec | None, policy: PayloadPolicy) -> dict[str, Any]:
    """Return the part of a run's record that describes the hook, not the run.

    Empty values for an unknown hook.

    `name`: the hook's name. `command`: what it runs, kept by the payload policy. `fingerprint`: a
    hash of its declaration.
    """
    return {
        "source": spec.origin.place[:_LONGEST_PATH] if spec else "",
        "scope": spec.origin.scope if spec else "",
        "dialect": spec.dialect if spec else "",
        "handler": handler_kind(spec),
        "name": _name_hook(spec, policy) if spec else "",
        "command": policy.keep_value(describe_command(spec.handler), (spec,)) if spec else None,
        "fingerprint": definition_hash(spec) if spec else "",
    }


def handler_kind(spec: HookSpec | None) -> str:
    """Return the kind of a hook's handler in one word: `command`, `http`, `builtin`, `inprocess`, `broken` ..."""
    return type(spec.handler).__name__.lower() if spec else ""


def definition_hash(spec: HookSpec) -> str:
    """Return a hash of a hook's declaration. It changes with anything that the hook does.

    It ignores the content of files.
    """
    handler = spec.handler
    definition = [
        *(spec.dialect, spec.native_event, handler_kind(spec)),
        {name: _to_stable(getattr(handler, name)) for name in type(handler).__fields__},
        [repr(each) for each in spec.conditions],
        *(spec.rank, spec.timeout, spec.detached, spec.shadow, spec.on_failure.name, spec.strict),
    ]
    return sha256(to_canonical_json(definition).encode("ascii"))


def _to_stable(value: Any) -> Any:
    """Return a handler's field in a form that is the same in every process."""
    if callable(value):
        name = getattr(value, "__qualname__", type(value).__name__)
        return f"{getattr(value, '__module__', '')}.{name}"
    return value if isinstance(value, dict) else repr(value)


def _name_hook(spec: HookSpec, policy: PayloadPolicy) -> str:
    """Return a hook's name.

    A hook without a name is named after its command. With the policy `hash`, the journal may not
    keep that, so only the names of scripts in the command are used.
    """
    name, handler = spec.name, spec.handler
    if policy.how != "hash":
        return policy.keep_text(name[: 5 * _LONGEST_NAME], (spec,))
    if isinstance(handler, InProcess):
        return handler.name[:_LONGEST_NAME]
    argv = " ".join(getattr(handler, "argv", ()))
    command = " ".join((describe_command(handler), argv, getattr(handler, "prompt", "")))
    # A broken hook has no command to compare with its name.
    if re.fullmatch(_PLAIN, name) and name not in command and not isinstance(handler, Broken):
        return name[:_LONGEST_NAME]
    return " ".join(dict.fromkeys(re.findall(_SCRIPT, command)))[:_LONGEST_NAME]


# -- values ----------------------------------------------------------------------------------------


class PayloadPolicy(Frozen):
    """How much to keep of values: `hash`, `masked` or `full`.

    `environ`: what hooks inherit; the values of variables with secret names are masked in every
    text.
    """

    how: str = "hash"
    environ: Mapping[str, str] = NO_ENV

    def keep_value(self, value: Any, hooks: Iterable[HookSpec] = ()) -> dict[str, Any]:
        """Return the SHA-256 and the length of a value's JSON (sorted keys, no blanks, ASCII).

        With the value, if the policy keeps it.

        `hooks`: the hooks whose output it is; secrets in their declarations are masked too.
        """
        text = to_canonical_json(value)
        kept: dict[str, Any] = {"sha256": sha256(text.encode("ascii")), "bytes": len(text)}
        if self.how == "hash":
            return kept
        if len(text) > _LARGEST_VALUE:
            return kept | {"cut": True}
        try:
            value = json.loads(text)
            if self.how == "masked":
                value = self._mask(value, hooks)
        except RecursionError:
            return kept | {"cut": True}
        return kept | {"value": value}

    def keep_text(self, text: str, hooks: Iterable[HookSpec] = ()) -> str:
        """Return a hook's text for a person: always kept, with secrets masked, and cut to a maximum length.

        `hooks`: the hooks that it may name. With `hash`, their ids replace their names, because a
            name may show what a hook runs.
        """
        if not text:
            return ""
        more = len(text) - _LONGEST_REASON
        if self.how == "hash":
            for spec in hooks:
                if spec.name:
                    text = text.replace(f"`{spec.name}`", f"`{spec.id}`")
        if self.how != "full":
            # Mask known secrets before cutting the text, because a half secret would not be
            # recognised.
            text = self._mask(text[: 4 * _LONGEST_REASON], hooks)
        return f"{text[:_LONGEST_REASON]} [{more} more]" if more > 0 else text

    def _mask(self, value: Any, hooks: Iterable[HookSpec]) -> Any:
        from hookline.text.masking import find_secret_values, mask_secrets, mask_value  # noqa: PLC0415 - its expressions cost 1 ms, and most hooks say nothing

        if isinstance(value, str):
            known = find_secret_values(self.environ)
            for spec in hooks:
                if isinstance(spec.handler, Command | Builtin):
                    known |= find_secret_values(spec.handler.env or {})
            value = mask_secrets(value, known)
        return mask_value(value)


def to_canonical_json(value: Any) -> str:
    """Return a value as JSON with sorted keys and without blanks.

    Values beyond JSON are described.
    """
    try:
        return _canonical(value)
    except (TypeError, ValueError, RecursionError):
        return _canonical(to_plain(value))


def to_plain(value: Any, depth: int = 0) -> Any:
    """Return the closest value that JSON can express: keys become texts, other objects the name of their type."""
    if depth > _DEEPEST:
        return "nested too deeply"
    match value:
        case None | bool() | int() | str():
            return value
        case float():
            return value if value - value == 0 else str(value)
        case dict():
            return {str(key): to_plain(part, depth + 1) for key, part in value.items()}
        case list() | tuple():
            return [to_plain(part, depth + 1) for part in value]
        case set() | frozenset():
            return sorted((to_plain(part, depth + 1) for part in value), key=repr)
        case _:
            return f"a {type(value).__name__}"
