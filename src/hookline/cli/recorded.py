"""Recorded: records of the journal as pages for people; times are those of this machine.

What stands in a file may have been written by anybody, and by any version: a field that is missing, or of another sort, is empty.
"""

from __future__ import annotations

import json
import os
import shutil
import sys
from datetime import datetime

from hookline.cli import words
from hookline.engine.reason_display import reason_fields
from hookline.errors import CODES

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping
    from typing import Any

    from hookline.cli.paint import Paint

_NOTE = "note"
_GREAT = 1 << 53  # no number of a record is so great, and no float is that counts so far
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


def event_line(record: dict[str, Any], paint: Paint) -> str:
    """One event on one line: when, which, what was decided, of what, why."""
    given, record = record, _filled(record)
    when, name = local(record["at"]), paint("dim", record["id"][:_SHORT])
    if record["type"] == _NOTE:
        before = f"{when}  {record['id'][:_SHORT]}  {_NOTE:6}  "
        return f"{when}  {name}  {paint('warning', f'{_NOTE:6}')}  {_cut(_note(given, record), before)}".rstrip()
    about = f"{record['native_event']}{' ' + record['tool'] if record['tool'] else ''} ({record['dialect']})"
    failed = (
        f"  {paint('bad', words.counted(record['faults'], 'fault'))}" if record["faults"] else ""
    )
    line = f"{when}  {name}  {_stance(record['stance'], paint, 6)}  {about}{failed}"
    reason = _cut(
        record["reason"].partition("\n")[0],
        f"{when}  {record['id'][:_SHORT]}  {'':6}  {about}{failed}  ",
    )
    return f"{line}  {reason}" if reason else line


def _cut(text: str, before: str) -> str:
    """As much of a text as there is room for behind what stands before it; nothing where there is hardly any."""
    if not sys.stdout.isatty() and "COLUMNS" not in os.environ:
        return text  # for whoever searches in it
    room = shutil.get_terminal_size((120, 24)).columns - len(before)
    return text if len(text) <= room else "" if room <= len("...") else f"{text[: room - 3]}..."


def _note(given: dict[str, Any], record: dict[str, Any]) -> str:
    """A note in one sentence: who did what to which hook; or all that it says."""
    if record["native_event"] != "approval" or not record["did"]:
        return f"{record['native_event']}  {_said(given)}"
    what = record["hook"] or ("hooks" if record["did"] in ("on", "off") else "")
    if record["did"] == "lost":  # notes that no journal took for too long
        what = words.counted(_of_sort(given.get("count"), 0), "older note")
    command = record["command"].partition("\n")[0]
    where = f" in {record['root']}" if record["root"] and not record["hook"] else ""
    return f"{record['did']} {what}{where}{_by(record)}{': ' if command else ''}{command}"


def _by(record: dict[str, Any]) -> str:
    """Whose word it was, and how it was given."""
    how = f" ({record['how']})" if record["how"] else ""
    return f" by {record['who']}{how}" if record["who"] else how


def entry_page(entry: dict[str, Any], paint: Paint) -> Iterator[str]:
    """One decision in full, and what each hook said."""
    record = _filled(entry["event"])
    if record["type"] == _NOTE:
        yield f"{paint('strong', record['native_event'])}  {local(record['at'])}"
        yield from _told(((name, _word(value)) for name, value in _own(entry["event"])), "  ")
        return
    where = f"{record['native_event']} ({record['kind']}, {record['dialect']})"
    yield f"{_stance(record['stance'], paint)}  {where} in {words.duration(record['seconds'])}"
    yield from _told(_of_event(record), "  ")
    known: list[dict[str, Any]] = entry.get("provenance") or [{} for _ in entry["runs"]]
    for run, told in zip(entry["runs"], known, strict=True):
        yield ""
        yield from _run(_filled(run), told, paint)
    if not entry["runs"]:
        yield ""
        yield "no hook was asked"


def verification_page(found: dict[str, Any], paint: Paint) -> Iterator[str]:
    """Whether a journal is whole, and what that does not say."""
    for each in found["findings"]:
        place = f"{each['file']}:{each['line']}" if each["line"] else each["file"]
        yield f"{place}: {CODES['journal.broken']} {paint('bad', each['kind'])}: {each['message']}"
    if found["findings"]:
        yield f"{words.counted(found['records'], 'record')} beside that are as they were written"
    elif found["records"]:
        yield f"{paint('good', 'whole')}: {words.counted(found['records'], 'record')}, {found['first']} to {found['last']}"
    else:
        yield "nothing to verify: there is no record"
    yield from (f"note: {note}" for note in found["notes"])
    if found["ok"]:
        yield f"head: {found['head']}"
        yield "keep the head elsewhere: with `--head` it shows whether the newest records were cut off, or all were written anew"


def pruned_page(found: dict[str, Any], _: Paint) -> Iterator[str]:
    """Which files of a journal were removed."""
    done = "would be removed" if found["dry_run"] else "removed"
    yield from (f"{done}: {name}" for name in found["removed"])
    if not found["removed"]:
        yield "nothing is too old or too much"


def local(at: str) -> str:
    """A record's time, in the zone of this machine; what is no time, as it stands."""
    try:
        return datetime.fromisoformat(at).astimezone().strftime("%Y-%m-%d %H:%M:%S")
    except (ValueError, OverflowError):
        return at


def _filled(record: dict[str, Any]) -> dict[str, Any]:
    """A record in which every field of a page is there, and of its sort."""
    return record | {name: _of_sort(record.get(name), default) for name, default in _FIELDS.items()}


def _of_sort(value: Any, default: Any) -> Any:
    sorts = (int, float) if type(default) is float else (type(default),)
    return (
        value
        if type(value) in sorts and not (type(value) is int and abs(value) >= _GREAT)
        else default
    )


def _list(record: dict[str, Any], name: str, sort: type) -> list[Any]:
    value = record.get(name)
    return [each for each in value if isinstance(each, sort)] if isinstance(value, list) else []


def _stance(stance: str, paint: Paint, width: int = 0) -> str:
    return paint.stance(stance, width) if stance in _STANCES else f"{stance or '?':{width}}"


def _of_event(record: dict[str, Any]) -> Iterator[tuple[str, str]]:
    yield "id", record["id"]
    yield "at", local(record["at"])
    yield "record", f"{record['seq']}, {record['hash']}"
    yield "session", record["session"]
    yield "folder", record["cwd"]
    yield "tool", record["tool"]
    yield "call", record["call"]
    yield "payload", _content(record["payload"])
    yield "redo", "the agent goes on working" if record["redo"] else ""
    retry = _of_sort(record.get("retry_after"), 0.0)
    yield "retry", f"after {retry:g} s" if retry else ""
    yield from _effects(record)
    yield from (("for the agent", _content(text)) for text in _list(record, "for_agent", dict))
    yield from (("for the user", text) for text in _list(record, "for_user", str))
    for each in _list(record, "lowered", dict):
        yield (
            "lowered",
            f"{each.get('effect', '')} of {each.get('hook') or 'all'}: {each.get('reason', '')}",
        )
    yield "cut", "most of it was too long for a record" if record.get("cut") is True else ""


def _run(run: dict[str, Any], known: dict[str, Any], paint: Paint) -> Iterator[str]:
    shadow = " (shadow)" if run["shadow"] else ""
    code = run.get("exit_code")
    exit_code = f", exit {code}" if type(code) is int else ""
    took = "" if run["phase"] == "started" else f" after {words.duration(run['seconds'])}"
    yield f"{paint('name', run['hook'])}{shadow}  {_stance(run['stance'], paint)}{took}{exit_code}{_PHASES.get(run['phase'], '')}"
    yield from _told(_of_run(run, known), "  ")


def _of_run(run: dict[str, Any], known: dict[str, Any]) -> Iterator[tuple[str, str]]:
    yield "name", run["name"] if run["name"] != run["hook"] else ""
    yield "runs", _runs(known, _of_sort(run.get("command"), {}))
    yield (
        "from",
        f"{run['source'] or 'no file'} ({', '.join(filter(None, (run['scope'], run['dialect'], run['handler'])))})",
    )
    yield "fingerprint", run["fingerprint"]
    yield "identity", run["identity"]
    yield "content", run["content"].partition(" ")[0]
    yield "approval", _approval(run, known.get("note")) if run["identity"] else ""
    yield "fault", _of_sort(run.get("fault"), "")
    yield from _effects(run)
    yield "for the agent", _content(run.get("for_agent"))
    yield "for the user", _of_sort(run.get("for_user"), "")
    yield from (("not honoured", each) for each in _list(run, "unsupported", str))
    yield from ((stream, _content(run.get(stream))) for stream in ("stdout", "stderr"))
    yield "cut", "it printed more than is read" if run.get("truncated") is True else ""


def _runs(known: dict[str, Any], kept: dict[str, Any]) -> str:
    """What a hook ran; where nobody knows, how long that was and its hash."""
    if known.get("ran"):
        return f"{known['ran'].strip()}{' (as it is declared now)' if known.get('found') == 'now' else ''}"
    return f"{_content(kept)}: nothing that is declared there now" if kept else ""


def _approval(run: dict[str, Any], note: Any) -> str:
    """Who let a hook run, as the newest note before that tells; and whether it was for what then ran."""
    if not isinstance(note, dict):
        return "none that stands in this journal before this"
    given = _filled(note)
    other = given["content"] and run["content"] and not run["content"].startswith(given["content"])
    return f"{given['did']}{_by(given | {'how': ''})} on {local(given['at'])}{_by(given | {'who': ''})}{', for other files' if other else ''}"


def _effects(record: dict[str, Any]) -> Iterator[tuple[str, str]]:
    # What the record holds is masked already, unless the person asked for all of it.
    yield from reason_fields(record["reason"], mask=str)
    rewrite = record["rewrite"]
    if rewrite:
        named = _list(rewrite, "keys", str)
        keys = f" ({', '.join(named)})" if named else ""
        yield "rewrites", f"{rewrite.get('target', '')}{keys}: {_content(rewrite)}"
    yield from ((name, _content(value)) for name, value in record["effects"].items())
    yield "evidence", _content(record["evidence"])


def _content(kept: Any) -> str:
    """What is kept of a value: the value itself, or how large it was and its hash."""
    if not isinstance(kept, dict) or not kept:
        return ""
    told = (
        f"{words.counted(_of_sort(kept.get('bytes'), 0), 'byte')}, sha256 {kept.get('sha256', '')}"
    )
    if "value" not in kept:
        return told
    value = kept["value"]
    return f"{value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)} ({told})"


def _told(lines: Iterator[tuple[str, str]], before: str) -> Iterator[str]:
    yield from (
        f"{before}{label}: {text}".replace("\n", f"\n{before}  ") for label, text in lines if text
    )


def _said(record: dict[str, Any]) -> str:
    return ", ".join(f"{name}: {_word(value)}" for name, value in _own(record))


def _own(record: dict[str, Any]) -> Iterator[tuple[str, Any]]:
    """What a note says, beside what every record has."""
    known = ("schema", "seq", "prev", "hash", "type", "id", "at", "native_event")
    yield from ((name, value) for name, value in record.items() if name not in known)


def _word(value: Any) -> str:
    return value if isinstance(value, str) else json.dumps(value)
