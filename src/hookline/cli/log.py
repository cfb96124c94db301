"""`hookline log`: what the journal holds, one decision in full, and whether the journal is whole."""

from __future__ import annotations

import os
import select
import sys
import time
from contextlib import contextmanager
from typing import Annotated, Literal

from hookline.cli import flags
from hookline.cli.ending import FINDINGS, OK, say, say_document, tell
from hookline.cli.paint import Paint, cleaned, coloured, present
from hookline.cli.recorded import entry_page, event_line, pruned_page, verification_page
from hookline.engine.journaling import journal_folder, limits_of
from hookline.errors import CODES, ConfigError, JournalError
from hookline.journal.index import Index
from hookline.journal.query import Query, moment, stamp
from hookline.journal.reading import segments
from hookline.journal.retention import too_many
from hookline.journal.trail import Trail
from hookline.journal.verify import remembered_head, verify

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from typing import Any

_What = Annotated[list[str], flags.argument(metavar="[show ID|verify|reindex|prune]", help="without it, the decisions, newest last")]
_Event = Annotated[str, flags.option("--event", metavar="EVENT", help="of one event, canonical or as its host calls it")]
_Tool = Annotated[str, flags.option("--tool", metavar="NAME", help="of one tool")]
_Hook = Annotated[str, flags.option("--hook", metavar="WORD", help="about which a hook was asked whose id has this in it")]
_Stance = Annotated[
    Literal["", "silent", "allow", "ask", "deny", "halt"], flags.option("--stance", metavar="STANCE", help="silent, allow, ask, deny, halt")
]
_Session = Annotated[str, flags.option("--session", metavar="ID", help="of one session; the beginning is enough")]
_Since = Annotated[str, flags.option("--since", metavar="TIME", help="from then on: 2026-11-21T10:00, or so long ago: 30m, 2h, 7d")]
_Until = Annotated[str, flags.option("--until", metavar="TIME", help="before then")]
_Fault = Annotated[bool, flags.option("--fault", help="in which a hook failed")]
_Limit = Annotated[int, flags.option("--limit", metavar="N", min=0, help="the newest so many; 0: all")]
_Follow = Annotated[bool, flags.option("-f", "--follow", help="and those to come, until Ctrl-C")]
_Head = Annotated[str, flags.option("--head", metavar="SEQ:HASH", help="for verify: a head that was kept elsewhere")]
_DryRun = Annotated[bool, flags.option("-n", "--dry-run", help="for prune: only say what would be removed")]
_Path = Annotated[str, flags.option("--path", metavar="DIR", help="another journal than this user's")]
_Lines = Annotated[bool, flags.option("--json", help="print JSON: one document a line")]

_PAUSE = 0.25  # seconds between two looks


def log(
    *,
    what: _What = [],  # noqa: B006 - only read
    event: _Event = "",
    tool: _Tool = "",
    hook: _Hook = "",
    stance: _Stance = "",
    session: _Session = "",
    since: _Since = "",
    until: _Until = "",
    fault: _Fault = False,
    limit: _Limit = 50,
    follow: _Follow = False,
    head: _Head = "",
    dry_run: _DryRun = False,
    path: _Path = "",
    json: _Lines = False,
    color: flags.Color = "auto",
) -> int:
    """What the journal holds, one decision in full, and whether the journal is whole."""
    folder = os.path.abspath(path) if path else journal_folder(os.environ)
    now = time.time()
    with _readable(folder):
        match what:
            case []:
                query = Query(
                    event=event,
                    tool=tool,
                    hook=hook,
                    stance=stance,
                    session=session,
                    since=moment(since, now) if since else "",
                    until=moment(until, now) if until else "",
                    fault=fault,
                )
                return _list(folder, query, limit, follow=follow, show=_shower(json=json, color=color))
            case ["show", wanted]:
                return _show(folder, wanted, json=json, color=color)
            case ["verify"]:
                return _verify(folder, head, json=json, color=color)
            case ["reindex"]:
                return _reindex(folder)
            case ["prune"]:
                return _prune(folder, stamp(now), dry_run=dry_run, json=json, color=color)
    raise ConfigError(f"`{' '.join(what)}` is nothing that log does", name="config.option", hint="show ID, verify, reindex or prune")


# -- decisions ---------------------------------------------------------------------------------------------------------


def _list(folder: str, query: Query, limit: int, *, follow: bool, show: Callable[[dict[str, Any]], None]) -> int:
    if not os.path.isdir(folder) and not follow:
        tell(f"nothing has been written down yet in {folder}")
        return OK
    with Index(folder, tell=_tell) as index:
        found = index.events(query, limit=limit)
        for record in found:
            show(record)
        if follow:
            return _follow(index, query, show, mark=index.mark(found[-1]["seq"] if found else 0))
    if not found:
        tell("no decision like that")
    return OK


def _follow(
    index: Index,
    query: Query,
    show: Callable[[dict[str, Any]], None],
    wait: Callable[[], bool] | None = None,
    *,
    mark: tuple[int, str] = (0, ""),
) -> int:
    """Show what is written from now on, behind the event at the `mark`; `wait` says whether somebody still reads."""
    wait = wait or _pause
    while wait():
        if not os.path.isdir(index.folder):  # it was removed; the next event makes it anew
            continue
        index.refresh()
        if index.mark(mark[0]) != mark:  # another journal is there by now, which counts from 1
            mark = (0, "")
        for record in index.events(query.replace(after=mark[0])):
            show(record)
            mark = index.mark(record["seq"])
    return OK


def _pause() -> bool:
    """Wait for the next look; false when nobody reads standard output any more."""
    try:
        poll = select.poll()
        poll.register(sys.stdout.fileno(), 0)
        gone = any(found & (select.POLLERR | select.POLLNVAL) for _, found in poll.poll(int(_PAUSE * 1000)))
    except (OSError, ValueError):
        return False
    return not gone


def _shower(*, json: bool, color: str) -> Callable[[dict[str, Any]], None]:
    """How one event is shown: as JSON on a line, or in words on one."""
    if json:
        return say_document
    paint = Paint(on=coloured(color, sys.stdout, os.environ))
    return lambda record: say(event_line(cleaned(record), paint) + "\n")


def _show(folder: str, wanted: str, *, json: bool, color: str) -> int:
    with Index(folder, tell=_tell) as index:
        found = index.found(wanted)
        if not found:
            raise JournalError(f"no decision has the id `{wanted}`", name="journal.unknown", hint="`hookline log` lists them")
        if len(found) > 1:
            ids = ", ".join(f"`{record['id']}`" for record in found[:5])
            raise JournalError(f"{len(found)} decisions have an id that begins with `{wanted}`: {ids}", name="journal.unknown")
        document = {"schema": "hookline.entry/1", "event": found[0], "runs": index.runs(found[0]["id"])}
    present(document, entry_page, json=json, color=color)
    return OK


# -- the journal itself ------------------------------------------------------------------------------------------------


def _verify(folder: str, head: str, *, json: bool, color: str) -> int:
    remembered = remembered_head(head) if head else None
    if head and remembered is None:
        raise ConfigError(f"`--head {head}` is no head", name="config.option", hint="as verify prints it: SEQ:HASH")
    if not os.path.isdir(folder):  # nothing is there that could be called whole
        tell(f"{CODES['journal.missing']} there is no journal in `{folder}`")
        return FINDINGS
    result = verify(folder, remembered=remembered)
    present(result.to_dict(), verification_page, json=json, color=color)
    return OK if result.whole else FINDINGS


def _reindex(folder: str) -> int:
    with Index(folder, tell=_tell) as index:
        tell(f"{index.rebuild()} decisions in the index")
    return OK


def _prune(folder: str, at: str, *, dry_run: bool, json: bool, color: str) -> int:
    if not os.path.isdir(folder):
        raise JournalError(f"there is no journal in `{folder}`", name="journal.missing")
    trail = Trail(folder, tell=_tell, **limits_of(os.environ))
    if dry_run:
        found = segments(folder)
        sizes = [os.stat(os.path.join(folder, each.name)).st_size for each in found]
        gone = [each.name for each in too_many(found, sizes, at[:10], trail.keep_days, trail.keep_bytes, asked=True)]
    else:
        gone = trail.prune(at=at)
        trail.close()
    present({"schema": "hookline.pruned/1", "dry_run": dry_run, "removed": gone}, pruned_page, json=json, color=color)
    return OK


@contextmanager
def _readable(folder: str) -> Iterator[None]:
    """Whatever cannot be read there is told as such."""
    try:
        yield
    except OSError as error:
        raise JournalError(f"`{folder}` cannot be read: {(error.strerror or str(error)).lower()}", name="journal.missing") from None


def _tell(name: str, message: str) -> None:
    tell(f"{CODES[name]} {message}")
