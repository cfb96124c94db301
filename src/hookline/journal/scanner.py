"""Scanner: goes through the lines of a journal and reports every place that is not as written, and what happened there.

It continues after a broken place, whose later records may be linked or not. So a gap that a record explains cannot hide later
changes.
"""

from __future__ import annotations

from collections import deque

from hookline.journal.chain import GENESIS_HASH, read_link
from hookline.journal.log_files import CUT, REPAIRED, TORN_END
from hookline.journal.segments import read_lines
from hookline.model.frozen import Frozen
from hookline.text.digest import sha256

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping
    from typing import Any

    from hookline.journal.chain import Link

# What may have happened to a record, or to the head, which identifies the newest ones.
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
    """One line of the journal: its place, its end, and its content."""

    file: str
    number: int
    end: int
    data: bytes
    link: Link | None


def read_all_lines(ends: Mapping[str, int]) -> Iterator[Line]:
    """Yield all lines of some files, each up to a given size."""
    for path, end in ends.items():
        for number, (at, data) in enumerate(read_lines(path, end=end), 1):
            link = read_link(data[:-1]) if data.endswith(b"\n") else None
            yield Line(file=path, number=number, end=at + len(data), data=data, link=link)


def pair_with_next(found: Iterable[Line]) -> Iterator[tuple[Line, Link | None]]:
    """Yield each line with the next record after it, if there is one."""
    waiting: deque[Line] = deque()
    for line in found:
        if line.link is not None:
            while waiting:
                yield waiting.popleft(), line.link
        waiting.append(line)
    for line in waiting:
        yield line, None


class Scanner:
    """One scan of a journal, line by line. `torn`: lines that are not records, until a record explains them."""

    def __init__(self, ends: Mapping[str, int]) -> None:
        self.ends = ends
        self.records = self.first = self.seq = self.more = 0
        self.hash = GENESIS_HASH
        self.began: Link | None = None
        self.torn: list[Line] = []
        self.before: Line | None = None
        self.findings: list[Finding] = []
        self.known: dict[int, str] = {}
        self.notes: list[str] = []
        self.cut: tuple[int, str] | None = None
        self._numbers: set[int] | None = None

    def scan(self, line: Line, following: Link | None) -> None:
        """Check one line, given the next record after it."""
        link = line.link
        if link is None:
            self.torn.append(line)
        elif not link.sound:
            self._check_unsound(line, link, following)
        elif self.torn and not self._explains_torn_lines(link):
            self._check_no_record(line, link, following)
        else:
            self._check_linked(line, link, following)

    def add_finding(self, kind: str, line: Line, message: str) -> None:
        """Keep a finding, up to a limit."""
        if len(self.findings) < _MOST:
            self.findings.append(
                Finding(kind=kind, file=line.file, line=line.number, message=message)
            )
        else:
            self.more += 1

    # -- records that are as written -------------------------------------------------------------------------------

    def _check_linked(self, line: Line, link: Link, following: Link | None) -> None:
        if link.record.get("type") == REPAIRED:
            self._report_loss(line, link)
            if self.began is None or (self._is_after_lost(link) and link.prev == self.hash):
                return self._take(line, link)
        if self.began is None or self._follows(link):
            return self._take(line, link)
        return self._check_unlinked(line, link, following)

    def _report_loss(self, line: Line, link: Link) -> None:
        """Report what a writer recorded about the damaged end that it found."""
        match link.record.get("lost"):
            case {"from": int(first), "to": int(last)}:
                self.add_finding(
                    TRUNCATED,
                    line,
                    f"records {first} to {last} were there and are gone: removed, or lost with the power",
                )
        gone = link.record.get("head")
        if gone:
            told = f"the file `head` was {gone if gone == 'unreadable' else 'missing'} when record {link.seq} was written"
            self.add_finding(
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
        self._advance(line, link, link.seq, link.hash)
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

    def _advance(self, line: Line, link: Link, seq: int, digest: str) -> None:
        self.began = self.began or link
        self.first = self.first or seq
        self.seq, self.hash, self.before = seq, digest, line
        self.known[seq] = digest

    def _explains_torn_lines(self, link: Link) -> bool:
        """Return whether a record explains the lines before it as left over from a killed writer."""
        told = link.record.get("torn") if link.record.get("type") == REPAIRED else None
        if not isinstance(told, dict) or not isinstance(told.get("bytes"), int):
            return False
        data = b"".join(each.data for each in self.torn)
        torn, rest = data[: told["bytes"]], data[told["bytes"] :]
        return sha256(torn) == told.get("sha256") and rest in (b"", TORN_END)

    # -- records that are not as written ---------------------------------------------------------------------------

    def _check_unsound(self, line: Line, link: Link, following: Link | None) -> None:
        """Report a line that does not match its hash: changed, or inserted by a writer that cannot link it."""
        if self.torn:
            self.add_finding(
                EDITED, self.torn[0], "a line that is no record, and no record says why"
            )
            self.torn = []
        if self.began is not None and following is not None and following.prev == self.hash:
            return self.add_finding(INSERTED, line, f"record {link.seq} was never part of it")
        self.add_finding(
            EDITED, line, f"record {link.seq} is not what was written: its hash is another"
        )
        if following is not None and (following.seq, following.prev) == (
            link.seq + 1,
            link.hash,
        ):  # the original record
            if self.began is not None and link.seq > self.seq + 1:
                self.add_finding(*self._describe_misplaced(line, link))
            return self._advance(line, link, link.seq, link.hash)
        seq = link.seq if self.began is None else self.seq + 1
        kept = following is not None and following.seq == seq + 1
        return self._advance(
            line, link, seq, following.prev if following is not None and kept else link.hash
        )

    def _check_no_record(self, line: Line, link: Link, following: Link | None) -> None:
        """Report lines that are not records and that no record explains: inserted, or damaged records, which are then the missing ones."""
        put_in = self.began is None or self._follows(link)
        kind, why = (
            (INSERTED, "a line that is no record")
            if put_in
            else (EDITED, "a line that no longer is a record")
        )
        self.add_finding(kind, self.torn[0], why)
        count, self.torn = len(self.torn), []
        if self.seq + 1 < link.seq <= self.seq + 1 + count:
            return self._take(line, link)
        return self._check_linked(line, link, following)

    def _check_unlinked(self, line: Line, link: Link, following: Link | None) -> None:
        """Report a sound record that does not follow the one before it."""
        self.add_finding(*self._describe_misplaced(line, link))
        if link.seq > self.seq and not (following is not None and self._follows(following)):
            self._take(line, link)

    def _describe_misplaced(self, line: Line, link: Link) -> tuple[str, Line, str]:
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
                for each in read_all_lines(self.ends)
                if each.link is not None and each.link.sound
            }
        return self._numbers
