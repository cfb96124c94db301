"""Formats records of the journal as text; times are in the zone of this machine.

Another version of hookline may have written a record, so every field may be missing.
"""

from __future__ import annotations

import json
import os
import shutil
import sys
from datetime import datetime

from hookline.cli.pages import count_things, format_duration, format_fields
from hookline.engine.display import reason_fields
from hookline.errors import CODES

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping
    from typing import Any

    from hookline.cli.pages import Paint

_SHORT = 8  # characters of an id; `show` takes as many
_PHASES: Mapping[str, str] = {
    "started": ", started and not waited for",
    "finished": ", after the answer",
    "late": ", started by an earlier event",
}
# Fields that a page shows in its first lines, or not at all: of notes, and of decisions and runs.
_OF_NOTES = frozenset(("schema", "seq", "prev", "hash", "type", "id", "at", "native_event"))
_HIDDEN = _OF_NOTES.union(
    ("event", "kind", "dialect", "stance", "seconds", "exit_code", "runs", "faults", "hook"),
    ("phase", "shadow", "source", "scope", "handler", "command"),
)
# What a page calls a field; the others are called by their names.
_LABELS: Mapping[str, str] = {
    "cwd": "folder",
    "retry_after": "retry after seconds",
    "for_agent": "for the agent",
    "for_user": "for the user",
    "unsupported": "not honoured",
    "truncated": "cut",
    "rewrite": "rewrites",
}


# -- lines -------------------------------------------------------------------------------------


def render_event(record: Mapping[str, Any], paint: Paint) -> Iterator[str]:
    """Yield one event as a line: time, id, stance, event and reason.

    Or a note: who did what to which hook.
    """
    about, stance, text = record.get("native_event", ""), record.get("stance", ""), ""
    if record.get("type") != "note":
        tool, faults = record.get("tool", ""), record.get("faults", 0)
        about += f"{' ' * bool(tool)}{tool} ({record.get('dialect', '')})"
        about += f"  {count_things(faults, 'fault')}" if faults else ""
        text = record.get("reason", "").partition("\n")[0]
    elif about == "approval" and record.get("did"):
        stance, about, text = "note", "", _describe_approval_note(record)
    else:
        stance = "note"
        text = ", ".join(f"{label}: {shown}" for label, shown in _list_fields(record))
    when, name = to_local_time(record.get("at", "")), record.get("id", "")[:_SHORT]
    about = f"{about}  " if about else ""
    text = _fit_line(text, f"{when}  {name}  {stance:6}  {about}")
    yield f"{when}  {paint('dim', name)}  {paint.stance(stance, 6)}  {about}{text}".rstrip()


def _fit_line(text: str, before: str) -> str:
    """Cut a text to the width of the terminal after `before`; empty if there is almost no room."""
    if not sys.stdout.isatty() and "COLUMNS" not in os.environ:
        return text  # a program reads it
    room = shutil.get_terminal_size((120, 24)).columns - len(before)
    return text if len(text) <= room else "" if room <= len("...") else f"{text[: room - 3]}..."


def _describe_approval_note(record: Mapping[str, Any]) -> str:
    """Return in one sentence who did what to which hook."""
    did, hook, root = record["did"], record.get("hook", ""), record.get("root", "")
    what = hook or ("hooks" if did in ("on", "off") else "")
    where = f" in {root}" if root and not hook else ""
    command = record.get("command", "").partition("\n")[0]
    return f"{did} {what}{where}{_describe_person(record)}{': ' if command else ''}{command}"


def _describe_person(note: Mapping[str, Any]) -> str:
    """Return who did it, and by which way."""
    who, how = note.get("who"), note.get("how")
    return f"{f' by {who}' if who else ''}{f' ({how})' if how else ''}"


# -- pages -------------------------------------------------------------------------------------


def render_entry(entry: Mapping[str, Any], paint: Paint) -> Iterator[str]:
    """Yield one record in full, and the runs of its hooks."""
    record = entry["event"]
    event, at = record.get("native_event", ""), to_local_time(record.get("at", ""))
    if record.get("type") == "note":
        yield f"{paint('strong', event)}  {at}"
        yield from format_fields(_list_fields(record))
        return
    took = format_duration(record.get("seconds", 0))
    where = f"{event} ({record.get('kind', '')}, {record.get('dialect', '')})"
    yield f"{paint.stance(record.get('stance', ''))}  {where} in {took}"
    number = f"{record.get('seq', 0)}, {record.get('hash', '')}"
    fields = (("id", record["id"]), ("at", at), ("record", number), *_list_fields(record))
    yield from format_fields(fields)
    known = entry.get("provenance") or [{} for _ in entry["runs"]]
    for run, found in zip(entry["runs"], known, strict=True):
        yield ""
        yield from _render_run(run, found, paint)
    if not entry["runs"]:
        yield ""
        yield "no hook was asked"


def _render_run(run: Mapping[str, Any], found: Mapping[str, Any], paint: Paint) -> Iterator[str]:
    shadow = " (shadow)" if run.get("shadow") else ""
    code, phase = run.get("exit_code"), run.get("phase", "")
    took = "" if phase == "started" else f" after {format_duration(run.get('seconds', 0))}"
    end = f"{took}{'' if code is None else f', exit {code}'}{_PHASES.get(phase, '')}"
    hook, stance = paint("name", run.get("hook", "")), paint.stance(run.get("stance", ""))
    yield f"{hook}{shadow}  {stance}{end}"
    marks = filter(None, (run.get(name) for name in ("scope", "dialect", "handler")))
    approval = _describe_approval(run, found.get("note")) if run.get("identity") else ""
    yield from format_fields(
        (
            ("runs", _describe_command(run, found)),
            ("from", f"{run.get('source') or 'no file'} ({', '.join(marks)})"),
            ("approval", approval),
            *_list_fields(run),
        )
    )


def _describe_command(run: Mapping[str, Any], found: Mapping[str, Any]) -> str:
    """Return what a hook ran; if that is unknown, its length and its hash."""
    if found.get("ran"):
        return str(found["ran"]).strip()
    kept = _format_value(run.get("command"))
    return f"{kept}: nothing that is declared there now" if kept else ""


def _describe_approval(run: Mapping[str, Any], note: Mapping[str, Any] | None) -> str:
    """Return who approved a hook, by the newest note before the run, and if for other files."""
    if note is None:
        return "this journal has no approval before this run"
    content = run.get("content", "")
    other = "" if content.startswith(note.get("content", "")) else ", for other files"
    did = f"{note.get('did', '')}{_describe_person(note)}"
    return f"{did} on {to_local_time(note.get('at', ''))}{other if content else ''}"


def render_verification(found: Mapping[str, Any], paint: Paint) -> Iterator[str]:
    """Yield the result of a verification, and its notes."""
    for each in found["findings"]:
        place = f"{each['file']}:{each['line']}" if each["line"] else each["file"]
        yield f"{place}: {CODES['journal.broken']} {paint('bad', each['kind'])}: {each['message']}"
    records = count_things(found["records"], "record")
    if found["findings"]:
        yield f"{records} beside that are as they were written"
    elif found["records"]:
        yield f"{paint('good', 'whole')}: {records}, {found['first']} to {found['last']}"
    else:
        yield "nothing to verify: there is no record"
    yield from (f"note: {note}" for note in found["notes"])
    if found["ok"]:
        yield f"head: {found['head']}"
        yield (
            "keep the head elsewhere: with `--head` it shows whether the newest records were"
            " cut off, or all were written anew"
        )


def render_pruned(pruned: Mapping[str, Any], _paint: Paint) -> Iterator[str]:
    """Yield the names of the files that were removed, or would be."""
    done = "would be removed" if pruned["dry_run"] else "removed"
    yield from (f"{done}: {name}" for name in pruned["removed"])
    if not pruned["removed"]:
        yield "nothing is too old or too much"


# -- fields ------------------------------------------------------------------------------------


def to_local_time(at: str) -> str:
    """Return a record's time in the zone of this machine; unchanged if it is no time."""
    try:
        return datetime.fromisoformat(at).astimezone().strftime("%Y-%m-%d %H:%M:%S")
    except (ValueError, OverflowError):
        return at


def _list_fields(record: Mapping[str, Any]) -> Iterator[tuple[str, str]]:
    """Yield label and text of each field that the first lines lack; items of lists one by one."""
    hidden = _OF_NOTES if record.get("type") == "note" else _HIDDEN
    for name, value in record.items():
        if name == "reason":
            yield from reason_fields(value, mask=str)  # unless all was asked for, it is masked
        elif name not in hidden:
            for each in value if isinstance(value, list) else (value,):
                yield _LABELS.get(name, name), _FORMATS.get(name, _format_value)(each)


def _format_value(value: Any) -> str:
    """Return a value as text; of one that is kept in part, its length and its hash."""
    if value in (None, "", {}):
        return ""
    if isinstance(value, dict) and "sha256" in value:
        kept = f"{count_things(value.get('bytes', 0), 'byte')}, sha256 {value['sha256']}"
        return f"{_format_value(value['value'])} ({kept})" if "value" in value else kept
    return value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)


_FORMATS: Mapping[str, Callable[[Any], str]] = {
    "redo": lambda value: "the agent goes on working" if value else "",
    "cut": lambda value: "most of it was too long for a record" if value else "",
    "truncated": lambda value: "it printed more than is read" if value else "",
    "lowered": lambda each: f"{each['effect']} of {each['hook'] or 'all'}: {each['reason']}",
}
