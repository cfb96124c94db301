"""Records: what the journal keeps of an event, of each hook that ran for it, and of a note.

Of values it keeps the hash, or on request the value itself, masked or in full.
"""

from __future__ import annotations

from hookline.journal.payload_policy import to_canonical_json, to_plain
from hookline.model.event import ToolCall
from hookline.model.handler import Broken, Command, InProcess, describe_command
from hookline.model.outcome import Failure
from hookline.text.digest import sha256

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence
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
_LONGEST_TEXT = 400  # characters of a host's session id, tool name, call id, and of any other name
_LONGEST_PATH = 4096  # characters; no system accepts a longer one
_LONGEST_NOTE = 16 << 10  # bytes of a part of a note that is not text
_SHORT = 16  # characters of a digest; a whole one would look like a secret

_LONGEST_NAME = 80  # characters of a plausible name of a hook or file
_MOST_FILES = 3
_MOST_DIGITS = 3  # a text with more digits counts as generated
_SCRIPTS = (
    ".py",
    ".sh",
    ".bash",
    ".zsh",
    ".fish",
    ".js",
    ".mjs",
    ".cjs",
    ".ts",
    ".rb",
    ".pl",
    ".php",
    ".lua",
    ".ps1",
)
_AROUND = "\"'`;|&()<>"


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
    hook: Mapping[str, Any],
    phase: str = "done",
    printed: Outcome | None = None,
) -> dict[str, Any]:
    """Return the record of one hook's run. `phase`: `started` for a detached hook, whose end has a record of its own.

    `hook`: the result of `describe_hook`. `printed`: the program's output, if no other record will
    hold it.
    """
    hooks = (spec,) if spec is not None else ()
    record = {
        "type": RUN,
        "id": run_id,
        "event": event_id,
        "at": at,
        "hook": verdict.hook_id[:_LONGEST_PATH],
        "phase": phase,
        **hook,
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
    """Return the record of a note: something besides events that you should find, by its name as if it were an event."""
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


# -- the hook ----------------------------------------------------------------------------------------------------------


def describe_hook(spec: HookSpec | None, policy: PayloadPolicy) -> dict[str, Any]:
    """Return the part of a run's record that describes the hook, not the run; empty values for an unknown hook.

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
    """Return a hash of a hook's declaration. It changes with anything that the hook does. It ignores the content of files."""
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
    keep that, so only the names of files in the command are used.
    """
    name, handler = spec.name, spec.handler
    if policy.how != "hash":
        return policy.keep_text(name[: 5 * _LONGEST_NAME], (spec,))
    if type(handler) is InProcess:
        return handler.name[:_LONGEST_NAME]
    files = (
        list(dict.fromkeys(_find_files(handler)))[:_MOST_FILES] if type(handler) is Command else []
    )
    commands = (
        describe_command(handler),
        " ".join(getattr(handler, "argv", ())),
        getattr(handler, "prompt", ""),
    )
    is_command = any(text.strip().startswith(name.removesuffix("…")) for text in commands)
    # A broken hook has no command to compare with its name.
    is_own = _is_plain(name, " ") and not is_command and type(handler) is not Broken
    return " ".join([name, *files] if is_own else files)


def _find_files(handler: Command) -> Iterator[str]:
    """Yield the names of the program and scripts in a command, in order, without its arguments."""
    lines = handler.script.strip().splitlines() or [""]
    program = True
    for word in handler.argv or lines[0].split():
        if program and "=" in word:  # a variable for the program that follows
            continue
        name = word.strip(_AROUND).replace('"', "").replace("'", "").rpartition("/")[2]
        if "://" not in word and _is_plain(name) and (program or name.endswith(_SCRIPTS)):
            yield name
        program = False


def _is_plain(name: str, besides: str = "") -> bool:
    """Return whether a text looks like a name that a person chose."""
    letters = name.translate(dict.fromkeys(map(ord, f"-_.{besides}")))
    digits = sum(char.isdigit() for char in name)
    return letters.isalnum() and len(name) <= _LONGEST_NAME and digits <= _MOST_DIGITS
