"""Index: where each decision stands in the trail, in SQLite, for questions. It holds nothing that cannot be made anew.

It is brought up to date when somebody asks, from where it was left; made anew where it does not fit the trail; and made in
memory where its folder cannot be written to.
"""

from __future__ import annotations

import json
import os
import sqlite3

from hookline.errors import JournalError
from hookline.journal.chain import read_link
from hookline.journal.database import connected, remove
from hookline.journal.files import open_to_read
from hookline.journal.indexed import NAME
from hookline.journal.query import stamp
from hookline.journal.reading import lines, segments
from hookline.journal.records import EVENT, NOTE, RUN

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from typing import Any, Self

    from hookline.journal.chain import Link
    from hookline.journal.query import Query

_MOST_AT_ONCE = 100
_LONGEST = 4096  # characters of one text that a hook is found by


class _OtherRecord(sqlite3.DatabaseError):
    """Something else stands in the trail where the index says that a record is."""


class Index:
    """The index of one trail. `tell` is given the name of a problem and a message.

    Raises:
        JournalError: there is no trail, or it cannot be read.
    """

    def __init__(
        self, folder: str, *, tell: Callable[[str, str], None] = lambda _name, _message: None
    ) -> None:
        if not os.path.isdir(folder):
            raise JournalError(
                f"there is no journal in `{folder}`",
                name="journal.missing",
                hint="nothing has been written down there yet",
            )
        self.folder = folder
        self.tell = tell
        self._checked = False
        self._odd = 0
        self._database = self._opened()

    # -- asking ----------------------------------------------------------------------------------------------------

    def events(self, query: Query, *, limit: int = 0) -> list[dict[str, Any]]:
        """The records of the events that a query asks for, the newest last, at most so many of them (0: all)."""
        where, values = query.clauses()
        return self._asked("events", f"{where} ORDER BY seq DESC LIMIT ?", [*values, limit or -1])[
            ::-1
        ]

    def found(self, beginning: str) -> list[dict[str, Any]]:
        """The records of the events whose id begins so."""
        return self._asked(
            "events",
            "substr(id, 1, length(?)) = ? ORDER BY seq LIMIT ?",
            [beginning, beginning, _MOST_AT_ONCE],
        )

    def latest(self, query: Query) -> dict[str, Any] | None:
        """The record of the newest decision that a query asks for."""
        return next(iter(self.events(query.replace(decided=True), limit=1)), None)

    def note_about(self, identity: str, before: int) -> dict[str, Any] | None:
        """The newest note about a hook, by what it is approved as, that was written before the record with that number."""
        found = (
            self._asked(
                "events", "about = ? AND seq < ? ORDER BY seq DESC LIMIT 1", [identity, before]
            )
            if identity
            else ()
        )
        return next(iter(found), None)

    def names(self, of: str) -> list[str]:
        """All that is known of one sort: `hook` (ids), `called` (by what words hooks are found), `kind`, `native` (of events)."""
        self.refresh()
        table = "runs" if of in ("hook", "called") else "events"
        return [
            name
            for (name,) in self._database.execute(f"SELECT DISTINCT {of} FROM {table}")  # noqa: S608 - table names are ours
            if name
        ]

    def runs(self, event_id: str) -> list[dict[str, Any]]:
        """The records of the hooks that were asked about an event, as they were written."""
        return self._asked("runs", "event = ? ORDER BY seq", [event_id])

    def asked(self, hook_id: str, since: float) -> int:
        """How often a hook was asked, by its id, since that time in seconds since 1970.

        Raises:
            JournalError: the trail cannot be read.
        """
        self.refresh()
        found = "SELECT count(*) FROM runs JOIN events ON events.id = runs.event WHERE hook = ? AND at >= ?"
        return int(self._database.execute(found, (_plain(hook_id), stamp(since))).fetchone()[0])

    def fired(self, kind: str, root: str, since: float) -> int:
        """How many events of a kind there were in a folder and below, since that time in seconds since 1970.

        Raises:
            JournalError: the trail cannot be read.
        """
        self.refresh()
        below = f"{root.rstrip('/')}/"
        found = "SELECT count(*) FROM events WHERE kind = ? AND at >= ? AND (cwd = ? OR substr(cwd, 1, length(?)) = ?)"
        return int(
            self._database.execute(
                found, (_plain(kind), stamp(since), *map(_plain, (root, below, below)))
            ).fetchone()[0]
        )

    def mark(self, seq: int = 0) -> tuple[int, str]:
        """The number and the id of the event with that number, or of the newest; (0, "") where there is none."""
        which, values = ("WHERE seq = ?", [seq]) if seq else ("ORDER BY seq DESC LIMIT 1", [])
        found = self._database.execute(f"SELECT seq, id FROM events {which}", values).fetchone()  # noqa: S608 - as above
        return (found[0], found[1]) if found else (0, "")

    def close(self) -> None:
        self._database.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *error: object) -> None:
        self.close()

    def _asked(self, table: str, rest: str, values: list[Any]) -> list[dict[str, Any]]:
        """The records of the rows that are asked for, from the trail; where others stand there by now, of a new index."""
        self.refresh()
        values = [_plain(value) if isinstance(value, str) else value for value in values]
        sql = f"SELECT seq, segment, start, length FROM {table} WHERE {rest}"  # noqa: S608 - our own tables and clauses
        try:
            return [self._record(*row) for row in self._database.execute(sql, values).fetchall()]
        except _OtherRecord:
            self._anew("it does not fit the trail")
            self.refresh()
        rows = self._database.execute(sql, values).fetchall()
        return [self._record(*row) for row in rows]

    def _record(self, seq: int, segment: str, start: int, length: int) -> dict[str, Any]:
        descriptor = open_to_read(os.path.join(self.folder, segment))
        try:
            link = read_link(os.pread(descriptor, length, start))
        finally:
            os.close(descriptor)
        if link is None or not link.sound or link.seq != seq:
            raise _OtherRecord
        return dict(link.record)

    # -- keeping up ------------------------------------------------------------------------------------------------

    def refresh(self) -> None:
        """Take in what was written since the last time; all of it anew, where the trail is not what it was.

        Raises:
            JournalError: the trail cannot be read.
        """
        try:
            self._refresh()
        except sqlite3.DatabaseError as error:
            self._anew(str(error))
            self._refresh()
        except OSError as error:
            raise JournalError(
                f"`{self.folder}` cannot be read: {(error.strerror or '').lower()}",
                name="journal.missing",
            ) from None
        self._tell_odd()

    def rebuild(self) -> int:
        """Make the index anew, and return how many events are in it. Raises as `refresh`."""
        self._database.close()
        remove(os.path.join(self.folder, NAME))
        self._database = self._opened()
        self.refresh()
        return int(self._database.execute("SELECT count(*) FROM events").fetchone()[0])

    def _refresh(self) -> None:
        found = segments(self.folder)
        with self._database:
            self._database.execute("BEGIN IMMEDIATE")
            self._check()
            known = dict(self._database.execute("SELECT name, size FROM segments").fetchall())
            if any(
                known.get(each.name, 0) > os.stat(os.path.join(self.folder, each.name)).st_size
                for each in found
            ):
                self._forget(list(known))
                known = {}
            self._forget([name for name in known if name not in {each.name for each in found}])
            for each in found:
                self._take(each.name, known.get(each.name, 0))

    def _check(self) -> None:
        """Look once whether all rows are there that were made.

        Raises:
            sqlite3.DatabaseError: some are not.
        """
        if self._checked:
            return
        made = self._database.execute("SELECT coalesce(sum(records), 0) FROM segments").fetchone()[
            0
        ]
        found = sum(
            self._database.execute(f"SELECT count(*) FROM {table}").fetchone()[0]  # noqa: S608 - table names are ours
            for table in ("events", "runs")
        )
        if made != found:
            raise sqlite3.DatabaseError(f"{found} of {made} records are in it")
        self._checked = True

    def _tell_odd(self) -> None:
        """Tell of lines that are not shown, whenever there are others than before."""
        odd = self._database.execute("SELECT coalesce(sum(odd), 0) FROM segments").fetchone()[0]
        if odd != self._odd and odd:
            told = f"{odd} records are not shown: they are not as they were written, or there twice; `hookline log verify` tells where"
            self.tell("journal.broken", told)
        self._odd = odd

    def _take(self, segment: str, start: int) -> None:
        """The lines of a segment from an offset on; what is no record is for `verify` to tell of."""
        end, odd = start, 0
        events: list[tuple[Any, ...]] = []
        runs: list[tuple[Any, ...]] = []
        for at, line in lines(os.path.join(self.folder, segment), start):
            if not line.endswith(b"\n"):
                break
            end = at + len(line)
            link = read_link(line[:-1])
            if link is None:
                continue
            place = (segment, at, len(line) - 1)
            if not link.sound:
                odd += 1
            elif link.record.get("type") in (EVENT, NOTE):
                events.append((*_event_row(link), *place))
            elif link.record.get("type") == RUN:
                runs.append((*_run_row(link), *place))
        if end == start:
            return
        # What has a number that another one has already was put in later.
        kept = self._database.executemany(
            "INSERT OR IGNORE INTO events VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)", events
        ).rowcount
        kept += self._database.executemany(
            "INSERT OR IGNORE INTO runs VALUES (?, ?, ?, ?, ?, ?, ?)", runs
        ).rowcount
        self._database.execute(
            "INSERT INTO segments VALUES (?, ?, ?, ?)"
            " ON CONFLICT (name) DO UPDATE SET size = excluded.size, records = records + excluded.records, odd = odd + excluded.odd",
            (segment, end, kept, odd + len(events) + len(runs) - kept),
        )

    def _forget(self, names: list[str]) -> None:
        for name in names:
            for table, column in (("events", "segment"), ("runs", "segment"), ("segments", "name")):
                self._database.execute(f"DELETE FROM {table} WHERE {column} = ?", [name])  # noqa: S608 - our own tables

    # -- the file --------------------------------------------------------------------------------------------------

    def _opened(self) -> sqlite3.Connection:
        path = os.path.join(self.folder, NAME)
        try:
            return connected(path)
        except (OSError, sqlite3.OperationalError) as error:
            self.tell("journal.index", f"the index is kept in memory: {error}")
            return connected("")
        except sqlite3.DatabaseError as error:
            self.tell("journal.index", f"the index is made anew: {error}")
            remove(path)
            return connected(path)

    def _anew(self, why: str) -> None:
        self.tell("journal.index", f"the index is made anew: {why}")
        self._checked, self._odd = False, 0
        self._database.close()
        remove(os.path.join(self.folder, NAME))
        self._database = self._opened()


_EVENT_FIELDS = ("id", "at", "kind", "native_event", "tool", "cwd", "session", "stance")


def _event_row(link: Link) -> tuple[Any, ...]:
    """An event; or a note, with the identity of the hook that it is about."""
    record = link.record
    about = record.get("identity", "") if record.get("type") == NOTE else ""
    return (
        link.seq,
        *_texts(record, _EVENT_FIELDS),
        _number(record.get("faults")),
        _plain(about if isinstance(about, str) else ""),
    )


def _run_row(link: Link) -> tuple[Any, ...]:
    """A hook that was asked, with every text that it is found by."""
    record = link.record
    command = record.get("command")
    texts = (
        record.get("hook"),
        record.get("name"),
        command.get("value") if isinstance(command, dict) else "",
    )
    called = "\n".join(text[:_LONGEST] for text in texts if isinstance(text, str)).lower()
    return (link.seq, *_texts(record, ("event", "hook")), _plain(called))


def _texts(record: Any, fields: tuple[str, ...]) -> Iterator[str]:
    for field in fields:
        value = record.get(field, "")
        yield _plain(value if isinstance(value, str) else json.dumps(value))


def _plain(text: str) -> str:
    """A text without lone surrogates, which have no place in a database; what is searched for has none either."""
    return text.encode("utf-8", "replace").decode("utf-8")


def _number(value: Any) -> int:
    return value if type(value) is int and 0 <= value < 1 << 63 else 0
