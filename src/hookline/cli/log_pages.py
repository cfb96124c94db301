"""Formats records of the journal as text; times are in the zone of this machine.

Any program and any version may have written a record: a field that is missing or of another type counts as empty.
"""

from __future__ import annotations

import json
import os
import shutil
import sys
from datetime import datetime

from hookline.cli import phrases
from hookline.engine.reason_display import reason_fields
from hookline.errors import CODES

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping
    from typing import Any

    from hookline.cli.color import Paint

_NOTE = "note"
_GREAT = 1 << 53  # numbers of records are smaller, and floats are exact below it
_SHORT = 8  # characters of an id; `show` takes as many
_PHASES: Mapping[str, str] = {
    "started": ", started and not waited for",
    "finished": ", which nobody waited for",
    "late": ", started by an earlier event",
}


_FIELDS: Mapping[str, Any] = {
    **dict.fromkeys(
        (
            "type",
            "id",
            "at",
            "kind",
            "dialect",
            "native_event",
            "session",
            "cwd",
            "tool",
            "call",
            "stance",
            "reason",
        ),
        "",
    ),
    **dict.fromkeys(
        (
            "hash",
            "hook",
            "phase",
            "source",
            "scope",
            "handler",
            "name",
            "fingerprint",
            "identity",
            "content",
        ),
        "",
    ),
    **dict.fromkeys(("did", "who", "how", "command", "file", "root", "message"), ""),
    **{name: {} for name in ("payload", "rewrite", "effects", "evidence")},
    **dict.fromkeys(("seq", "faults"), 0),
    "seconds": 0.0,
    "redo": False,
    "shadow": False,
}
_STANCES = frozenset({"silent", "allow", "ask", "deny", "halt"})


def format_event(record: dict[str, Any], paint: Paint) -> str:
    """Return one event as a line: time, id, stance, event and reason."""
    given, record = record, _fill_fields(record)
    when, name = to_local_time(record["at"]), paint("dim", record["id"][:_SHORT])
    if record["type"] == _NOTE:
        before = f"{when}  {record['id'][:_SHORT]}  {_NOTE:6}  "
        return f"{when}  {name}  {paint('warning', f'{_NOTE:6}')}  {_fit_line(_describe_note(given, record), before)}".rstrip()
    about = f"{record['native_event']}{' ' + record['tool'] if record['tool'] else ''} ({record['dialect']})"
    failed = (
        f"  {paint('bad', phrases.count_things(record['faults'], 'fault'))}"
        if record["faults"]
        else ""
    )
    line = f"{when}  {name}  {_format_stance(record['stance'], paint, 6)}  {about}{failed}"
    reason = _fit_line(
        record["reason"].partition("\n")[0],
        f"{when}  {record['id'][:_SHORT]}  {'':6}  {about}{failed}  ",
    )
    return f"{line}  {reason}" if reason else line


def _fit_line(text: str, before: str) -> str:
    """Cut a text to the width of the terminal after `before`; empty if there is almost no room."""
    if not sys.stdout.isatty() and "COLUMNS" not in os.environ:
        return text  # a program reads it
    room = shutil.get_terminal_size((120, 24)).columns - len(before)
    return text if len(text) <= room else "" if room <= len("...") else f"{text[: room - 3]}..."


def _describe_note(given: dict[str, Any], record: dict[str, Any]) -> str:
    """Describe a note in one sentence: who did what to which hook; else list its fields."""
    if record["native_event"] != "approval" or not record["did"]:
        return f"{record['native_event']}  {_describe_fields(given)}"
    what = record["hook"] or ("hooks" if record["did"] in ("on", "off") else "")
    if record["did"] == "lost":  # notes that could not be written for too long
        what = phrases.count_things(_check_type(given.get("count"), 0), "older note")
    command = record["command"].partition("\n")[0]
    where = f" in {record['root']}" if record["root"] and not record["hook"] else ""
    return (
        f"{record['did']} {what}{where}{_describe_person(record)}{': ' if command else ''}{command}"
    )


def _describe_person(record: dict[str, Any]) -> str:
    """Describe who did it, and by which way."""
    how = f" ({record['how']})" if record["how"] else ""
    return f" by {record['who']}{how}" if record["who"] else how


def render_entry(entry: dict[str, Any], paint: Paint) -> Iterator[str]:
    """Yield one decision in full, and the verdict of each hook."""
    record = _fill_fields(entry["event"])
    if record["type"] == _NOTE:
        yield f"{paint('strong', record['native_event'])}  {to_local_time(record['at'])}"
        yield from _format_fields(
            ((name, _to_text(value)) for name, value in _list_note_fields(entry["event"])), "  "
        )
        return
    where = f"{record['native_event']} ({record['kind']}, {record['dialect']})"
    yield f"{_format_stance(record['stance'], paint)}  {where} in {phrases.format_duration(record['seconds'])}"
    yield from _format_fields(_list_event_fields(record), "  ")
    known: list[dict[str, Any]] = entry.get("provenance") or [{} for _ in entry["runs"]]
    for run, told in zip(entry["runs"], known, strict=True):
        yield ""
        yield from _render_run(_fill_fields(run), told, paint)
    if not entry["runs"]:
        yield ""
        yield "no hook was asked"


def render_verification(found: dict[str, Any], paint: Paint) -> Iterator[str]:
    """Yield the result of a verification, and its notes."""
    for each in found["findings"]:
        place = f"{each['file']}:{each['line']}" if each["line"] else each["file"]
        yield f"{place}: {CODES['journal.broken']} {paint('bad', each['kind'])}: {each['message']}"
    if found["findings"]:
        yield f"{phrases.count_things(found['records'], 'record')} beside that are as they were written"
    elif found["records"]:
        yield f"{paint('good', 'whole')}: {phrases.count_things(found['records'], 'record')}, {found['first']} to {found['last']}"
    else:
        yield "nothing to verify: there is no record"
    yield from (f"note: {note}" for note in found["notes"])
    if found["ok"]:
        yield f"head: {found['head']}"
        yield "keep the head elsewhere: with `--head` it shows whether the newest records were cut off, or all were written anew"


def render_pruned(found: dict[str, Any], _: Paint) -> Iterator[str]:
    """Yield the files of a journal that were removed."""
    done = "would be removed" if found["dry_run"] else "removed"
    yield from (f"{done}: {name}" for name in found["removed"])
    if not found["removed"]:
        yield "nothing is too old or too much"


def to_local_time(at: str) -> str:
    """Return a record's time in the zone of this machine; unchanged if it is no time."""
    try:
        return datetime.fromisoformat(at).astimezone().strftime("%Y-%m-%d %H:%M:%S")
    except (ValueError, OverflowError):
        return at


def _fill_fields(record: dict[str, Any]) -> dict[str, Any]:
    """Return a record in which every field of a page exists and has its type."""
    return record | {
        name: _check_type(record.get(name), default) for name, default in _FIELDS.items()
    }


def _check_type(value: Any, default: Any) -> Any:
    sorts = (int, float) if type(default) is float else (type(default),)
    return (
        value
        if type(value) in sorts and not (type(value) is int and abs(value) >= _GREAT)
        else default
    )


def _read_list(record: dict[str, Any], name: str, sort: type) -> list[Any]:
    value = record.get(name)
    return [each for each in value if isinstance(each, sort)] if isinstance(value, list) else []


def _format_stance(stance: str, paint: Paint, width: int = 0) -> str:
    return paint.stance(stance, width) if stance in _STANCES else f"{stance or '?':{width}}"


def _list_event_fields(record: dict[str, Any]) -> Iterator[tuple[str, str]]:
    yield "id", record["id"]
    yield "at", to_local_time(record["at"])
    yield "record", f"{record['seq']}, {record['hash']}"
    yield "session", record["session"]
    yield "folder", record["cwd"]
    yield "tool", record["tool"]
    yield "call", record["call"]
    yield "payload", _describe_content(record["payload"])
    yield "redo", "the agent goes on working" if record["redo"] else ""
    retry = _check_type(record.get("retry_after"), 0.0)
    yield "retry", f"after {retry:g} s" if retry else ""
    yield from _list_effects(record)
    yield from (
        ("for the agent", _describe_content(text)) for text in _read_list(record, "for_agent", dict)
    )
    yield from (("for the user", text) for text in _read_list(record, "for_user", str))
    for each in _read_list(record, "lowered", dict):
        yield (
            "lowered",
            f"{each.get('effect', '')} of {each.get('hook') or 'all'}: {each.get('reason', '')}",
        )
    yield "cut", "most of it was too long for a record" if record.get("cut") is True else ""


def _render_run(run: dict[str, Any], known: dict[str, Any], paint: Paint) -> Iterator[str]:
    shadow = " (shadow)" if run["shadow"] else ""
    code = run.get("exit_code")
    exit_code = f", exit {code}" if type(code) is int else ""
    took = "" if run["phase"] == "started" else f" after {phrases.format_duration(run['seconds'])}"
    yield f"{paint('name', run['hook'])}{shadow}  {_format_stance(run['stance'], paint)}{took}{exit_code}{_PHASES.get(run['phase'], '')}"
    yield from _format_fields(_list_run_fields(run, known), "  ")


def _list_run_fields(run: dict[str, Any], known: dict[str, Any]) -> Iterator[tuple[str, str]]:
    yield "name", run["name"] if run["name"] != run["hook"] else ""
    yield "runs", _describe_command(known, _check_type(run.get("command"), {}))
    yield (
        "from",
        f"{run['source'] or 'no file'} ({', '.join(filter(None, (run['scope'], run['dialect'], run['handler'])))})",
    )
    yield "fingerprint", run["fingerprint"]
    yield "identity", run["identity"]
    yield "content", run["content"].partition(" ")[0]
    yield "approval", _describe_approval(run, known.get("note")) if run["identity"] else ""
    yield "fault", _check_type(run.get("fault"), "")
    yield from _list_effects(run)
    yield "for the agent", _describe_content(run.get("for_agent"))
    yield "for the user", _check_type(run.get("for_user"), "")
    yield from (("not honoured", each) for each in _read_list(run, "unsupported", str))
    yield from ((stream, _describe_content(run.get(stream))) for stream in ("stdout", "stderr"))
    yield "cut", "it printed more than is read" if run.get("truncated") is True else ""


def _describe_command(known: dict[str, Any], kept: dict[str, Any]) -> str:
    """Describe what a hook ran; if that is unknown, its length and its hash."""
    if known.get("ran"):
        return f"{known['ran'].strip()}{' (as it is declared now)' if known.get('found') == 'now' else ''}"
    return f"{_describe_content(kept)}: nothing that is declared there now" if kept else ""


def _describe_approval(run: dict[str, Any], note: Any) -> str:
    """Describe who approved a hook, by the newest note before the run, and whether for other files."""
    if not isinstance(note, dict):
        return "none that stands in this journal before this"
    given = _fill_fields(note)
    other = given["content"] and run["content"] and not run["content"].startswith(given["content"])
    return f"{given['did']}{_describe_person(given | {'how': ''})} on {to_local_time(given['at'])}{_describe_person(given | {'who': ''})}{', for other files' if other else ''}"


def _list_effects(record: dict[str, Any]) -> Iterator[tuple[str, str]]:
    # The record is masked already, unless the user asked for whole values.
    yield from reason_fields(record["reason"], mask=str)
    rewrite = record["rewrite"]
    if rewrite:
        named = _read_list(rewrite, "keys", str)
        keys = f" ({', '.join(named)})" if named else ""
        yield "rewrites", f"{rewrite.get('target', '')}{keys}: {_describe_content(rewrite)}"
    yield from ((name, _describe_content(value)) for name, value in record["effects"].items())
    yield "evidence", _describe_content(record["evidence"])


def _describe_content(kept: Any) -> str:
    """Describe what is kept of a value: the value itself, or its length and its hash."""
    if not isinstance(kept, dict) or not kept:
        return ""
    told = f"{phrases.count_things(_check_type(kept.get('bytes'), 0), 'byte')}, sha256 {kept.get('sha256', '')}"
    if "value" not in kept:
        return told
    value = kept["value"]
    return f"{value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)} ({told})"


def _format_fields(lines: Iterator[tuple[str, str]], before: str) -> Iterator[str]:
    yield from (
        f"{before}{label}: {text}".replace("\n", f"\n{before}  ") for label, text in lines if text
    )


def _describe_fields(record: dict[str, Any]) -> str:
    return ", ".join(f"{name}: {_to_text(value)}" for name, value in _list_note_fields(record))


def _list_note_fields(record: dict[str, Any]) -> Iterator[tuple[str, Any]]:
    """Yield the fields of a note beside those that every record has."""
    known = ("schema", "seq", "prev", "hash", "type", "id", "at", "native_event")
    yield from ((name, value) for name, value in record.items() if name not in known)


def _to_text(value: Any) -> str:
    return value if isinstance(value, str) else json.dumps(value)
