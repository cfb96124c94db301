"""`hookline log`: what the journal holds, one decision in full, and whether the journal is whole."""

from __future__ import annotations

import os
import re
import select
import sys
import time

from hookline.cli.events import find_kind, suggest_event
from hookline.cli.exit_codes import FINDINGS, OK, print_message
from hookline.cli.log_pages import render_entry, render_event, render_pruned, render_verification
from hookline.cli.options import option
from hookline.engine.engine import Engine
from hookline.engine.journaling import find_journal_folder, read_limits
from hookline.engine.loader import list_hooks
from hookline.errors import CODES, ConfigError, HookError, JournalError, did_you_mean
from hookline.journal.log_files import LogFiles
from hookline.journal.records import NOTES, format_time, to_canonical_json
from hookline.journal.search import Query, Search, parse_time
from hookline.journal.verify import parse_head, verify
from hookline.model.spec import describe_command
from hookline.text.digest import sha256
from hookline.text.masking import mask_record

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from typing import Any, TypeAlias

    from hookline.cli.pages import Printer

    Mask: TypeAlias = Callable[[dict[str, Any]], dict[str, Any]]

_PAUSE = 0.25  # seconds between two looks


def log(
    printer: Printer,
    *,
    what: list[str] = option(
        metavar="show ID|show last|verify|prune",
        help="without it, the decisions, newest last",
        is_repeatable=True,
    ),
    event: str = option(
        "--event",
        metavar="EVENT",
        help="of one event, canonical or as its host calls it",
        complete=("events",),
    ),
    tool: str = option("--tool", metavar="NAME", help="of one tool"),
    hook: str = option(
        "--hook",
        metavar="WORD",
        help="about which a hook was asked whose id, name or command has this in it",
    ),
    stance: str = option(
        "--stance",
        metavar="STANCE",
        choices=("silent", "allow", "ask", "deny", "halt"),
    ),
    session: str = option(
        "--session", metavar="ID", help="of one session; the beginning is enough"
    ),
    since: str = option(
        "--since",
        metavar="TIME",
        help="from then on: 2026-11-21T10:00, or so long ago: 30m, 2h, 7d",
    ),
    until: str = option("--until", metavar="TIME", help="before then"),
    fault: bool = option("--fault", help="in which a hook failed"),
    limit: int = option(
        "-n",
        "--limit",
        metavar="N",
        least=0,
        help="the newest so many; 0: all",
        kind=int,
        default=50,
    ),
    follow: bool = option("-f", "--follow", help="and those to come, until Ctrl-C"),
    head: str = option(
        "--head", metavar="SEQ:HASH", help="for verify: a head that was kept elsewhere"
    ),
    dry_run: bool = option("--dry-run", help="for prune: only say what would be removed"),
    path: str = option("--path", metavar="DIR", help="another journal than this user's"),
    show_payload: bool = option(
        "--show-payload", help="what is kept of payloads as it is kept; without it, masked"
    ),
) -> int:
    """What the journal holds, one decision in full, and whether the journal is whole."""
    folder = os.path.abspath(path) if path else find_journal_folder(os.environ)
    if os.path.exists(folder) and not os.path.isdir(folder):
        raise JournalError(
            f"`{folder}` is no folder, so no journal can be in it",
            name="journal.place",
            hint="HOOKLINE_JOURNAL names one",
        )
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
        message = f"`{folder}` cannot be read: {why}"
        raise JournalError(message, name="journal.missing") from None
    raise ConfigError(
        f"`log {' '.join(what)}` is no command",
        name="config.option",
        hint="show ID, show last, verify or prune; `hookline log` lists the ids",
    )


def show_decision(wanted: str, printer: Printer) -> int:
    """Print one decision of this user's journal in full, by its id or as the `last` one."""
    return _show_entry(find_journal_folder(os.environ), wanted, Query(), printer, mask_record)


def _keep(record: dict[str, Any]) -> dict[str, Any]:
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
        _check_filters(search, query.replace(hook="") if follow else query)
    while follow and _wait_for_records():
        mark = min(mark, search.last())  # another journal may be there, which counts from 1
        for record in search.events(query.replace(after=mark)):
            mark = record["seq"]
            printer.print(mask(record), render_event)
    if not found and not follow:
        print_message("no decision like that")
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
        _check_filters(search, query)
        message = f"there is no decision `{wanted}`"
        raise JournalError(message, name="journal.unknown", hint="`hookline log` lists them")
    if len(found) > 1:
        ids = ", ".join(f"`{record['id']}`" for record in found[:5])
        message = f"{len(found)} decisions have an id that begins with `{wanted}`: {ids}"
        raise JournalError(message, name="journal.unknown")
    event = found[0]
    runs = search.runs(event["id"])
    known = [_find_provenance(search, run, event.get("cwd", "")) for run in runs]
    entry = {"schema": "hookline.entry/1", "event": event, "runs": runs, "provenance": known}
    masked = mask(entry)
    printer.print(masked, render_entry)
    if masked != entry:
        print_message("secrets are masked; --show-payload shows all that is kept")
    return OK


def _find_provenance(search: Search, run: Mapping[str, Any], cwd: str) -> dict[str, Any]:
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


def _find_declared(run: Mapping[str, Any], digest: str | None, cwd: str) -> str:
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
        raise ConfigError(
            f"`--head {head}` is no head",
            name="config.option",
            hint="as verify prints it: SEQ:HASH",
        )
    if not os.path.isdir(folder):  # nothing is there that could be called whole
        print_message(f"{CODES['journal.missing']} there is no journal in `{folder}`")
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


def _check_filters(search: Search, query: Query) -> None:
    """Check that the event and the hook of a query are known, here or to the journal.

    Raises:
        ConfigError: one of them is not.
    """
    _check_event(query.event, {*NOTES} | search.names("kind") | search.names("native_event"))
    if query.hook and not search.has_hook(query.hook):
        raise ConfigError(
            f"no hook in the journal has `{query.hook}` in its id, name or command",
            name="config.option",
            hint=did_you_mean(query.hook, search.names("hook")) or "hookline list",
        )


def _check_event(event: str, written: set[str]) -> None:
    if event and event not in written and not find_kind(event, ""):
        message = f"unknown event `{event}`"
        hint = suggest_event(event, sorted(written))
        raise ConfigError(message, name="event.unknown", hint=hint)
