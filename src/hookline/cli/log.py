"""`hookline log`: what the journal holds, one decision in full, and whether the journal is whole."""

from __future__ import annotations

import os
import select
import stat
import sys
import time
from contextlib import contextmanager
from typing import Annotated, Literal

from hookline.cli import command_options, completions
from hookline.cli.color import Paint, escape_document, print_page, use_color
from hookline.cli.exit_codes import FINDINGS, OK, print_document, print_message, print_text
from hookline.cli.log_args import check_event, check_hook
from hookline.cli.log_pages import format_event, render_entry, render_pruned, render_verification
from hookline.engine.journaling import find_journal_folder, read_limits
from hookline.engine.provenance import find_provenance
from hookline.errors import CODES, ConfigError, JournalError
from hookline.journal.log_files import LogFiles
from hookline.journal.retention import select_expired
from hookline.journal.search import Query, Search, format_time, parse_time
from hookline.journal.segments import list_segments
from hookline.journal.verify import parse_head, verify
from hookline.model.frozen import Frozen
from hookline.text.masking import mask_record

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from typing import Any

_What = Annotated[
    list[str],
    command_options.argument(
        metavar="[show ID|show last|verify|prune]",
        help="without it, the decisions, newest last",
    ),
]
_Event = Annotated[
    str,
    command_options.option(
        "--event",
        metavar="EVENT",
        help="of one event, canonical or as its host calls it",
        autocompletion=completions.complete_events,
    ),
]
_Tool = Annotated[str, command_options.option("--tool", metavar="NAME", help="of one tool")]
_Hook = Annotated[
    str,
    command_options.option(
        "--hook",
        metavar="WORD",
        help="about which a hook was asked whose id, name or command has this in it",
    ),
]
_Stance = Annotated[
    Literal["silent", "allow", "ask", "deny", "halt"] | None,
    command_options.option("--stance", metavar="STANCE", help="silent, allow, ask, deny, halt"),
]
_Session = Annotated[
    str,
    command_options.option(
        "--session", metavar="ID", help="of one session; the beginning is enough"
    ),
]
_Since = Annotated[
    str,
    command_options.option(
        "--since",
        metavar="TIME",
        help="from then on: 2026-11-21T10:00, or so long ago: 30m, 2h, 7d",
    ),
]
_Until = Annotated[str, command_options.option("--until", metavar="TIME", help="before then")]
_Fault = Annotated[bool, command_options.option("--fault", help="in which a hook failed")]
_Limit = Annotated[
    int,
    command_options.option("-n", "--limit", metavar="N", min=0, help="the newest so many; 0: all"),
]
_Follow = Annotated[
    bool, command_options.option("-f", "--follow", help="and those to come, until Ctrl-C")
]
_Head = Annotated[
    str,
    command_options.option(
        "--head", metavar="SEQ:HASH", help="for verify: a head that was kept elsewhere"
    ),
]
_DryRun = Annotated[
    bool, command_options.option("--dry-run", help="for prune: only say what would be removed")
]
_Path = Annotated[
    str, command_options.option("--path", metavar="DIR", help="another journal than this user's")
]
_ShowPayload = Annotated[
    bool,
    command_options.option(
        "--show-payload", help="what is kept of payloads as it is kept; without it, masked"
    ),
]
_Lines = Annotated[bool, command_options.option("--json", help="print JSON: one document a line")]

LAST = "last"
_PAUSE = 0.25  # seconds between two looks


def log(
    *,
    what: _What = [],  # noqa: B006 - only read
    event: _Event = "",
    tool: _Tool = "",
    hook: _Hook = "",
    stance: _Stance = None,
    session: _Session = "",
    since: _Since = "",
    until: _Until = "",
    fault: _Fault = False,
    limit: _Limit = 50,
    follow: _Follow = False,
    head: _Head = "",
    dry_run: _DryRun = False,
    path: _Path = "",
    show_payload: _ShowPayload = False,
    json: _Lines = False,
    color: command_options.Color = "auto",
) -> int:
    """What the journal holds, one decision in full, and whether the journal is whole."""
    folder = os.path.abspath(path) if path else find_journal_folder(os.environ)
    now = time.time()
    look = _View(json=json, color=color, whole=show_payload)
    with _report_unreadable(folder):
        _check_folder(folder)
        query = Query(
            event=event,
            tool=tool,
            hook=hook,
            stance=stance or "",
            session=session,
            since=parse_time(since, now) if since else "",
            until=parse_time(until, now) if until else "",
            fault=fault,
        )
        match what:
            case []:
                return _list_events(folder, query, limit, follow=follow, show=look.line)
            case ["show", wanted]:
                return _show_entry(folder, wanted, query, look)
            case ["verify"]:
                return _verify_journal(folder, head, json=json, color=color)
            case ["prune"]:
                return _prune_journal(
                    folder, format_time(now), dry_run=dry_run, json=json, color=color
                )
    wrong, hint = (
        f"`{' '.join(what)}` is nothing that log does",
        "show ID, show last, verify or prune",
    )
    if what == ["show"]:
        wrong, hint = (
            "`log show` shows one decision, and none is named",
            "show last, or show ID; `hookline log` lists them",
        )
    raise ConfigError(wrong, name="config.option", hint=hint)


class _View(Frozen):
    """How to print records: as JSON or text, with values `whole` or masked."""

    json: bool
    color: str
    whole: bool = False

    def line(self, record: dict[str, Any]) -> None:
        """Show one event on a line."""
        record = self.seen(record)
        if self.json:
            print_document(record)
        else:
            print_text(
                format_event(
                    escape_document(record), Paint(on=use_color(self.color, sys.stdout, os.environ))
                )
                + "\n"
            )

    def page(self, entry: dict[str, Any]) -> None:
        """Show one event in full."""
        seen = self.seen(entry)
        print_page(seen, render_entry, json=self.json, color=self.color)
        if seen != entry:
            print_message(
                "what looks like a secret is masked here; --show-payload shows all that is kept"
            )

    def seen(self, record: dict[str, Any]) -> dict[str, Any]:
        kept: dict[str, Any] = record if self.whole else mask_record(record)
        return kept


# -- decisions ---------------------------------------------------------------------------------------------------------


def _list_events(
    folder: str, query: Query, limit: int, *, follow: bool, show: Callable[[dict[str, Any]], None]
) -> int:
    if not os.path.isdir(folder) and not follow:
        check_event(query.event)
        print_message(f"nothing has been written down yet in {folder}")
        return OK
    search = Search(folder, tell=_print_problem)
    mark = search.last()
    found = search.events(query, limit=limit)
    if not found:
        check_event(query.event, search)
        if not follow:  # it may be declared in a minute
            check_hook(query.hook, search)
    for record in found:
        show(record)
    if follow:
        return _follow(search, query, show, mark=_record_key(found[-1]) if found else mark)
    if not found:
        print_message("no decision like that")
    return OK


def _follow(
    search: Search,
    query: Query,
    show: Callable[[dict[str, Any]], None],
    wait: Callable[[], bool] | None = None,
    *,
    mark: tuple[int, str] = (0, ""),
) -> int:
    """Print new records after `mark`, until `wait` returns false."""
    wait = wait or _wait_for_records
    while wait():
        if not os.path.isdir(search.folder):  # it was removed; the next event makes it again
            continue
        if search.last(mark[0]) != mark:  # another journal is there, which counts from 1
            mark = (0, "")
        for record in search.events(query.replace(after=mark[0])):
            show(record)
            mark = _record_key(record)
    return OK


def _record_key(record: dict[str, Any]) -> tuple[int, str]:
    """Return the unique key of a record: its number and its hash."""
    return record["seq"], record["hash"]


def _wait_for_records() -> bool:
    """Wait for the next look; false once the reader of standard output has gone."""
    try:
        poll = select.poll()
        poll.register(sys.stdout.fileno(), 0)
        gone = any(
            found & (select.POLLERR | select.POLLNVAL) for _, found in poll.poll(int(_PAUSE * 1000))
        )
    except (OSError, ValueError):
        return False
    return not gone


def show_decision(wanted: str, *, json: bool, color: str) -> int:
    """Print one decision of this user's journal in full, by its id or as the `last` one."""
    folder = find_journal_folder(os.environ)
    with _report_unreadable(folder):
        _check_folder(folder)
        return _show_entry(folder, wanted, Query(), _View(json=json, color=color))


def _show_entry(folder: str, wanted: str, query: Query, look: _View) -> int:
    search = Search(folder, tell=_print_problem)
    event = _find_decision(search, wanted, query)
    runs = search.runs(event["id"])
    known = find_provenance(search, event, runs, os.environ)
    look.page({"schema": "hookline.entry/1", "event": event, "runs": runs, "provenance": known})
    return OK


def _find_decision(search: Search, wanted: str, query: Query) -> dict[str, Any]:
    """Return a decision by the beginning of its id, or the last one that matches a query."""
    if wanted == LAST:
        last = search.latest(query)
        if last is None:
            check_event(query.event, search)
            check_hook(query.hook, search)
            raise JournalError(
                "there is no decision like that",
                name="journal.unknown",
                hint="`hookline log` lists them",
            )
        return last
    found = search.find_by_id(wanted)
    if not found:
        raise JournalError(
            f"no decision has the id `{wanted}`",
            name="journal.unknown",
            hint="`hookline log` lists them",
        )
    if len(found) > 1:
        ids = ", ".join(f"`{record['id']}`" for record in found[:5])
        raise JournalError(
            f"{len(found)} decisions have an id that begins with `{wanted}`: {ids}",
            name="journal.unknown",
        )
    return found[0]


# -- the journal itself ------------------------------------------------------------------------------------------------


def _verify_journal(folder: str, head: str, *, json: bool, color: str) -> int:
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
    print_page(result.to_dict(), render_verification, json=json, color=color)
    return OK if result.is_whole else FINDINGS


def _prune_journal(folder: str, at: str, *, dry_run: bool, json: bool, color: str) -> int:
    if not os.path.isdir(folder):
        raise JournalError(f"there is no journal in `{folder}`", name="journal.missing")
    trail = LogFiles(folder, tell=_print_problem, **read_limits(os.environ))
    if dry_run:
        found = list_segments(folder)
        sizes = [os.stat(os.path.join(folder, each.name)).st_size for each in found]
        gone = [
            each.name
            for each in select_expired(
                found, sizes, at[:10], trail.keep_days, trail.keep_bytes, asked=True
            )
        ]
    else:
        gone = trail.prune(at=at)
        trail.close()
    print_page(
        {"schema": "hookline.pruned/1", "dry_run": dry_run, "removed": gone},
        render_pruned,
        json=json,
        color=color,
    )
    return OK


def _check_folder(folder: str) -> None:
    """Check that the journal's path is a folder, if it exists.

    Raises:
        JournalError: it is something else.
        OSError: it cannot be looked at.
    """
    try:
        found = os.stat(folder)
    except FileNotFoundError:
        return
    if not stat.S_ISDIR(found.st_mode):
        raise JournalError(
            f"`{folder}` is no folder, so no journal can be in it",
            name="journal.place",
            hint="HOOKLINE_JOURNAL names one",
        )


@contextmanager
def _report_unreadable(folder: str) -> Iterator[None]:
    """Turn an OSError into the error that the journal cannot be read."""
    try:
        yield
    except OSError as error:
        raise JournalError(
            f"`{folder}` cannot be read: {(error.strerror or str(error)).lower()}",
            name="journal.missing",
        ) from None


def _print_problem(name: str, message: str) -> None:
    print_message(f"{CODES[name]} {message}")
