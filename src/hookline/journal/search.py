"""Search: the records of a journal that match a query, read from its files, newest first.

A line is parsed only if it contains the bytes that a match must contain, so a search reads 256 MiB in
less than a second. A line whose hash is wrong, or whose number is not above the one before it, is
not shown; `hookline log verify` says what happened to it.
"""

from __future__ import annotations

import json
import os
import re

from hookline.errors import JournalError
from hookline.journal.chain import read_link
from hookline.journal.query import format_time
from hookline.journal.records import EVENT, NOTE, RUN
from hookline.journal.safe_files import open_to_read
from hookline.journal.segments import list_segments

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence
    from typing import Any, TypeAlias

    from hookline.journal.query import Query

    # A line matches only if it contains one of these byte strings.
    Needle: TypeAlias = tuple[bytes, ...]

_MOST_AT_ONCE = 100
_NUMBER = re.compile(rb'\{"schema":"[^"]*","seq":(\d{1,19}),')


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
        ids = self._events_of_hook(query) if query.hook else None
        found: list[dict[str, Any]] = []
        for record in self._records((EVENT, NOTE), query.needles(), query):
            if query.matches(record) and (ids is None or record.get("id") in ids):
                found.append(record)
                if len(found) == limit:
                    break
        return found[::-1]

    def latest(self, query: Query) -> dict[str, Any] | None:
        """Return the newest decision that matches a query."""
        return next(iter(self.events(query.replace(decided=True), limit=1)), None)

    def find_by_id(self, beginning: str) -> list[dict[str, Any]]:
        """Return the events whose id begins with a text, oldest first, at most 100."""
        needle = (b'"id":' + _encode(beginning)[:-1],)
        found = [
            record
            for record in self._records((EVENT, NOTE), [needle])
            if str(record.get("id", "")).startswith(beginning)
        ]
        return found[: -_MOST_AT_ONCE - 1 : -1]

    def runs(self, event_id: str) -> list[dict[str, Any]]:
        """Return the records of the hooks that ran for an event, in the order of writing."""
        needle = (b'"event":' + _encode(event_id),)
        found = self._records((RUN,), [needle])
        return [record for record in found if record.get("event") == event_id][::-1]

    def note_about(self, identity: str, before: int) -> dict[str, Any] | None:
        """Return the newest note about a hook that has a smaller number than `before`."""
        if not identity:
            return None
        notes = self._records((NOTE,), [(b'"identity":' + _encode(identity),)])
        about = (note for note in notes if note.get("identity") == identity)
        return next((note for note in about if note["seq"] < before), None)

    def count_runs(self, hook_id: str, since: float) -> int:
        """Count the runs of a hook since a time in seconds since 1970."""
        start = format_time(since)
        runs = self._records((RUN,), [(b'"hook":' + _encode(hook_id),)], since=start)
        return sum(run.get("hook") == hook_id and _text(run, "at") >= start for run in runs)

    def count_events(self, kind: str, root: str, since: float) -> int:
        """Count the events of a kind in a folder and below, since a time in seconds since 1970."""
        start, below = format_time(since), f"{root.rstrip('/')}/"
        events = self._records((EVENT,), [(b'"kind":' + _encode(kind),)], since=start)
        return sum(
            event.get("kind") == kind
            and _text(event, "at") >= start
            and f"{_text(event, 'cwd')}/".startswith(below)
            for event in events
        )

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

    def last(self, seq: int = 0) -> tuple[int, str]:
        """Return number and hash of the record with that number, or of the newest; else (0, "")."""
        for data in self._files(after=seq - 1):
            for start, end in _lines_with(data, (b'"seq":%d,' % seq if seq else b"\n",)):
                link = read_link(data[start:end])
                if link is not None and link.seq == (seq or link.seq):
                    return link.seq, link.hash
        return 0, ""

    # -- reading ---------------------------------------------------------------------------------

    def _events_of_hook(self, query: Query) -> set[str]:
        """Return the ids of the events for which a hook ran that the query names."""
        runs = self._records((RUN,), [], query)
        return {_text(run, "event") for run in runs if _names_hook(run, query.hook)}

    def _records(
        self,
        types: Sequence[str],
        needles: Sequence[Needle],
        query: Query | None = None,
        *,
        since: str = "",
    ) -> Iterator[dict[str, Any]]:
        """Yield the sound records of some types whose lines contain each needle, newest first."""
        jump, *others = (*needles, tuple(b'"type":' + _encode(each) for each in types))
        odd = 0
        try:
            for data in self._files(
                since=query.since if query else since,
                after=query.after if query else 0,
            ):
                for start, end in _lines_with(data, jump):
                    line = data[start:end]
                    if not all(any(each in line for each in needle) for needle in others):
                        continue
                    link = read_link(line)
                    if link is None or link.record.get("type") not in types:
                        continue
                    if link.sound and link.seq > _number_before(data, start):
                        yield dict(link.record)
                    else:
                        odd += 1
        finally:
            if odd:
                self.tell(
                    "journal.broken",
                    f"{odd} of the records are not shown, because they were changed or repeated; "
                    "`hookline log verify` shows where",
                )

    def _files(self, *, since: str = "", after: int = 0) -> Iterator[bytes]:
        """Yield the complete lines of each file, newest file first, as far as they may match.

        `since`: a time as records have it; a file has no records from after the day in its name.
        `after`: a record's number.

        Raises:
            JournalError: a file cannot be read.
        """
        try:
            found = list_segments(self.folder)
            for each, following in zip(reversed(found), [None, *reversed(found)], strict=False):
                if each.day < since[:10] or (following and following.seq <= after + 1):
                    return
                yield _complete_lines(os.path.join(self.folder, each.name))
        except FileNotFoundError:  # retention removed it, and all that are older
            return
        except OSError as error:
            raise JournalError(
                f"`{self.folder}` cannot be read: {(error.strerror or '').lower()}",
                name="journal.missing",
            ) from None


def _complete_lines(path: str) -> bytes:
    """Return a file's content up to its last line break; a writer may be at work behind it."""
    with open(open_to_read(path), "rb") as file:
        data = file.read()
    return data[: data.rfind(b"\n") + 1]


def _lines_with(data: bytes, needle: Needle) -> Iterator[tuple[int, int]]:
    """Yield start and end of each line that contains a needle, last line first."""
    end = len(data)
    places = dict.fromkeys(needle, end)
    while end > 0:
        for each, place in places.items():
            if place >= end:
                places[each] = data.rfind(each, 0, end)
        at = max(places.values())
        if at < 0:
            return
        start = data.rfind(b"\n", 0, at) + 1
        yield start, data.find(b"\n", at)
        end = start


def _number_before(data: bytes, start: int) -> int:
    """Return the number of the record on the line before; 0 where no record is there."""
    found = _NUMBER.match(data, data.rfind(b"\n", 0, max(0, start - 1)) + 1) if start else None
    return int(found[1]) if found else 0


def _names_hook(run: dict[str, Any], word: str) -> bool:
    """Return whether the id, the name or the kept command of a hook contains a word."""
    command = run.get("command")
    texts = (
        run.get("hook"),
        run.get("name"),
        command.get("value") if isinstance(command, dict) else "",
    )
    return any(word.lower() in text.lower() for text in texts if isinstance(text, str))


def _text(record: dict[str, Any], field: str) -> str:
    value = record.get(field)
    return value if isinstance(value, str) else ""


def _encode(text: str) -> bytes:
    """Return a text as records contain it."""
    return json.dumps(text).encode("ascii")
