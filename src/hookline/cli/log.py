"""`hookline log`: what the journal holds, one decision in full, and whether the journal is whole."""

from __future__ import annotations

import os
import select
import stat
import sys
import time
from contextlib import contextmanager, suppress

from hookline.cli.events import find_kind, suggest_event
from hookline.cli.exit_codes import FINDINGS, OK, print_message
from hookline.cli.log_pages import format_event, render_entry, render_verification
from hookline.cli.options import COLOR, option
from hookline.cli.pages import print_page
from hookline.engine.journaling import find_journal_folder, read_limits
from hookline.engine.provenance import find_provenance, list_declared_here
from hookline.errors import CODES, ConfigError, JournalError, did_you_mean
from hookline.journal.log_files import LogFiles, list_segments, select_expired
from hookline.journal.records import NOTES, format_time
from hookline.journal.search import Query, Search, parse_time
from hookline.journal.verify import parse_head, verify
from hookline.model.frozen import Frozen
from hookline.model.spec import describe_command
from hookline.text.masking import mask_record

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator
    from typing import Any


_PAUSE = 0.25  # seconds between two looks


def log(
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
    json: bool = option("--json", help="print JSON: one document a line"),
    color: str = COLOR,
) -> int:
    """What the journal holds, one decision in full, and whether the journal is whole."""
    folder = os.path.abspath(path) if path else find_journal_folder(os.environ)
    now = time.time()
    view = _View(json=json, color=color, is_whole=show_payload)
    with _open_folder(folder):
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
        match what:
            case []:
                return _list_events(folder, query, limit, follow=follow, show=view.print_line)
            case ["show", wanted]:
                return _show_entry(folder, wanted, query, view)
            case ["verify"]:
                return _verify_journal(folder, head, view)
            case ["prune"]:
                return _prune_journal(folder, format_time(now), view, dry_run=dry_run)
    raise ConfigError(
        f"`log {' '.join(what)}` is no command",
        name="config.option",
        hint="show ID, show last, verify or prune; `hookline log` lists the ids",
    )


class _View(Frozen):
    """How to print records: as JSON or text, with whole values or masked ones."""

    json: bool
    color: str
    is_whole: bool = False

    def print_line(self, record: dict[str, Any]) -> None:
        """Print one event on a line."""
        self.print_page(self.mask(record), lambda seen, paint: [format_event(seen, paint)])

    def print_entry(self, entry: dict[str, Any]) -> None:
        """Print one event in full."""
        masked = self.mask(entry)
        self.print_page(masked, render_entry)
        if masked != entry:
            print_message("secrets are masked; --show-payload shows all that is kept")

    def print_page(self, document: dict[str, Any], page: Callable[..., Iterable[str]]) -> None:
        """Print a document by its page."""
        print_page(document, page, json=self.json, color=self.color)

    def mask(self, record: dict[str, Any]) -> dict[str, Any]:
        """Return a record without what looks like a secret."""
        kept: dict[str, Any] = record if self.is_whole else mask_record(record)
        return kept


# -- decisions -------------------------------------------------------------------------------------


def _list_events(
    folder: str, query: Query, limit: int, *, follow: bool, show: Callable[[dict[str, Any]], None]
) -> int:
    if not os.path.isdir(folder) and not follow:
        _check_event(query.event)
        print_message(f"nothing has been written down yet in {folder}")
        return OK
    search = Search(folder, tell=_print_problem)
    mark = search.last()
    found = search.events(query, limit=limit)
    if not found:
        _check_event(query.event, search)
        if not follow:  # it may be declared in a minute
            _check_hook(query.hook, search)
    for record in found:
        show(record)
    if follow:
        return _follow(search, query, show, mark=found[-1]["seq"] if found else mark)
    if not found:
        print_message("no decision like that")
    return OK


def _follow(
    search: Search,
    query: Query,
    show: Callable[[dict[str, Any]], None],
    wait: Callable[[], bool] | None = None,
    *,
    mark: int = 0,
) -> int:
    """Print new records after number `mark`, until `wait` returns false."""
    wait = wait or _wait_for_records
    while wait():
        if not os.path.isdir(search.folder):  # it was removed; the next event makes it again
            continue
        if search.last() < mark:  # another journal is there, which counts from 1
            mark = 0
        for record in search.events(query.replace(after=mark)):
            show(record)
            mark = record["seq"]
    return OK


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
    with _open_folder(folder):
        return _show_entry(folder, wanted, Query(), _View(json=json, color=color))


def _show_entry(folder: str, wanted: str, query: Query, view: _View) -> int:
    search = Search(folder, tell=_print_problem)
    event = _find_decision(search, wanted, query)
    runs = search.runs(event["id"])
    known = find_provenance(search, event, runs, os.environ)
    view.print_entry(
        {"schema": "hookline.entry/1", "event": event, "runs": runs, "provenance": known}
    )
    return OK


def _find_decision(search: Search, wanted: str, query: Query) -> dict[str, Any]:
    """Return a decision by the beginning of its id, or the last one that matches a query."""
    if wanted == "last":
        last = search.latest(query)
        found = [last] if last else []
    else:
        found = search.find_by_id(wanted)
    if not found:
        _check_event(query.event, search)
        _check_hook(query.hook, search)
        raise JournalError(
            f"there is no decision `{wanted}`",
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


# -- the journal itself ----------------------------------------------------------------------------


def _verify_journal(folder: str, head: str, view: _View) -> int:
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
    view.print_page(result.to_dict(), render_verification)
    return OK if result.is_whole else FINDINGS


def _prune_journal(folder: str, at: str, view: _View, *, dry_run: bool) -> int:
    if not os.path.isdir(folder):
        raise JournalError(f"there is no journal in `{folder}`", name="journal.missing")
    files = LogFiles(folder, tell=_print_problem, **read_limits(os.environ))
    if dry_run:
        found = list_segments(folder)
        sizes = [os.stat(os.path.join(folder, each.name)).st_size for each in found]
        expired = select_expired(found, sizes, at[:10], files.keep_days, files.keep_bytes)
        removed = [each.name for each in expired]
    else:
        removed = files.prune(at=at)
    document = {"schema": "hookline.pruned/1", "dry_run": dry_run, "removed": removed}
    done = "would be removed" if dry_run else "removed"
    lines = [f"{done}: {name}" for name in removed] or ["nothing is too old or too much"]
    view.print_page(document, lambda _document, _paint: lines)
    return OK


@contextmanager
def _open_folder(folder: str) -> Iterator[None]:
    """Check that the journal's path is a folder, if it exists.

    Turn each OSError into the error that it cannot be read.

    Raises:
        JournalError: it is something else, or it cannot be read.
    """
    try:
        with suppress(FileNotFoundError):  # nothing was written yet
            if not stat.S_ISDIR(os.stat(folder).st_mode):
                raise JournalError(
                    f"`{folder}` is no folder, so no journal can be in it",
                    name="journal.place",
                    hint="HOOKLINE_JOURNAL names one",
                )
        yield
    except OSError as error:
        raise JournalError(
            f"`{folder}` cannot be read: {(error.strerror or str(error)).lower()}",
            name="journal.missing",
        ) from None


def _print_problem(name: str, message: str) -> None:
    print_message(f"{CODES[name]} {message}")


# -- filters -----------------------------------------------------------------------------------


def _check_event(event: str, search: Search | None = None) -> None:
    """Check that an event is known: to the journal, to a dialect, or as a kind of note.

    Raises:
        ConfigError: the event is unknown.
    """
    if not event or event in NOTES or find_kind(event, ""):
        return
    written = set(NOTES)
    if search is not None:
        written |= search.names("kind") | search.names("native_event")
    if event not in written:
        raise ConfigError(
            f"unknown event `{event}`",
            name="event.unknown",
            hint=suggest_event(event, sorted(written)),
        )


def _check_hook(word: str, search: Search) -> None:
    """Check that a word is part of the id, name or command of a hook in the journal or declared here.

    Raises:
        ConfigError: no hook matches.
    """
    if not word or search.has_hook(word):
        return
    specs = list_declared_here(".", os.environ)
    if any(
        word.lower() in text.lower()
        for spec in specs
        for text in (spec.id, spec.name, describe_command(spec.handler))
    ):
        return
    ids = [
        *sorted(search.names("hook")),
        *(name for spec in specs for name in (spec.id, spec.name) if name),
    ]
    hint = did_you_mean(word, ids) or "hookline list"
    raise ConfigError(
        f"no hook here or in the journal has `{word}` in its id, name or command",
        name="config.option",
        hint=hint,
    )
