"""Search: the records of a journal that match a query, read from its files, newest first.

A line is parsed only if it contains the bytes that a match must contain, so a search reads 256 MiB
in less than a second. A line whose hash is wrong is not shown; `hookline log verify` says where.
"""

from __future__ import annotations

import json
import os
import re
from datetime import datetime
from itertools import islice

from hookline.errors import ConfigError, JournalError
from hookline.journal.log_files import list_segments, read_link
from hookline.journal.records import EVENT, NOTE, RUN, format_time
from hookline.model.frozen import Frozen

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence
    from typing import Any, TypeAlias

    # A line matches only if it contains one of these byte strings.
    Needle: TypeAlias = tuple[bytes, ...]

_SPAN = re.compile(r"(\d+(?:\.\d+)?)([smhdw])")
_UNITS = {"s": 1.0, "m": 60.0, "h": 3600.0, "d": 86400.0, "w": 604800.0}


class Query(Frozen):
    """Filters that must all match; an empty query matches every record.

    `event`: a canonical kind, or a native name. `dialect`: that of the host. `hook`: a part of a
    hook's id or name, or of its command where that is kept. `guest`: the program that asked in
    the dialect of another, "" for the dialect's own host, None for all. `session`: the start of a
    session id. `since`, `until`: times as records have them. `fault`: a hook failed. `after`: only
    records with a higher number.
    """

    event: str = ""
    dialect: str = ""
    tool: str = ""
    hook: str = ""
    stance: str = ""
    guest: str | None = None
    session: str = ""
    since: str = ""
    until: str = ""
    fault: bool = False
    after: int = 0

    def matches(self, record: Mapping[str, Any]) -> bool:
        """Return whether a record of an event or note matches.

        `hook` concerns other records, so this function does not check it.
        """
        at, faults = _text(record, "at"), record.get("faults")
        return (
            self.event in ("", record.get("kind"), record.get("native_event"))
            and self.dialect in ("", record.get("dialect"))
            and self.tool in ("", record.get("tool"))
            and self.guest in (None, record.get("guest", ""))
            and self.stance in ("", record.get("stance"))
            and _text(record, "session").startswith(self.session)
            and at >= self.since
            and (not self.until or at < self.until)
            and (not self.fault or (isinstance(faults, int) and faults > 0))
            and record.get("seq", 1) > self.after
        )

    def needles(self) -> list[Needle]:
        """Return byte strings of which a line must contain one from each tuple in order to match.

        The rarest come first.
        """
        found: list[Needle] = []
        if self.session:  # the id may continue
            found.append((_field("session", self.session)[:-1],))
        if self.tool:
            found.append((_field("tool", self.tool),))
        if self.stance:
            found.append((_field("stance", self.stance),))
        if self.dialect:
            found.append((_field("dialect", self.dialect),))
        if self.event:
            found.append((_field("kind", self.event), _field("native_event", self.event)))
        return found


class Search:
    """Searches the journal in one folder.

    `tell` receives the name of a problem and a message.

    Raises:
        JournalError: the folder is missing, or it cannot be read.
    """

    def __init__(
        self, folder: str, *, tell: Callable[[str, str], None] = lambda _name, _message: None
    ) -> None:
        if not os.path.isdir(folder):
            raise JournalError(
                f"there is no journal in `{folder}`",
                name="journal.missing",
                hint="hookline has not written to it yet",
            )
        self.folder = folder
        self.tell = tell

    def events(self, query: Query, *, limit: int = 0) -> list[dict[str, Any]]:
        """Return the events and notes that match a query, newest last, at most `limit` (0: all)."""
        return list(islice(self._matches(query), limit or None))[::-1]

    def latest(self, query: Query) -> dict[str, Any] | None:
        """Return the newest decision that matches a query."""
        return next((each for each in self._matches(query) if each.get("stance")), None)

    def _matches(self, query: Query) -> Iterator[dict[str, Any]]:
        since, after = query.since, query.after
        ids: set[str] | None = None
        if query.hook:
            runs = self._records((RUN,), [], since=since, after=after)
            ids = {_text(run, "event") for run in runs if _names_hook(run, query.hook)}
        for record in self._records((EVENT, NOTE), query.needles(), since=since, after=after):
            if query.matches(record) and (ids is None or record.get("id") in ids):
                yield record

    def find_by_id(self, beginning: str) -> list[dict[str, Any]]:
        """Return the events whose id begins with a text, oldest first."""
        found = self._records((EVENT, NOTE), [(_field("id", beginning)[:-1],)])
        return [each for each in found if _text(each, "id").startswith(beginning)][::-1]

    def runs(self, event_id: str) -> list[dict[str, Any]]:
        """Return the records of the hooks that ran for an event, in the order of writing."""
        return list(self._with_field(RUN, "event", event_id))[::-1]

    def note_about(self, identity: str, before: int) -> dict[str, Any] | None:
        """Return the newest note about a hook that has a smaller number than `before`."""
        notes = self._with_field(NOTE, "identity", identity) if identity else iter(())
        return next((note for note in notes if note["seq"] < before), None)

    def count_runs(self, hook_id: str, since: float) -> int:
        """Count the runs of a hook since a time in seconds since 1970."""
        return sum(1 for _ in self._with_field(RUN, "hook", hook_id, since=format_time(since)))

    def count_events(self, kind: str, root: str, since: float) -> int:
        """Count the events of a kind in a folder and below, since a time in seconds since 1970."""
        below = f"{root.rstrip('/')}/"
        events = self._with_field(EVENT, "kind", kind, since=format_time(since))
        return sum(f"{_text(event, 'cwd')}/".startswith(below) for event in events)

    def names(self, field: str) -> set[str]:
        """Return every text that some record has in a field, such as `kind`, `hook`, `name`."""
        pattern = re.compile(b'"%s":("(?:[^"\\\\]|\\\\.)*")' % field.encode("ascii"))
        found: set[bytes] = set()
        for data in self._files():
            found.update(pattern.findall(data))
        return {str(json.loads(text)) for text in found}

    def has_hook(self, word: str) -> bool:
        """Return whether the id, name or command of a hook in the journal contains a word."""
        return any(_names_hook(run, word) for run in self._records((RUN,), []))

    def last(self) -> int:
        """Return the number of the newest record; 0 without one."""
        return next((each["seq"] for each in self._records((EVENT, RUN, NOTE), [])), 0)

    # -- reading ---------------------------------------------------------------------------------

    def _with_field(
        self, kind: str, field: str, value: str, *, since: str = ""
    ) -> Iterator[dict[str, Any]]:
        """Yield the sound records of a type with that value in a field, newest first."""
        found = self._records((kind,), [(_field(field, value),)], since=since)
        return (each for each in found if each.get(field) == value and _text(each, "at") >= since)

    def _records(
        self, types: Sequence[str], needles: Sequence[Needle], *, since: str = "", after: int = 0
    ) -> Iterator[dict[str, Any]]:
        """Yield the sound records of some types whose lines contain each needle, newest first."""
        rarest, *others = (*needles, tuple(_field("type", each) for each in types))
        pattern = re.compile(b"|".join(map(re.escape, rarest)))
        odd = 0
        try:
            for data in self._files(since=since, after=after):
                starts = {data.rfind(b"\n", 0, each.start()) + 1 for each in pattern.finditer(data)}
                for start in sorted(starts, reverse=True):
                    line = data[start : data.find(b"\n", start)]
                    if all(any(each in line for each in needle) for needle in others):
                        link = read_link(line)
                        if link and link.sound and link.record.get("type") in types:
                            yield dict(link.record)
                        odd += link is not None and not link.sound
        finally:
            if odd:
                those = "1 record is" if odd == 1 else f"{odd} records are"
                why = "because of a change; `hookline log verify` shows where"
                self.tell("journal.broken", f"{those} not shown, {why}")

    def _files(self, *, since: str = "", after: int = 0) -> Iterator[bytes]:
        """Yield the complete lines of each file, newest file first, as far as they may match.

        `since`: a time as records have it; a file has no records from after the day in its name.
        `after`: a record's number.

        Raises:
            JournalError: a file cannot be read.
        """
        try:
            following = 0  # the number of the first record of the next file
            for each in reversed(list_segments(self.folder)):
                if each.day < since[:10] or 0 < following <= after + 1:
                    return
                following = each.seq
                with open(os.path.join(self.folder, each.name), "rb") as file:
                    data = file.read()
                yield data[: data.rfind(b"\n") + 1]  # a writer may be at work behind it
        except FileNotFoundError:  # retention removed it, and all that are older
            return
        except OSError as error:
            why = (error.strerror or "").lower()
            raise JournalError(
                f"`{self.folder}` cannot be read: {why}", name="journal.missing"
            ) from None


def parse_time(text: str, now: float) -> str:
    """Return a time as records have it, from a date, a time, or an age such as `2h`.

    A time such as `2026-11-21T10:00` may have a zone; else it is in local time.

    Raises:
        ConfigError: it is none of these.
    """
    span = _SPAN.fullmatch(text)
    try:
        if span:
            return format_time(now - float(span[1]) * _UNITS[span[2]])
        return format_time(datetime.fromisoformat(text).timestamp())
    except (ValueError, OverflowError):
        hint = "a time such as 2026-11-21T10:00, or an age: 30m, 2h, 7d"
        raise ConfigError(f"`{text}` is not a time", name="config.option", hint=hint) from None


def _names_hook(run: Mapping[str, Any], word: str) -> bool:
    """Return whether the id, the name or the kept command of a hook contains a word."""
    command = run.get("command")
    kept = _text(command, "value") if isinstance(command, dict) else ""
    texts = (_text(run, "hook"), _text(run, "name"), kept)
    return any(word.lower() in text.lower() for text in texts)


def _text(record: Mapping[str, Any], field: str) -> str:
    value = record.get(field)
    return value if isinstance(value, str) else ""


def _field(name: str, text: str) -> bytes:
    """Return a field with a text as lines contain it."""
    return f'"{name}":{json.dumps(text)}'.encode("ascii")
