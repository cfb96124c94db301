"""Verification: whether a journal is complete and unaltered, and if not, where and how it is broken.

It proves that records were not changed, removed, inserted or reordered, unless every later one was
computed anew. A process that can write the files can do that, and can remove the newest records
together with the head. A head that you noted elsewhere reveals both. The scan continues after a
broken place, so a gap that a record explains cannot hide later changes.
"""

from __future__ import annotations

import fcntl
import os
from time import monotonic, sleep

from hookline.journal.chain import GENESIS_HASH, HEAD, HEAD_READ, Head, read_head, read_link
from hookline.journal.log_files import CUT, REPAIRED, TORN_END
from hookline.journal.segments import list_segments, open_to_read, read_lines
from hookline.model.frozen import Frozen
from hookline.text.digest import sha256

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping
    from typing import Any

    from hookline.journal.chain import Link

SCHEMA = "hookline.verification/1"
# What may have happened to a record, or to the head, which identifies the newest ones.
EDITED, REPLACED, REMOVED, INSERTED = "edited", "replaced", "removed", "inserted"
REORDERED, TRUNCATED, HEADLESS = "reordered", "truncated", "headless"
_NO_RECORD = "a line that is no record, and no record says why"
_MOST = 50  # findings
_WAIT = 2.0  # seconds to wait for the lock


class Finding(Frozen):
    """A broken place: which file and line (from 1; 0: the whole file), what kind, and what that means."""

    kind: str
    file: str
    line: int
    message: str

    def to_dict(self) -> dict[str, Any]:
        return {"kind": self.kind, "file": self.file, "line": self.line, "message": self.message}


class Line(Frozen):
    """One line of the journal: its place and its content."""

    file: str
    number: int
    data: bytes
    link: Link | None


def verify(folder: str, *, remembered: tuple[int, str] | None = None) -> Verification:
    """Check a whole journal. `remembered`: number and hash of a record that you noted earlier.

    Raises:
        OSError: the folder or a file cannot be read.
        JournalError: one of the files is a link, a pipe, or belongs to another user.
    """
    head, ends = _snapshot(folder)
    found = Verification(ends)
    for line, following in pair_with_next(read_all_lines(ends)):
        found.check(line, following)
    found.check_beginning()
    whole = Line(file=folder, number=0, data=b"", link=None)
    found.check_end(head, whole)
    found.check_heads(head, remembered, whole)
    more = len(found.findings) - _MOST
    if more > 0:
        del found.findings[_MOST:]
        found.notes.append(f"{more} more places are broken")
    return found


def parse_head(text: str) -> tuple[int, str] | None:
    """Parse a head as `hookline log verify` prints it, `SEQ:HASH`; None if it is not one."""
    seq, _, digest = text.partition(":")
    return (int(seq), digest.lower()) if seq.isdecimal() and len(digest) >= 8 else None  # noqa: PLR2004 - 32 bits


def read_all_lines(ends: Mapping[str, int]) -> Iterator[Line]:
    """Yield all lines of some files, each up to a given size."""
    for path, end in ends.items():
        for number, (_, data) in enumerate(read_lines(path, end=end), 1):
            link = read_link(data[:-1]) if data.endswith(b"\n") else None
            yield Line(file=path, number=number, data=data, link=link)


def pair_with_next(found: Iterable[Line]) -> Iterator[tuple[Line, Link | None]]:
    """Yield each line with the next record after it, if there is one."""
    waiting: list[Line] = []
    for line in found:
        if line.link is not None:
            yield from ((each, line.link) for each in waiting)
            waiting = []
        waiting.append(line)
    yield from ((each, None) for each in waiting)


class Verification:
    """A scan of a journal, line by line, and its result.

    `records`: how many records are as written, from number `first` to `last`; `head`: the hash of
    the last one. `findings`: what is broken. `torn`: lines that are not records, until a record
    explains them.
    """

    def __init__(self, ends: Mapping[str, int]) -> None:
        self.records = self.first = self.last = 0
        self.head = GENESIS_HASH
        self.findings: list[Finding] = []
        self.notes: list[str] = []
        self.torn: list[Line] = []
        self._ends = ends
        self._began: Link | None = None
        self._last_line: Line | None = None
        self._known: dict[int, str] = {}
        self._cut: tuple[int, str] | None = None
        self._numbers: set[int] | None = None

    @property
    def broken(self) -> Finding | None:
        """Return the first broken place."""
        return self.findings[0] if self.findings else None

    @property
    def is_whole(self) -> bool:
        """Return whether there are records, and all are as written."""
        return self.records > 0 and not self.findings

    def to_dict(self) -> dict[str, Any]:
        """Return the document `hookline.verification/1`."""
        return {
            "schema": SCHEMA,
            "ok": self.is_whole,
            "records": self.records,
            "first": self.first,
            "last": self.last,
            "head": f"{self.last}:{self.head}",
            "broken": self.broken.to_dict() if self.broken else None,
            "findings": [each.to_dict() for each in self.findings],
            "notes": list(self.notes),
        }

    def check(self, line: Line, following: Link | None) -> None:
        """Check one line, given the next record after it."""
        link = line.link
        if link is None:
            self.torn.append(line)
        elif self.torn and not self._explains_torn_lines(link):
            self._check_after_torn(line, link, following)
        elif link.sound:
            self._check_linked(line, link, following)
        else:
            self._check_unsound(line, link, following)

    # -- records that are as written -------------------------------------------------------------------------------

    def _check_linked(self, line: Line, link: Link, following: Link | None) -> None:
        lost = _lost_records(link)
        if lost:
            self._report(TRUNCATED, line, _are_gone(*lost))
        is_repair = link.record.get("type") == REPAIRED
        gone = link.record.get("head") if is_repair else None
        if gone:
            state = gone if gone == "unreadable" else "missing"
            message = f"the file `head` was {state} when record {link.seq} was written"
            self._report(HEADLESS, line, f"{message}: earlier records may have been removed")
        explains_gap = lost == (self.last + 1, link.seq - 1) and link.prev == self.head
        if self._began is None or explains_gap or link.follows(self.last, self.head):
            self._take(line, link)
            return
        self._report_misplaced(line, link)
        if link.seq > self.last and not (following and following.follows(self.last, self.head)):
            self._take(line, link)

    def _take(self, line: Line, link: Link) -> None:
        """Continue after a record that counts."""
        self._advance(line, link, link.seq, link.hash)
        self.records += 1
        if link.record.get("type") == CUT:
            match link.record.get("begins"):
                case {"seq": int(seq), "prev": str(prev)}:
                    self._cut = seq, prev
        if self.torn:
            self._note_torn(f"torn: a writer was killed here, as record {link.seq} says")
            self.torn = []

    def _advance(self, line: Line, link: Link, seq: int, digest: str) -> None:
        self._began = self._began or link
        self.first = self.first or seq
        self.last, self.head, self._last_line = seq, digest, line
        self._known[seq] = digest

    def _explains_torn_lines(self, link: Link) -> bool:
        """Return whether a record explains the lines before it as left over from a killed writer."""
        data = b"".join(each.data for each in self.torn)
        match link.record:
            case {"type": str(kind), "torn": {"bytes": int(size), "sha256": str(digest)}}:
                is_named = kind == REPAIRED and sha256(data[:size]) == digest
                return link.sound and is_named and data[size:] in (b"", TORN_END)
        return False

    # -- records that are not as written ---------------------------------------------------------------------------

    def _check_after_torn(self, line: Line, link: Link, following: Link | None) -> None:
        """Report lines that are not records and that no record explains: inserted, or damaged records, which are then the missing ones."""
        first, count, self.torn = self.torn[0], len(self.torn), []
        is_inserted = self._began is None or link.follows(self.last, self.head)
        self._report(INSERTED if is_inserted else EDITED, first, _NO_RECORD)
        if link.sound and self.last + 1 < link.seq <= self.last + 1 + count:
            self._take(line, link)
        else:
            self.check(line, following)

    def _check_unsound(self, line: Line, link: Link, following: Link | None) -> None:
        """Report a line that does not match its hash: changed, or inserted by a writer that cannot link it."""
        if self._began is not None and following is not None and following.prev == self.head:
            self._report(INSERTED, line, f"record {link.seq} was never part of it")
            return
        message = f"record {link.seq} is not what was written: its hash is another"
        self._report(EDITED, line, message)
        if following is not None and following.follows(link.seq, link.hash):  # only edited
            if self._began is not None and link.seq > self.last + 1:
                self._report_misplaced(line, link)
            self._advance(line, link, link.seq, link.hash)
            return
        seq = link.seq if self._began is None else self.last + 1
        is_next = following is not None and following.seq == seq + 1
        self._advance(line, link, seq, following.prev if following and is_next else link.hash)

    def _report_misplaced(self, line: Line, link: Link) -> None:
        """Report a record that does not follow the one before it."""
        place = f"record {link.seq} stands behind record {self.last}"
        if link.seq <= self.last:
            self._report(INSERTED if link.seq in self._known else REORDERED, line, place)
        elif link.seq == self.last + 1:
            self._report(REPLACED, line, f"{place}, and was not written behind it")
        elif self.last + 1 in self._all_numbers():
            self._report(REORDERED, line, f"{place}, and {self.last + 1} is elsewhere")
        else:
            gap = f"records {self.last + 1} to {link.seq - 1} are missing before it"
            self._report(REMOVED, line, gap)

    def _all_numbers(self) -> set[int]:
        if self._numbers is None:
            links = (each.link for each in read_all_lines(self._ends))
            self._numbers = {link.seq for link in links if link is not None and link.sound}
        return self._numbers

    # -- the whole -------------------------------------------------------------------------------------------------

    def check_beginning(self) -> None:
        """Check that the first record is number 1, or says that retention removed those before it."""
        began, cut = self._began, self._cut
        if began is None or (began.seq == 1 and began.prev == GENESIS_HASH):
            return
        lost = _lost_records(began) if began.sound else None
        if lost and lost[0] == 1:  # reported already
            return
        if cut is None or began.seq > cut[0] or (began.seq == cut[0] and began.prev != cut[1]):
            first = Line(file=next(iter(self._ends)), number=1, data=b"", link=began)
            message = f"records before {began.seq} are missing, and no record says why"
            self._report(REMOVED, first, message)
        else:
            removed = "what was before was removed by retention"
            self.notes.append(f"begins at record {began.seq}: {removed}")

    def check_end(self, head: Head | None, whole: Line) -> None:
        """Check that the last record is the one that the head names, and that nothing follows it."""
        if head is not None and head.seq > self.last:
            self._report(TRUNCATED, self._last_line or whole, _are_gone(self.last + 1, head.seq))
            return
        if head is not None and head.seq and self._known.get(head.seq, head.hash) != head.hash:
            self._report(REPLACED, whole, f"record {head.seq} is not the one that `head` names")
        if not self.torn:
            return
        if len(self.torn) > 1 or self.torn[0].data.endswith(b"\n"):
            self._report(EDITED, self.torn[0], _NO_RECORD)
        else:
            self._note_torn("torn: a writer was killed here; the next record will say so")

    def check_heads(
        self, head: Head | None, remembered: tuple[int, str] | None, whole: Line
    ) -> None:
        """Check that a head is there, without which the journal may have been longer, and the record that you noted."""
        seq, digest = remembered or (0, "")
        if head is None and self._began and seq != self.last:
            message = "the file `head` is missing or unreadable"
            self._report(HEADLESS, whole, f"{message}: the newest records may have been removed")
        if remembered is None:
            return
        if seq > self.last or not self._began:
            self._report(TRUNCATED, whole, f"record {seq}, which is remembered, is gone")
        elif seq < self.first:
            self.notes.append(f"record {seq}, which is remembered, was removed by retention")
        elif not self._known.get(seq, "").startswith(digest):
            self._report(REPLACED, whole, f"record {seq} is not the one that is remembered")

    def _report(self, kind: str, line: Line, message: str) -> None:
        self.findings.append(Finding(kind=kind, file=line.file, line=line.number, message=message))

    def _note_torn(self, message: str) -> None:
        self.notes.append(f"{self.torn[0].file}:{self.torn[0].number}: {message}")


def _lost_records(link: Link) -> tuple[int, int] | None:
    """Return the first and last number of the records that a writer reported as lost, in this record."""
    match link.record:
        case {"type": str(kind), "lost": {"from": int(first), "to": int(last)}}:
            return (first, last) if kind == REPAIRED else None
    return None


def _are_gone(first: int, last: int) -> str:
    return f"records {first} to {last} were there and are gone: removed, or lost with the power"


def _snapshot(folder: str) -> tuple[Head | None, Mapping[str, int]]:
    """Return the head, and the size of each file, oldest first; between two records, if the writers release the lock in time."""
    try:
        descriptor = open_to_read(os.path.join(folder, HEAD))
    except FileNotFoundError:
        return None, _list_sizes(folder)
    try:
        until = monotonic() + _WAIT
        while monotonic() < until:
            try:
                fcntl.flock(descriptor, fcntl.LOCK_SH | fcntl.LOCK_NB)
                break
            except BlockingIOError:
                sleep(0.001)
        return read_head(os.pread(descriptor, HEAD_READ, 0)), _list_sizes(folder)
    finally:
        os.close(descriptor)


def _list_sizes(folder: str) -> Mapping[str, int]:
    paths = [os.path.join(folder, each.name) for each in list_segments(folder)]
    return {path: os.stat(path, follow_symlinks=False).st_size for path in paths}
