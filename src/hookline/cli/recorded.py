"""Recorded: records of the journal as pages for people; times are those of this machine."""

from __future__ import annotations

import json
import shutil
from datetime import datetime

from hookline.cli import words
from hookline.errors import CODES

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping
    from typing import Any

    from hookline.cli.paint import Paint

_NOTE = "note"
_SHORT = 8  # characters of an id; `show` takes as many
_PHASES: Mapping[str, str] = {
    "started": ", started and not waited for",
    "finished": ", which nobody waited for",
    "late": ", started by an earlier event",
}


def event_line(record: dict[str, Any], paint: Paint) -> str:
    """One event on one line: when, which, what was decided, of what, why."""
    when, name = local(record["at"]), paint("dim", record["id"][:_SHORT])
    if record["type"] == _NOTE:
        return f"{when}  {name}  {paint('warning', f'{_NOTE:6}')}  {record['native_event']}  {_said(record)}".rstrip()
    about = f"{record['native_event']}{' ' + record['tool'] if record['tool'] else ''} ({record['dialect']})"
    failed = f"  {paint('bad', words.counted(record['faults'], 'fault'))}" if record["faults"] else ""
    line = f"{when}  {name}  {paint.stance(record['stance'], 6)}  {about}{failed}"
    reason = record["reason"].partition("\n")[0]
    room = shutil.get_terminal_size((120, 24)).columns - len(f"{when}  {record['id'][:_SHORT]}  {'':6}  {about}{failed}") - 2
    if not reason or room < len("..."):
        return line
    return f"{line}  {reason if len(reason) <= room else reason[: max(0, room - 3)] + '...'}"


def entry_page(entry: dict[str, Any], paint: Paint) -> Iterator[str]:
    """One decision in full, and what each hook said."""
    record = entry["event"]
    if record["type"] == _NOTE:
        yield f"{paint('strong', record['native_event'])}  {local(record['at'])}"
        yield f"  {_said(record)}"
        return
    where = f"{record['native_event']} ({record['kind']}, {record['dialect']})"
    yield f"{paint.stance(record['stance'])}  {where} in {words.duration(record['seconds'])}"
    yield from _told(_of_event(record), "  ")
    for run in entry["runs"]:
        yield ""
        yield from _run(run, paint)
    if not entry["runs"]:
        yield ""
        yield "no hook was asked"


def verification_page(found: dict[str, Any], paint: Paint) -> Iterator[str]:
    """Whether a journal is whole, and what that does not say."""
    broken = found["broken"]
    if broken:
        place = f"{broken['file']}:{broken['line']}" if broken["line"] else broken["file"]
        yield f"{place}: {CODES['journal.broken']} {paint('bad', broken['kind'])}: {broken['message']}"
        yield f"the {words.counted(found['records'], 'record')} before that are as they were written"
    else:
        yield f"{paint('good', 'whole')}: {words.counted(found['records'], 'record')}, {found['first']} to {found['last']}"
    yield from (f"note: {note}" for note in found["notes"])
    if not broken and found["records"]:
        yield f"head: {found['head']}"
        yield "keep the head elsewhere: with `--head` it shows whether the newest records were cut off, or all were written anew"


def pruned_page(found: dict[str, Any], _: Paint) -> Iterator[str]:
    """Which files of a journal were removed."""
    done = "would be removed" if found["dry_run"] else "removed"
    yield from (f"{done}: {name}" for name in found["removed"])
    if not found["removed"]:
        yield "nothing is too old or too much"


def local(at: str) -> str:
    """A record's time, in the zone of this machine."""
    return datetime.fromisoformat(at).astimezone().strftime("%Y-%m-%d %H:%M:%S")


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
    yield "retry", f"after {record['retry_after']:g} s" if record["retry_after"] is not None else ""
    yield from _effects(record)
    yield from (("for the agent", _content(text)) for text in record["for_agent"])
    yield from (("for the user", text) for text in record["for_user"])
    yield from (("lowered", f"{each['effect']} of {each['hook'] or 'all'}: {each['reason']}") for each in record["lowered"])


def _run(run: dict[str, Any], paint: Paint) -> Iterator[str]:
    shadow = " (shadow)" if run["shadow"] else ""
    exit_code = "" if run["exit_code"] is None else f", exit {run['exit_code']}"
    took = "" if run["phase"] == "started" else f" after {words.duration(run['seconds'])}"
    yield f"{paint('name', run['hook'])}{shadow}  {paint.stance(run['stance'])}{took}{exit_code}{_PHASES.get(run['phase'], '')}"
    yield from _told(_of_run(run), "  ")


def _of_run(run: dict[str, Any]) -> Iterator[tuple[str, str]]:
    yield "from", f"{run['source'] or 'no file'} ({', '.join(filter(None, (run['scope'], run['dialect'], run['handler'])))})"
    yield "fingerprint", run["fingerprint"]
    yield "fault", run["fault"] or ""
    yield from _effects(run)
    yield "for the agent", _content(run["for_agent"])
    yield "for the user", run["for_user"]
    yield from (("not honoured", each) for each in run["unsupported"])


def _effects(record: dict[str, Any]) -> Iterator[tuple[str, str]]:
    yield "reason", record["reason"]
    rewrite = record["rewrite"]
    if rewrite:
        keys = f" ({', '.join(rewrite['keys'])})" if rewrite["keys"] else ""
        yield "rewrites", f"{rewrite['target']}{keys}: {_content(rewrite)}"
    yield from ((name, _content(value)) for name, value in record["effects"].items())
    yield "evidence", _content(record["evidence"])


def _content(kept: dict[str, Any] | None) -> str:
    """What is kept of a value: the value itself, or how large it was and its hash."""
    if not kept:
        return ""
    told = f"{words.counted(kept['bytes'], 'byte')}, sha256 {kept['sha256']}"
    if "value" not in kept:
        return told
    value = kept["value"]
    return f"{value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)} ({told})"


def _told(lines: Iterator[tuple[str, str]], before: str) -> Iterator[str]:
    yield from (f"{before}{label}: {text}".replace("\n", f"\n{before}  ") for label, text in lines if text)


def _said(record: dict[str, Any]) -> str:
    known = ("schema", "seq", "prev", "hash", "type", "id", "at", "native_event")
    told = {name: value for name, value in record.items() if name not in known}
    return ", ".join(f"{name}: {value if isinstance(value, str) else json.dumps(value)}" for name, value in told.items())
