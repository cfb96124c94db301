"""Verify: whether a trail is whole and unaltered, and, if it is not, where it is broken first and how.

What this proves: nobody changed, removed, inserted or reordered a record without computing every later one anew. Who can
write these files can do that, and can cut off the newest records together with the head; a head that is remembered elsewhere
shows both.
"""

from __future__ import annotations

import fcntl
import os
from time import monotonic, sleep

from hookline.journal.chain import NOTHING, read_link
from hookline.journal.reading import HEAD, Head, lines, read_head, segments
from hookline.journal.trail import CUT, MENDED, TORN_END
from hookline.model.frozen import Frozen
from hookline.text.digest import sha256

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping
    from typing import Any

    from hookline.journal.chain import Link

SCHEMA = "hookline.verification/1"
_WAIT = 2.0  # seconds for the lock
# What may have happened to a record, in the words of the findings.
EDITED, REPLACED, REMOVED, INSERTED, REORDERED, TRUNCATED = "edited", "replaced", "removed", "inserted", "reordered", "truncated"


class Finding(Frozen):
    """The first broken place: which file and line (from 1; 0: the whole file), what kind, and what that means."""

    kind: str
    file: str
    line: int
    message: str

    def to_dict(self) -> dict[str, Any]:
        return {"kind": self.kind, "file": self.file, "line": self.line, "message": self.message}


class Verification(Frozen):
    """What was found: how many records, from which number to which, what is broken first, and what else is to be known."""

    records: int = 0
    first: int = 0
    last: int = 0
    head: str = NOTHING
    broken: Finding | None = None
    notes: tuple[str, ...] = ()

    def to_dict(self) -> dict[str, Any]:
        """The document `hookline.verification/1`."""
        return {
            "schema": SCHEMA,
            "ok": self.broken is None,
            "records": self.records,
            "first": self.first,
            "last": self.last,
            "head": f"{self.last}:{self.head}",
            "broken": self.broken.to_dict() if self.broken else None,
            "notes": list(self.notes),
        }


class Line(Frozen):
    """One line of a trail, where it stands, and what it is."""

    file: str
    number: int
    data: bytes
    link: Link | None


def verify(folder: str, *, remembered: tuple[int, str] | None = None) -> Verification:
    """Check a whole trail. `remembered`: the number and the hash of a record that somebody wrote down.

    Raises:
        OSError: the folder or a file cannot be read.
    """
    head, ends = _snapshot(folder)
    walk = _Walk(ends)
    for line in _lines(ends):
        if walk.step(line) is not None:
            break
    return walk.result(head, remembered)


def _snapshot(folder: str) -> tuple[Head | None, Mapping[str, int]]:
    """The head, and how long each file is, oldest first, between two records if its writers let us have that moment."""
    head = None
    try:
        with open(os.path.join(folder, HEAD), "rb") as file:
            _locked(file.fileno())
            head = read_head(file.read(512))
            return head, _ends(folder)
    except FileNotFoundError:
        return head, _ends(folder)


def _locked(descriptor: int) -> None:
    until = monotonic() + _WAIT
    while monotonic() < until:
        try:
            return fcntl.flock(descriptor, fcntl.LOCK_SH | fcntl.LOCK_NB)
        except BlockingIOError:
            sleep(0.001)
    return None


def _ends(folder: str) -> Mapping[str, int]:
    paths = [os.path.join(folder, each.name) for each in segments(folder)]
    return {path: os.stat(path, follow_symlinks=False).st_size for path in paths}


def _lines(ends: Mapping[str, int]) -> Iterator[Line]:
    for path, end in ends.items():
        for number, (_, data) in enumerate(lines(path, end=end), 1):
            link = read_link(data[:-1]) if data.endswith(b"\n") else None
            yield Line(file=path, number=number, data=data, link=link)


class _Walk:
    """One walk along a trail. `torn`: the lines that are no records, until one says what they are."""

    def __init__(self, ends: Mapping[str, int]) -> None:
        self.ends = ends
        self.folder = os.path.dirname(next(iter(ends), ""))
        self.records = self.first = self.seq = 0
        self.hash = NOTHING
        self.began: Link | None = None
        self.torn: list[Line] = []
        self.before: Line | None = None
        self.broken: Finding | None = None
        self.known: dict[int, str] = {}
        self.notes: list[str] = []
        self.cut: dict[str, Any] | None = None

    def step(self, line: Line) -> Finding | None:
        """Take one line; the finding, if it breaks the trail."""
        if line.link is None:
            self.torn.append(line)
            return None
        self.broken = self._wrong(line, line.link)
        if self.broken is None:
            self._take(line, line.link)
        return self.broken

    def _take(self, line: Line, link: Link) -> None:
        self.began = self.began or link
        self.first = self.first or link.seq
        self.records += 1
        self.seq, self.hash, self.before = link.seq, link.hash, line
        self.known[link.seq] = link.hash
        if link.record.get("type") == CUT:
            self.cut = link.record.get("begins")
        if self.torn:
            self.notes.append(f"{self.torn[0].file}:{self.torn[0].number}: torn: a writer was killed here, as record {link.seq} says")
            self.torn = []

    def _wrong(self, line: Line, link: Link) -> Finding | None:
        if not link.sound:
            return self._unsound(line, link)
        if self.torn and not self._mends(link):
            return self._no_record(link)
        lost = link.record.get("lost") if link.record.get("type") == MENDED else None
        if lost:
            told = f"records {lost['from']} to {lost['to']} were there and are gone: removed, or lost with the power"
            return _finding(TRUNCATED, line, told)
        if self.began is None or (link.seq == self.seq + 1 and link.prev == self.hash):
            return None
        return self._unlinked(line, link)

    def _mends(self, link: Link) -> bool:
        """Whether a record says what the lines before it are: the end of what a writer left that was killed."""
        told = link.record.get("torn") if link.record.get("type") == MENDED else None
        if not isinstance(told, dict) or not isinstance(told.get("bytes"), int):
            return False
        data = b"".join(each.data for each in self.torn)
        torn, rest = data[: told["bytes"]], data[told["bytes"] :]
        return sha256(torn) == told.get("sha256") and rest in (b"", TORN_END)

    # -- what it is that is wrong ----------------------------------------------------------------------------------

    def _unsound(self, line: Line, link: Link) -> Finding:
        """A line that is not what its hash says: written anew, or put in by somebody who cannot link."""
        following = self._following(line)
        inserted = following is not None and self.began is not None and following.prev == self.hash
        kind, why = (INSERTED, "was never part of it") if inserted else (EDITED, "is not what was written: its hash is another")
        return _finding(kind, line, f"record {link.seq} {why}")

    def _no_record(self, link: Link) -> Finding:
        """A line that is no record, and that no record accounts for."""
        inserted = self.began is None or (link.seq == self.seq + 1 and link.prev == self.hash)
        kind, why = (INSERTED, "a line that is no record") if inserted else (EDITED, "a line that no longer is a record")
        return _finding(kind, self.torn[0], why)

    def _unlinked(self, line: Line, link: Link) -> Finding:
        """A sound record that does not belong behind the one before it."""
        if link.seq <= self.seq:
            seen = self.known.get(link.seq)
            kind = INSERTED if seen is not None else REORDERED
            return _finding(kind, line, f"record {link.seq} stands behind record {self.seq}")
        if link.seq == self.seq + 1:
            return _finding(REPLACED, line, f"record {link.seq} was not written behind the record {self.seq} that is there")
        if any(each.link is not None and each.link.seq == self.seq + 1 for each in _lines(self.ends)):
            return _finding(REORDERED, line, f"record {link.seq} stands behind record {self.seq}, and {self.seq + 1} is elsewhere")
        return _finding(REMOVED, line, f"records {self.seq + 1} to {link.seq - 1} are missing before it")

    def _following(self, line: Line) -> Link | None:
        found = False
        for each in _lines(self.ends):
            if found and each.link is not None:
                return each.link
            found = found or (each.file == line.file and each.number == line.number)
        return None

    # -- the whole -------------------------------------------------------------------------------------------------

    def result(self, head: Head | None, remembered: tuple[int, str] | None) -> Verification:
        """What the walk comes to, beside the heads that are known."""
        broken = self.broken or self._beginning() or self._ending(head) or self._compared(remembered)
        if broken is None and head is None:
            self.notes.append("the file `head` is missing: whether the newest records were removed cannot be told")
        return Verification(records=self.records, first=self.first, last=self.seq, head=self.hash, broken=broken, notes=tuple(self.notes))

    def _beginning(self) -> Finding | None:
        """The first record is the first of all, or a record says that what was before it was removed by retention."""
        if self.began is None or (self.began.seq == 1 and self.began.prev == NOTHING):
            return None
        file = next(iter(self.ends))
        if (
            self.cut is None
            or self.began.seq > self.cut["seq"]
            or (self.began.seq == self.cut["seq"] and self.began.prev != self.cut["prev"])
        ):
            return Finding(kind=REMOVED, file=file, line=1, message=f"records before {self.began.seq} are missing, and no record says why")
        self.notes.append(f"begins at record {self.began.seq}: what was before was removed by retention")
        return None

    def _ending(self, head: Head | None) -> Finding | None:
        if head is not None and head.seq > self.seq:
            file, number = (self.before.file, self.before.number) if self.before else (self.folder, 0)
            told = f"records {self.seq + 1} to {head.seq} were there and are gone: removed, or lost with the power"
            return Finding(kind=TRUNCATED, file=file, line=number, message=told)
        if head is not None and head.seq and self.known.get(head.seq, head.hash) != head.hash:
            return Finding(kind=REPLACED, file=self.folder, line=0, message=f"record {head.seq} is not the one that `head` tells of")
        if self.torn:
            first = self.torn[0]
            if len(self.torn) > 1 or first.data.endswith(b"\n"):
                return _finding(EDITED, first, "a line that is no record, and no record says why")
            self.notes.append(f"{first.file}:{first.number}: torn: a writer was killed here; the next record will say so")
        return None

    def _compared(self, remembered: tuple[int, str] | None) -> Finding | None:
        if remembered is None:
            return None
        seq, digest = remembered
        if seq > self.seq or not self.records:
            return Finding(kind=TRUNCATED, file=self.folder, line=0, message=f"record {seq}, which is remembered, is gone")
        if seq < self.first:
            self.notes.append(f"record {seq}, which is remembered, was removed by retention")
            return None
        if not self.known.get(seq, "").startswith(digest):
            return Finding(kind=REPLACED, file=self.folder, line=0, message=f"record {seq} is not the one that is remembered")
        return None


def remembered_head(text: str) -> tuple[int, str] | None:
    """A head as `hookline log verify` prints it, `SEQ:HASH`; None if it is none."""
    seq, colon, digest = text.partition(":")
    return (int(seq), digest.lower()) if colon and seq.isdecimal() and len(digest) >= 8 else None  # noqa: PLR2004 - 32 bits


def _finding(kind: str, line: Line, message: str) -> Finding:
    return Finding(kind=kind, file=line.file, line=line.number, message=message)
