"""Formats records of the journal as text; times are in the zone of this machine.

Any program and any version may have written a record, so every field may be missing or of another
type.
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

_GREAT = 1 << 53  # numbers of records are smaller, and floats are exact below it
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


def format_event(record: Mapping[str, Any], paint: Paint) -> str:
    """Return one event as a line: time, id, stance, event and reason.

    Or a note: who did what to which hook.
    """
    stance, about, text = "note", "", ""
    if record.get("type") != "note":
        stance, tool = _read_text(record, "stance"), _read_text(record, "tool")
        faults = int(_read_number(record, "faults"))
        about = f"{_read_text(record, 'native_event')}{' ' * bool(tool)}{tool} ({_read_text(record, 'dialect')})"
        about += f"  {count_things(faults, 'fault')}" if faults else ""
        text = _read_text(record, "reason").partition("\n")[0]
    elif record.get("native_event") == "approval" and record.get("did"):
        text = _describe_approval_note(record)
    else:
        about = _read_text(record, "native_event")
        text = ", ".join(f"{label}: {shown}" for label, shown in _list_fields(record))
    when, name = to_local_time(_read_text(record, "at")), _read_text(record, "id")[:_SHORT]
    about = f"{about}  " if about else ""
    text = _fit_line(text, f"{when}  {name}  {stance:6}  {about}")
    return f"{when}  {paint('dim', name)}  {paint.stance(stance, 6)}  {about}{text}".rstrip()


def _fit_line(text: str, before: str) -> str:
    """Cut a text to the width of the terminal after `before`; empty if there is almost no room."""
    if not sys.stdout.isatty() and "COLUMNS" not in os.environ:
        return text  # a program reads it
    room = shutil.get_terminal_size((120, 24)).columns - len(before)
    return text if len(text) <= room else "" if room <= len("...") else f"{text[: room - 3]}..."


def _describe_approval_note(record: Mapping[str, Any]) -> str:
    """Return in one sentence who did what to which hook."""
    did, hook, root = (_read_text(record, name) for name in ("did", "hook", "root"))
    what = hook or ("hooks" if did in ("on", "off") else "")
    if did == "lost":  # notes that could not be written for too long
        what = count_things(int(_read_number(record, "count")), "older note")
    where = f" in {root}" if root and not hook else ""
    command = _read_text(record, "command").partition("\n")[0]
    return f"{did} {what}{where}{_describe_person(record)}{': ' if command else ''}{command}"


def _describe_person(note: Mapping[str, Any]) -> str:
    """Return who did it, and by which way."""
    who, how = _read_text(note, "who"), _read_text(note, "how")
    return f"{f' by {who}' if who else ''}{f' ({how})' if how else ''}"


# -- pages -------------------------------------------------------------------------------------


def render_entry(entry: Mapping[str, Any], paint: Paint) -> Iterator[str]:
    """Yield one record in full, and the runs of its hooks."""
    record = entry["event"]
    if record.get("type") == "note":
        at = to_local_time(_read_text(record, "at"))
        yield f"{paint('strong', _read_text(record, 'native_event'))}  {at}"
        yield from format_fields(_list_fields(record))
        return
    where = f"{_read_text(record, 'native_event')} ({_read_text(record, 'kind')}, {_read_text(record, 'dialect')})"
    took = format_duration(_read_number(record, "seconds"))
    yield f"{paint.stance(_read_text(record, 'stance'))}  {where} in {took}"
    yield from format_fields(
        (
            ("id", _read_text(record, "id")),
            ("at", to_local_time(_read_text(record, "at"))),
            ("record", f"{record.get('seq', 0)}, {_read_text(record, 'hash')}"),
            *_list_fields(record),
        )
    )
    known = entry.get("provenance") or [{} for _ in entry["runs"]]
    for run, found in zip(entry["runs"], known, strict=True):
        yield ""
        yield from _render_run(run, found, paint)
    if not entry["runs"]:
        yield ""
        yield "no hook was asked"


def _render_run(run: Mapping[str, Any], found: Mapping[str, Any], paint: Paint) -> Iterator[str]:
    shadow = " (shadow)" if run.get("shadow") is True else ""
    code, phase = run.get("exit_code"), _read_text(run, "phase")
    took = "" if phase == "started" else f" after {format_duration(_read_number(run, 'seconds'))}"
    exit_code = f", exit {code}" if type(code) is int else ""
    stance = paint.stance(_read_text(run, "stance"))
    yield f"{paint('name', _read_text(run, 'hook'))}{shadow}  {stance}{took}{exit_code}{_PHASES.get(phase, '')}"
    marks = ", ".join(
        filter(None, (_read_text(run, name) for name in ("scope", "dialect", "handler")))
    )
    yield from format_fields(
        (
            ("runs", _describe_command(run, found)),
            ("from", f"{_read_text(run, 'source') or 'no file'} ({marks})"),
            ("approval", _describe_approval(run, found.get("note")) if run.get("identity") else ""),
            *_list_fields(run),
        )
    )


def _describe_command(run: Mapping[str, Any], found: Mapping[str, Any]) -> str:
    """Return what a hook ran; if that is unknown, its length and its hash."""
    if found.get("ran"):
        now = " (as it is declared now)" if found.get("found") == "now" else ""
        return f"{found['ran'].strip()}{now}"
    kept = _format_value(run.get("command"))
    return f"{kept}: nothing that is declared there now" if kept else ""


def _describe_approval(run: Mapping[str, Any], note: Any) -> str:
    """Return who approved a hook, by the newest note before the run, and whether for other files."""
    if not isinstance(note, dict):
        return "this journal has no approval before this run"
    approved, content = _read_text(note, "content"), _read_text(run, "content")
    other = ", for other files" if content and not content.startswith(approved) else ""
    at = to_local_time(_read_text(note, "at"))
    return f"{_read_text(note, 'did')}{_describe_person(note)} on {at}{other}"


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
        yield "keep the head elsewhere: with `--head` it shows whether the newest records were cut off, or all were written anew"


# -- fields ------------------------------------------------------------------------------------


def to_local_time(at: str) -> str:
    """Return a record's time in the zone of this machine; unchanged if it is no time."""
    try:
        return datetime.fromisoformat(at).astimezone().strftime("%Y-%m-%d %H:%M:%S")
    except (ValueError, OverflowError):
        return at


def _read_text(record: Mapping[str, Any], name: str) -> str:
    value = record.get(name)
    return value if isinstance(value, str) else ""


def _read_number(record: Mapping[str, Any], name: str) -> float:
    value = record.get(name)
    return value if isinstance(value, int | float) and abs(value) < _GREAT else 0


def _list_fields(record: Mapping[str, Any]) -> Iterator[tuple[str, str]]:
    """Yield the label and the text of each field that the first lines do not show, each item of a list by itself."""
    hidden = _OF_NOTES if record.get("type") == "note" else _HIDDEN
    for name, value in record.items():
        if name == "reason" and isinstance(value, str):
            yield from reason_fields(value, mask=str)  # unless all was asked for, it is masked
        elif name not in hidden:
            for each in value if isinstance(value, list) else (value,):
                yield _LABELS.get(name, name), _FORMATS.get(name, _format_value)(each)


def _format_value(value: Any) -> str:
    """Return a value as text; of one that is kept in part, its length and its hash."""
    if value in (None, "", {}):
        return ""
    if isinstance(value, dict) and "sha256" in value:
        size = count_things(int(_read_number(value, "bytes")), "byte")
        kept = f"{size}, sha256 {value['sha256']}"
        return f"{_format_value(value['value'])} ({kept})" if "value" in value else kept
    return value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)


def _format_lowered(value: Any) -> str:
    if not isinstance(value, dict):
        return ""
    return f"{value.get('effect', '')} of {value.get('hook') or 'all'}: {value.get('reason', '')}"


_FORMATS: Mapping[str, Callable[[Any], str]] = {
    "redo": lambda value: "the agent goes on working" if value is True else "",
    "truncated": lambda value: "it printed more than is read" if value is True else "",
    "content": lambda value: _format_value(value).partition(" ")[0],
    "lowered": _format_lowered,
}
