"""`hookline log`: what the journal holds, one decision in full, and whether the journal is whole.

Another version of hookline may have written a record, so every field may be missing.
"""

from __future__ import annotations

import json
import os
import re
import select
import sys
import time
from datetime import datetime

from hookline.cli.events import find_kind, suggest_event
from hookline.cli.layout import cut_text, find_width
from hookline.cli.options import option, usage_error
from hookline.cli.output import (
    FINDINGS,
    OK,
    Paint,
    Printer,
    count_things,
    format_duration,
    format_fields,
    print_message,
    read_table,
)
from hookline.cli.verdicts import format_decision, format_verdict
from hookline.engine.display import reason_fields
from hookline.engine.engine import Engine
from hookline.engine.journaling import find_journal_folder, read_limits
from hookline.engine.loader import list_hooks
from hookline.errors import CODES, ConfigError, HookError, JournalError, did_you_mean
from hookline.journal.log_files import LogFiles
from hookline.journal.masking import mask_record
from hookline.journal.records import NOTES, format_time, to_canonical_json
from hookline.journal.search import Query, Search, parse_time
from hookline.journal.verify import parse_head, verify
from hookline.model.spec import describe_command
from hookline.text.digest import sha256

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any, TypeAlias

    from hookline.cli.output import Document, Lines

    Mask: TypeAlias = Callable[[Document], Document]
    from collections.abc import Callable, Iterator, Mapping


_PAUSE = 0.25  # seconds between two looks


def log(
    printer: Printer,
    *,
    what: list[str] = option(
        "[show ID|show last|verify|prune...]",
        "one decision, a check, or a clean-up; default: list the decisions",
    ),
    event: str = option("--event EVENT", "only this event, by any of its names", complete="events"),
    tool: str = option("--tool NAME", "only this tool"),
    hook: str = option("--hook WORD", "only with a hook whose id, name or command has this in it"),
    stance: str = option(
        "--stance STANCE",
        "only silent, allow, ask, deny or halt",
        choices=("silent", "allow", "ask", "deny", "halt"),
    ),
    session: str = option("--session ID", "only this session; the beginning of its id is enough"),
    since: str = option("--since TIME", "not older than 2026-11-21T10:00, or than 30m, 2h, 7d"),
    until: str = option("--until TIME", "only before this time"),
    fault: bool = option("--fault", "only decisions in which a hook failed"),
    limit: int = option("-n, --limit N", "print the newest N; 0: all", least=0, default=50),
    follow: bool = option("-f, --follow", "print new decisions too, until Ctrl-C"),
    head: str = option("--head SEQ:HASH", "verify: the head that you kept elsewhere", is_rare=True),
    dry_run: bool = option("--dry-run", "prune: only print what would be removed", is_rare=True),
    path: str = option("--path DIR", "the folder of another journal", is_rare=True),
    show_payload: bool = option(
        "--show-payload", "print secrets as they are kept, and do not mask them", is_rare=True
    ),
) -> int:
    """What the journal holds, one decision in full, and whether the journal is whole."""
    folder = os.path.abspath(path) if path else find_journal_folder(os.environ)
    _check_place(folder)
    now = time.time()
    query = Query(
        event=event,
        tool=tool,
        hook=hook,
        stance=stance,
        session=session,
        since=parse_time(since, now) if since else "",
        until=parse_time(until, now) if until else "",
        fault=fault,
    )
    mask = _keep if show_payload else mask_record
    try:
        match what:
            case []:
                return _list_events(folder, query, limit, printer, mask, follow=follow)
            case ["show", wanted]:
                return _show_entry(folder, wanted, query, printer, mask)
            case ["verify"]:
                return _verify_journal(folder, head, printer)
            case ["prune"]:
                return _prune_journal(folder, format_time(now), printer, dry_run=dry_run)
    except OSError as error:
        why = (error.strerror or str(error)).lower()
        raise JournalError(f"`{folder}` cannot be read: {why}", name="journal.missing") from None
    raise usage_error(
        f"`log {' '.join(what)}` is no command",
        "show ID, show last, verify or prune; `hookline log` lists the ids",
    )


def _check_place(folder: str) -> None:
    """Check that a journal can be in a folder, whether or not one is.

    Raises:
        JournalError: it or a folder above it is a file.
    """
    path = folder
    while not os.path.lexists(path):
        path = os.path.dirname(path)
    if not os.path.isdir(path):
        where = f"`{folder}`" if path != folder else "it"
        message = f"`{path}` is no folder, so there is no journal in {where}"
        hint = "name its folder: --path, or the variable HOOKLINE_JOURNAL"
        raise JournalError(message, name="journal.place", hint=hint)


def show_decision(wanted: str, printer: Printer) -> int:
    """Print one decision of this user's journal in full, by its id or as the `last` one."""
    return _show_entry(find_journal_folder(os.environ), wanted, Query(), printer, mask_record)


def _keep(record: Document) -> Document:
    return record


def _list_events(
    folder: str, query: Query, limit: int, printer: Printer, mask: Mask, *, follow: bool
) -> int:
    if not os.path.isdir(folder) and not follow:
        _check_event(query.event, {*NOTES})
        print_message(f"nothing has been written down yet in {folder}")
        return OK
    search = Search(folder, tell=_print_problem)
    mark = search.last()
    found = search.events(query, limit=limit)
    for record in found:
        mark = record["seq"]
        printer.print(mask(record), render_event)
    if not found:
        nothing = _explain_nothing(search, query)
        if not follow:
            print_message(nothing or "no decision like that")
    while follow and _wait_for_records():
        mark = min(mark, search.last())  # another journal may be there, which counts from 1
        for record in search.events(query.replace(after=mark)):
            mark = record["seq"]
            printer.print(mask(record), render_event)
    return OK


def _wait_for_records() -> bool:
    """Wait for the next look; false once the reader of standard output has gone."""
    poll = select.poll()
    try:
        poll.register(sys.stdout.fileno(), 0)
    except ValueError:  # it is closed
        return False
    gone = select.POLLERR | select.POLLNVAL
    return not any(found & gone for _, found in poll.poll(int(_PAUSE * 1000)))


def _show_entry(folder: str, wanted: str, query: Query, printer: Printer, mask: Mask) -> int:
    """Print a decision by the beginning of its id, or the last one that matches a query."""
    search = Search(folder, tell=_print_problem)
    last = search.latest(query) if wanted == "last" else None
    found = search.find_by_id(wanted) if wanted != "last" else [last] if last else []
    if not found:
        nothing = _explain_nothing(search, query)
        raise JournalError(
            f"there is no decision `{wanted}`{f': {nothing}' if nothing else ''}",
            name="journal.unknown",
            hint="`hookline log` lists them",
        )
    if len(found) > 1:
        ids = ", ".join(f"`{record['id']}`" for record in found[:5])
        raise JournalError(
            f"{len(found)} decisions have an id that begins with `{wanted}`: {ids}",
            name="journal.unknown",
        )
    event = found[0]
    runs = search.runs(event["id"])
    known = [_find_provenance(search, run, event.get("cwd", "")) for run in runs]
    entry = {"schema": "hookline.entry/1", "event": event, "runs": runs, "provenance": known}
    masked = mask(entry)
    printer.print(masked, render_entry)
    if masked != entry:
        print_message("secrets are masked; --show-payload shows all that is kept")
    return OK


def _find_provenance(search: Search, run: Document, cwd: str) -> Document:
    """Return what a run started, where that is written, and the note on its approval."""
    note = search.note_about(run.get("identity", ""), before=run["seq"])
    command = run.get("command")
    kept = command if isinstance(command, dict) else {}
    places = {
        "record": kept.get("value"),
        "approval": (note or {}).get("command"),
        "configuration": _find_declared(run, kept.get("sha256"), cwd),
    }
    found = next((where for where, text in places.items() if text), "")
    return {"run": run["id"], "ran": places.get(found, ""), "found": found, "note": note}


def _find_declared(run: Document, digest: str | None, cwd: str) -> str:
    """Return the command of this digest that the run's file declares now; empty if none does."""
    file = re.sub(r"(:\d+)+$", "", str(run.get("source", "")))
    try:
        engine = Engine(cwd=cwd if os.path.isdir(cwd) else None)
        engine.add_source(os.path.join(engine.cwd, file), dialect=run.get("dialect"), trust="none")
    except (HookError, OSError, ValueError):
        return ""
    texts = (describe_command(spec.handler) for spec in list_hooks(engine.snapshot))
    same = (text for text in texts if sha256(to_canonical_json(text).encode("ascii")) == digest)
    return next(same, "")


def _verify_journal(folder: str, head: str, printer: Printer) -> int:
    remembered = parse_head(head) if head else None
    if head and remembered is None:
        raise usage_error(f"`--head {head}` is no head", "as verify prints it: SEQ:HASH")
    if not os.path.isdir(folder):  # nothing is there that could be called whole
        print_message(
            f"hookline log: {CODES['journal.missing']} there is no journal in `{folder}`, so there"
            " is nothing to verify (hookline writes it at the first event)"
        )
        return FINDINGS
    result = verify(folder, remembered=remembered)
    printer.print(result.to_dict(), render_verification)
    return OK if result.is_whole else FINDINGS


def _prune_journal(folder: str, at: str, printer: Printer, *, dry_run: bool) -> int:
    if not os.path.isdir(folder):
        raise JournalError(f"there is no journal in `{folder}`", name="journal.missing")
    files = LogFiles(folder, tell=_print_problem, **read_limits(os.environ))
    removed = files.prune(at=at, dry_run=dry_run)
    printer.print(
        {"schema": "hookline.pruned/1", "dry_run": dry_run, "removed": removed}, render_pruned
    )
    return OK


def _print_problem(name: str, message: str) -> None:
    print_message(f"{CODES[name]} {message}")


def _explain_nothing(search: Search, query: Query) -> str:
    """Return why no decision was found, if the hook is why.

    Raises:
        ConfigError: the event is unknown, here and to the journal.
    """
    _check_event(query.event, {*NOTES} | search.names("kind") | search.names("native_event"))
    if not query.hook or search.has_hook(query.hook):
        return ""
    hint = did_you_mean(query.hook, search.names("hook"))
    text = f"hookline has asked no hook with `{query.hook}` in its id, name or command"
    return f"{text} ({hint})" if hint else text


def _check_event(event: str, written: set[str]) -> None:
    if event and event not in written and not find_kind(event, ""):
        raise ConfigError(
            f"unknown event `{event}`",
            name="event.unknown",
            hint=suggest_event(event, sorted(written)),
        )


_SHORT = 8  # characters of an id; `show` takes as many
# Fields that a page shows in its first lines, or not at all: of notes, and of decisions and runs.
_OF_NOTES = frozenset(("schema", "seq", "prev", "hash", "type", "id", "at", "native_event"))
_HIDDEN = _OF_NOTES.union(
    ("event", "kind", "dialect", "stance", "seconds", "exit_code", "runs", "faults", "hook"),
    ("phase", "shadow", "source", "scope", "handler", "command"),
)
# What a page calls a field; the others are called by their names.
_LABELS = read_table("""
cwd          folder
retry_after  retry after seconds
for_agent    for the agent
for_user     for the user
unsupported  not honoured
waited       the host waited
truncated    cut
rewrite      rewrites
""")


# -- lines -------------------------------------------------------------------------------------


def render_event(record: Document, paint: Paint) -> Lines:
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
    if width := find_width():
        text = cut_text(text, width - len(f"{when}  {name}  {stance:6}  {about}"))
    yield f"{when}  {paint('dim', name)}  {paint.stance(stance, 6)}  {about}{text}".rstrip()


def _describe_approval_note(record: Document) -> str:
    """Return in one sentence who did what to which hook."""
    did, hook, root = record["did"], record.get("hook", ""), record.get("root", "")
    what = hook or ("hooks" if did in ("on", "off") else "")
    where = f" in {root}" if root and not hook else ""
    command = record.get("command", "").partition("\n")[0]
    return f"{did} {what}{where}{_describe_person(record)}{': ' if command else ''}{command}"


def _describe_person(note: Document) -> str:
    """Return who did it, and by which way."""
    who, how = note.get("who"), note.get("how")
    return f"{f' by {who}' if who else ''}{f' ({how})' if how else ''}"


# -- pages -------------------------------------------------------------------------------------


def render_entry(entry: Document, paint: Paint) -> Lines:
    """Yield one record in full, and the runs of its hooks."""
    record = entry["event"]
    event, at = record.get("native_event", ""), to_local_time(record.get("at", ""))
    if record.get("type") == "note":
        yield f"{paint('strong', event)}  {at}"
        yield from format_fields(_list_fields(record))
        return
    yield format_decision(record, paint)
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


def _render_run(run: Document, found: Document, paint: Paint) -> Lines:
    yield format_verdict(run, paint)
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


def _describe_command(run: Document, found: Document) -> str:
    """Return what a hook ran; if that is unknown, its length and its hash."""
    if found.get("ran"):
        return str(found["ran"]).strip()
    kept = _format_value(run.get("command"))
    return f"{kept}: nothing that is declared there now" if kept else ""


def _describe_approval(run: Document, note: Document | None) -> str:
    """Return who approved a hook, by the newest note before the run, and if for other files."""
    if note is None:
        return "this journal has no approval before this run"
    content = run.get("content", "")
    other = "" if content.startswith(note.get("content", "")) else ", for other files"
    did = f"{note.get('did', '')}{_describe_person(note)}"
    return f"{did} on {to_local_time(note.get('at', ''))}{other if content else ''}"


def render_verification(found: Document, paint: Paint) -> Lines:
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
            " cut off, or all were rewritten"
        )


def render_pruned(pruned: Document, _paint: Paint) -> Lines:
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


def _list_fields(record: Document) -> Iterator[tuple[str, str]]:
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
    "waited": format_duration,
    "lowered": lambda each: f"{each['effect']} of {each['hook'] or 'all'}: {each['reason']}",
}
