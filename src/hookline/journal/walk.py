"""Walk: along the lines of a trail, every place that is not as it was written, and what became of it there.

A place that is broken ends no walk: what is behind it is linked to it or not, and has its own story. So a gap that a record
owns up to hides nothing that somebody did later.
"""

from __future__ import annotations

from collections import deque

from hookline.journal.chain import NOTHING, read_link
from hookline.journal.reading import lines
from hookline.journal.trail import CUT, MENDED, TORN_END
from hookline.model.frozen import Frozen
from hookline.text.digest import sha256

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping
    from typing import Any

    from hookline.journal.chain import Link

# What may have happened to a record, in the words of the findings; or to the head, which would tell of the newest ones.
EDITED, REPLACED, REMOVED, INSERTED, REORDERED, TRUNCATED = (
    "edited",
    "replaced",
    "removed",
    "inserted",
    "reordered",
    "truncated",
)
HEADLESS = "headless"
_MOST = 50  # findings


class Finding(Frozen):
    """A broken place: which file and line (from 1; 0: the whole file), what kind, and what that means."""

    kind: str
    file: str
    line: int
    message: str

    def to_dict(self) -> dict[str, Any]:
        return {"kind": self.kind, "file": self.file, "line": self.line, "message": self.message}


class Line(Frozen):
    """One line of a trail, where it stands and ends, and what it is."""

    file: str
    number: int
    end: int
    data: bytes
    link: Link | None


def lines_of(ends: Mapping[str, int]) -> Iterator[Line]:
    """All lines of some files, each as far as it is to be read."""
    for path, end in ends.items():
        for number, (at, data) in enumerate(lines(path, end=end), 1):
            link = read_link(data[:-1]) if data.endswith(b"\n") else None
            yield Line(file=path, number=number, end=at + len(data), data=data, link=link)


def with_next(found: Iterable[Line]) -> Iterator[tuple[Line, Link | None]]:
    """Each line with the next record behind it, if there is one."""
    waiting: deque[Line] = deque()
    for line in found:
        if line.link is not None:
            while waiting:
                yield waiting.popleft(), line.link
        waiting.append(line)
    for line in waiting:
        yield line, None


class Walk:
    """One walk along a trail, to be told each line. `torn`: the lines that are no records, until one says what they are."""

    def __init__(self, ends: Mapping[str, int]) -> None:
        self.ends = ends
        self.records = self.first = self.seq = self.more = 0
        self.hash = NOTHING
        self.began: Link | None = None
        self.torn: list[Line] = []
        self.before: Line | None = None
        self.findings: list[Finding] = []
        self.known: dict[int, str] = {}
        self.notes: list[str] = []
        self.cut: tuple[int, str] | None = None
        self._numbers: set[int] | None = None

    def step(self, line: Line, following: Link | None) -> None:
        """Take one line, and the next record behind it."""
        link = line.link
        if link is None:
            self.torn.append(line)
        elif not link.sound:
            self._unsound(line, link, following)
        elif self.torn and not self._mends(link):
            self._no_record(line, link, following)
        else:
            self._linked(line, link, following)

    def found(self, kind: str, line: Line, message: str) -> None:
        """Keep a finding, unless there are very many."""
        if len(self.findings) < _MOST:
            self.findings.append(
                Finding(kind=kind, file=line.file, line=line.number, message=message)
            )
        else:
            self.more += 1

    # -- records that are as they were written ---------------------------------------------------------------------

    def _linked(self, line: Line, link: Link, following: Link | None) -> None:
        if link.record.get("type") == MENDED:
            self._owned_up(line, link)
            if self.began is None or (self._is_after_lost(link) and link.prev == self.hash):
                return self._take(line, link)
        if self.began is None or self._follows(link):
            return self._take(line, link)
        return self._unlinked(line, link, following)

    def _owned_up(self, line: Line, link: Link) -> None:
        """What a writer said of the end of the trail as it found it."""
        match link.record.get("lost"):
            case {"from": int(first), "to": int(last)}:
                self.found(
                    TRUNCATED,
                    line,
                    f"records {first} to {last} were there and are gone: removed, or lost with the power",
                )
        gone = link.record.get("head")
        if gone:
            told = f"the file `head` was {gone if gone == 'unreadable' else 'missing'} when record {link.seq} was written"
            self.found(
                HEADLESS, line, f"{told}: whether records before it were removed cannot be told"
            )

    def _is_after_lost(self, link: Link) -> bool:
        match link.record.get("lost"):
            case {"from": int(first), "to": int(last)}:
                return first == self.seq + 1 and last == link.seq - 1
        return False

    def _follows(self, link: Link) -> bool:
        return link.seq == self.seq + 1 and link.prev == self.hash

    def _take(self, line: Line, link: Link) -> None:
        self._go_on(line, link, link.seq, link.hash)
        self.records += 1
        if link.record.get("type") == CUT:
            match link.record.get("begins"):
                case {"seq": int(seq), "prev": str(prev)}:
                    self.cut = seq, prev
        if self.torn:
            self.notes.append(
                f"{self.torn[0].file}:{self.torn[0].number}: torn: a writer was killed here, as record {link.seq} says"
            )
            self.torn = []

    def _go_on(self, line: Line, link: Link, seq: int, digest: str) -> None:
        self.began = self.began or link
        self.first = self.first or seq
        self.seq, self.hash, self.before = seq, digest, line
        self.known[seq] = digest

    def _mends(self, link: Link) -> bool:
        """Whether a record says what the lines before it are: the end of what a writer left that was killed."""
        told = link.record.get("torn") if link.record.get("type") == MENDED else None
        if not isinstance(told, dict) or not isinstance(told.get("bytes"), int):
            return False
        data = b"".join(each.data for each in self.torn)
        torn, rest = data[: told["bytes"]], data[told["bytes"] :]
        return sha256(torn) == told.get("sha256") and rest in (b"", TORN_END)

    # -- what it is that is wrong ----------------------------------------------------------------------------------

    def _unsound(self, line: Line, link: Link, following: Link | None) -> None:
        """A line that is not what its hash says: written anew, or put in by somebody who cannot link."""
        if self.torn:
            self.found(EDITED, self.torn[0], "a line that is no record, and no record says why")
            self.torn = []
        if self.began is not None and following is not None and following.prev == self.hash:
            return self.found(INSERTED, line, f"record {link.seq} was never part of it")
        self.found(EDITED, line, f"record {link.seq} is not what was written: its hash is another")
        if following is not None and (following.seq, following.prev) == (
            link.seq + 1,
            link.hash,
        ):  # it is the one that was there
            if self.began is not None and link.seq > self.seq + 1:
                self.found(*self._misplaced(line, link))
            return self._go_on(line, link, link.seq, link.hash)
        seq = link.seq if self.began is None else self.seq + 1
        kept = following is not None and following.seq == seq + 1
        return self._go_on(
            line, link, seq, following.prev if following is not None and kept else link.hash
        )

    def _no_record(self, line: Line, link: Link, following: Link | None) -> None:
        """Lines that are no records, and that no record accounts for: put in, or made so, and then they are those that are missing."""
        put_in = self.began is None or self._follows(link)
        kind, why = (
            (INSERTED, "a line that is no record")
            if put_in
            else (EDITED, "a line that no longer is a record")
        )
        self.found(kind, self.torn[0], why)
        count, self.torn = len(self.torn), []
        if self.seq + 1 < link.seq <= self.seq + 1 + count:
            return self._take(line, link)
        return self._linked(line, link, following)

    def _unlinked(self, line: Line, link: Link, following: Link | None) -> None:
        """A sound record that does not belong behind the one before it."""
        self.found(*self._misplaced(line, link))
        if link.seq > self.seq and not (following is not None and self._follows(following)):
            self._take(line, link)

    def _misplaced(self, line: Line, link: Link) -> tuple[str, Line, str]:
        if link.seq <= self.seq:
            return (
                (REORDERED if link.seq not in self.known else INSERTED),
                line,
                f"record {link.seq} stands behind record {self.seq}",
            )
        if link.seq == self.seq + 1:
            return (
                REPLACED,
                line,
                f"record {link.seq} was not written behind the record {self.seq} that is there",
            )
        if self.seq + 1 in self._all_numbers():
            return (
                REORDERED,
                line,
                f"record {link.seq} stands behind record {self.seq}, and {self.seq + 1} is elsewhere",
            )
        return REMOVED, line, f"records {self.seq + 1} to {link.seq - 1} are missing before it"

    def _all_numbers(self) -> set[int]:
        if self._numbers is None:
            self._numbers = {
                each.link.seq
                for each in lines_of(self.ends)
                if each.link is not None and each.link.sound
            }
        return self._numbers
