"""What the journal keeps of an event, of each hook that ran, and of a note, with secrets masked.

Of values it keeps the hash, or on request the value itself, masked or in full.
"""

from __future__ import annotations

import json
import re
import time

from hookline.model.event import Event, ToolCall
from hookline.model.frozen import Frozen
from hookline.model.spec import NO_ENV, Broken, HookSpec, InProcess, describe_command
from hookline.text.digest import sha256

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Any

    from hookline.model.verdict import Decision, Outcome, Verdict

EVENT, RUN, NOTE = "event", "run", "note"
# The kinds of notes, by the words that find them.
NOTES = ("approval", "unanswered")
_LONGEST_TEXT = 2000  # characters
_LARGEST_VALUE = 256 << 10  # bytes of JSON; of a larger value, only the hash is kept
_SHORT = 16  # characters of a digest; a whole one would look like a secret
# The name of a script in a command. More digits would be a generated text.
_SCRIPT = re.compile(
    r"(?<![\w-])[A-Za-z][A-Za-z_-]*\d{0,3}\.(?:[cm]?js|ts|py|ps1|rb|pl|php|lua|(?:ba|z|fi)?sh)\b"
)
_PLAIN = re.compile(r"[\w .-]+")  # a name that is no command with an address or a secret in it


def event_record(
    event: Event, decision: Decision, *, event_id: str, at: str, policy: PayloadPolicy
) -> dict[str, Any]:
    """Return the record of an event and its decision. `at` is a time in ISO 8601."""
    body = event.body
    # An event made by hand has no raw payload.
    payload = event.raw or body.as_dict()
    return {
        "type": EVENT,
        "id": event_id,
        "at": at,
        "kind": _cut(decision.kind),
        "dialect": _cut(decision.dialect),
        "native_event": _cut(decision.native_event),
        "session": _cut(event.session_id),
        "cwd": _cut(event.cwd),
        "tool": _cut(event.tool),
        "call": _cut(body.call_id) if isinstance(body, ToolCall) else "",
        "payload": policy.keep_value(payload),
        "stance": decision.stance.word,
        "reason": policy.keep_text(decision.reason),
        "redo": decision.redo,
        "retry_after": decision.retry_after,
        **_changes(decision, policy),
        "for_agent": [policy.keep_value(text) for text in decision.for_agent],
        "for_user": [policy.keep_text(text) for text in decision.for_user],
        "lowered": [
            {name: policy.keep_text(text) for name, text in entry.as_dict().items()}
            for entry in decision.lowered
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
    printed: Outcome | None = None,
) -> dict[str, Any]:
    """Return the record of one hook's run; `spec` is None for a hook that is unknown.

    `printed`: the output of a detached hook that has finished; its start has a record of its own.
    """
    record = {
        "type": RUN,
        "id": run_id,
        "event": event_id,
        "at": at,
        "hook": _cut(verdict.hook_id),
        "phase": _phase(verdict, spec) if printed is None else "finished",
        "source": _cut(spec.origin.place) if spec else "",
        "scope": spec.origin.scope if spec else "",
        "dialect": spec.dialect if spec else "",
        "handler": handler_kind(spec),
        "name": name_hook(spec, policy) if spec else "",
        "command": policy.keep_value(describe_command(spec.handler)) if spec else None,
        "identity": shorten_digest(verdict.identity),
        "content": verdict.content,
        "stance": verdict.stance.word,
        "reason": policy.keep_text(verdict.reason),
        **_changes(verdict, policy),
        "for_agent": policy.keep_value(verdict.for_agent) if verdict.for_agent else None,
        "for_user": policy.keep_text(verdict.for_user),
        "unsupported": [policy.keep_text(entry) for entry in verdict.unsupported],
        "fault": None if verdict.fault is None else policy.keep_text(verdict.fault),
        "exit_code": verdict.exit_code,
        "seconds": verdict.seconds,
        "shadow": verdict.shadow,
    }
    if printed is not None:
        for name, text in (("stdout", printed.stdout), ("stderr", printed.stderr)):
            record[name] = policy.keep_value(text) if text else None
        record["truncated"] = printed.truncated
    return record


def note_record(
    what: str, fields: Mapping[str, Any], *, note_id: str, at: str, policy: PayloadPolicy
) -> dict[str, Any]:
    """Return the record of a note: something besides events that you should find.

    `what`: its name, by which a search finds it like an event. `fields`: JSON values.
    """
    own = {"type": NOTE, "id": note_id, "at": at, "native_event": _cut(what)}
    kept = {
        name: policy.keep_text(value) if isinstance(value, str) else value
        for name, value in fields.items()
    }
    return own | kept | own


def format_time(seconds: float) -> str:
    """Return seconds since 1970 in ISO 8601, in UTC with milliseconds."""
    moment = time.strftime("%Y-%m-%dT%H:%M:%S", time.gmtime(seconds))
    return f"{moment}.{int(seconds % 1 * 1000):03d}Z"


def shorten_digest(digest: str) -> str:
    """Return the start of a digest, by which notes and runs name the same approval."""
    return digest[:_SHORT]


def handler_kind(spec: HookSpec | None) -> str:
    """Return the kind of a hook's handler in one word: `command`, `http`, `inprocess` ..."""
    return type(spec.handler).__name__.lower() if spec else ""


def name_hook(spec: HookSpec, policy: PayloadPolicy) -> str:
    """Return a hook's name; if it is made of a command that is not kept, the scripts in that."""
    name, handler = spec.name, spec.handler
    if policy.how != "hash":
        return policy.keep_text(name)
    if isinstance(handler, InProcess):
        return handler.name
    argv = " ".join(getattr(handler, "argv", ()))
    command = " ".join((describe_command(handler), argv, getattr(handler, "prompt", "")))
    # A broken hook has no command to compare with its name.
    if name not in command and _PLAIN.fullmatch(name) and not isinstance(handler, Broken):
        return name
    return " ".join(dict.fromkeys(_SCRIPT.findall(command)))


def _phase(verdict: Verdict, spec: HookSpec | None) -> str:
    """Return `late` for the answer of a detached hook from an earlier event.

    `started` for a detached hook that started now, else `done`.
    """
    if verdict.late:
        return "late"
    return "started" if spec is not None and spec.detached and verdict.fault is None else "done"


def _changes(of: Decision | Verdict, policy: PayloadPolicy) -> dict[str, Any]:
    """Return what a hook or a decision changes and proves, by the payload policy."""
    rewrite, found = of.rewrite, None
    if rewrite is not None:
        patch = rewrite.patch if rewrite.patch is not None else rewrite.value
        keys = sorted(map(_cut, patch)) if isinstance(patch, dict) else []
        found = {"target": rewrite.target, "keys": keys, **policy.keep_value(rewrite.value)}
    return {
        "rewrite": found,
        "effects": {name: policy.keep_value(value) for name, value in of.effects.items()},
        "evidence": None if of.evidence is None else policy.keep_value(of.evidence),
    }


def _cut(given: Any) -> str:
    return given[:_LONGEST_TEXT] if isinstance(given, str) else ""


class PayloadPolicy(Frozen):
    """How much to keep of values: `hash`, `masked` or `full`.

    `environ`: what hooks inherit; the values of variables with secret names are masked in every
    text.
    """

    how: str = "hash"
    environ: Mapping[str, str] = NO_ENV

    def keep_value(self, value: Any) -> dict[str, Any]:
        """Return the SHA-256 and the length of a value's JSON (sorted keys, no blanks, ASCII).

        With the value, if the policy keeps it.
        """
        text = to_canonical_json(value)
        kept: dict[str, Any] = {"sha256": sha256(text.encode("ascii")), "bytes": len(text)}
        if self.how == "hash":
            return kept
        if len(text) > _LARGEST_VALUE:
            return kept | {"cut": True}
        value = json.loads(text)
        return kept | {"value": self._mask(value) if self.how == "masked" else value}

    def keep_text(self, text: str) -> str:
        """Return a text for a person: always kept, with secrets masked, and cut to a maximum."""
        if not text:
            return ""
        more = len(text) - _LONGEST_TEXT
        if self.how != "full":
            # Mask secrets before cutting the text, because a half secret would not be recognised.
            text = self._mask(text[: 4 * _LONGEST_TEXT])
        return f"{text[:_LONGEST_TEXT]} [{more} more]" if more > 0 else text

    def _mask(self, value: Any) -> Any:
        # Its expressions cost 1 ms, and most hooks say nothing.
        from hookline.text.masking import (  # noqa: PLC0415
            find_secret_values,
            mask_secrets,
            mask_value,
        )

        if isinstance(value, str):
            value = mask_secrets(value, find_secret_values(self.environ))
        return mask_value(value)


def _describe_type(value: object) -> str:
    return f"a {type(value).__name__}"


_encode = json.JSONEncoder(
    sort_keys=True, separators=(",", ":"), allow_nan=False, default=_describe_type
).encode


def to_canonical_json(value: Any) -> str:
    """Return a value as JSON with sorted keys and without blanks.

    An object in it that is no JSON is the name of its type, and so is a value with a number, a key
    or a depth that JSON cannot express.
    """
    try:
        return _encode(value)
    except (TypeError, ValueError, RecursionError):
        return _encode(_describe_type(value))
