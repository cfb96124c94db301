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

from hookline.journal.chain import GENESIS_HASH, HEAD, HEAD_READ, read_head, read_link
from hookline.journal.log_files import CUT, REPAIRED, TORN_END, list_segments, open_to_read
from hookline.model.frozen import Frozen
from hookline.text.digest import sha256

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Any

    from hookline.journal.chain import Head, Link

SCHEMA = "hookline.verification/1"
# What may have happened to a record, or to the head, which identifies the newest ones.
EDITED, REPLACED, REMOVED, INSERTED = "edited", "replaced", "removed", "inserted"
REORDERED, TRUNCATED, HEADLESS = "reordered", "truncated", "headless"
_NO_RECORD = "a line that is no record, and no record says why"
_MOST = 50  # findings
_WAIT = 2.0  # seconds to wait for the lock


class Finding(Frozen):
    """A broken place: file and line (from 1; 0: the whole file), what kind, and what it means."""

    kind: str
    file: str
    line: int
    message: str


def verify(folder: str, *, remembered: tuple[int, str] | None = None) -> Verification:
    """Check a whole journal. `remembered`: number and hash of a record that you noted earlier.

    Raises:
        OSError: the folder or a file cannot be read.
        JournalError: one of the files is a link or a pipe.
    """
    head, sizes = _snapshot(folder)
    found = Verification()
    for path, size in sizes.items():
        with open(open_to_read(path), "rb") as file:
            lines = file.read(size).splitlines(keepends=True)
        for number, line in enumerate(lines, 1):
            found.check_line(path, number, line)
    found.place = folder, 0
    found.check_ends(head, remembered)
    more = len(found.findings) - _MOST
    if more > 0:
        del found.findings[_MOST:]
        found.notes.append(f"{more} more places are broken")
    return found


def parse_head(text: str) -> tuple[int, str] | None:
    """Parse a head as `hookline log verify` prints it, `SEQ:HASH`; None if it is not one."""
    seq, _, digest = text.partition(":")
    return (int(seq), digest.lower()) if seq.isdecimal() and len(digest) >= 8 else None  # noqa: PLR2004 - 32 bits


class Verification:
    """A scan of a journal, line by line, and its result.

    `records`: how many records are as written, from number `first` to `last`; `head`: the hash of
    the last one. `findings`: what is broken. `place`: file and number of the line that it checks.
    """

    def __init__(self) -> None:
        self.records = self.first = self.last = 0
        self.head = GENESIS_HASH
        self.findings: list[Finding] = []
        self.notes: list[str] = []
        self.place = ("", 0)
        self._hashes: dict[int, str] = {}
        # The first record, if it is not number 1; and where retention says that the journal starts.
        self._start: Link | None = None
        self._start_place = ("", 0)
        self._cut: tuple[int, str] | None = None
        # Lines that are no records, until a record explains them; and the place of the first.
        self._torn = b""
        self._torn_place = ("", 0)

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
        findings = [
            {"kind": each.kind, "file": each.file, "line": each.line, "message": each.message}
            for each in self.findings
        ]
        return {
            "schema": SCHEMA,
            "ok": self.is_whole,
            "records": self.records,
            "first": self.first,
            "last": self.last,
            "head": f"{self.last}:{self.head}",
            "broken": findings[0] if findings else None,
            "findings": findings,
            "notes": list(self.notes),
        }

    # -- lines -----------------------------------------------------------------------------------

    def check_line(self, file: str, number: int, line: bytes) -> None:
        """Check one line, with its line break."""
        self.place = file, number
        link = read_link(line[:-1]) if line.endswith(b"\n") else None
        if link is None:
            self._torn_place = self._torn_place if self._torn else self.place
            self._torn += line
            return
        if self._torn:
            self._check_torn(link)
        last = self._check_repair(link) if link.sound else self.last
        if not link.sound:
            message = f"record {link.seq} is not what was written: its hash is another"
            self._report(EDITED, message)
        if not link.follows(last, self.head):
            if self._hashes:
                self._report_misplaced(link, last)
            else:
                self._start, self._start_place = link, self.place
        if link.record.get("type") == CUT:
            match link.record.get("begins"):
                case {"seq": int(seq), "prev": str(prev)}:
                    self._cut = seq, prev
        self.first = self.first or link.seq
        self.last, self.head = link.seq, link.hash
        self._hashes[link.seq] = link.hash
        self.records += link.sound

    def _check_torn(self, link: Link) -> None:
        """Check that a record explains the lines before it as left over from a killed writer."""
        match link.record:
            case {"type": str(kind), "torn": {"bytes": int(size), "sha256": str(digest)}}:
                is_named = kind == REPAIRED and sha256(self._torn[:size]) == digest
                if link.sound and is_named and self._torn[size:] in (b"", TORN_END):
                    self._note_torn(f"a writer was killed here, as record {link.seq} says")
                    return
        self._report(EDITED, _NO_RECORD, self._torn_place)
        self._torn = b""

    def _check_repair(self, link: Link) -> int:
        """Report what a writer found missing; return the number of the record before this one."""
        record = link.record
        if record.get("type") != REPAIRED:
            return self.last
        if gone := record.get("head"):
            message = f"the file `head` was {gone} when record {link.seq} was written"
            self._report(HEADLESS, f"{message}: earlier records may have been removed")
        match record.get("lost"):
            case {"from": int(first), "to": int(last)}:
                self._report(TRUNCATED, _are_gone(first, last))
                return last if first == self.last + 1 else self.last
        return self.last

    def _report_misplaced(self, link: Link, last: int) -> None:
        """Report a record that does not follow the one before it."""
        place = f"record {link.seq} stands behind record {last}"
        if link.seq in self._hashes:
            self._report(INSERTED, place)
        elif link.seq == last + 1:
            self._report(REPLACED, f"{place}, and was not written behind it")
        elif link.seq < last or link.seq - 1 in self._hashes:
            self._report(REORDERED, place)
        else:
            gap = f"records {last + 1} to {link.seq - 1} are missing before it"
            self._report(REMOVED, gap)

    # -- both ends -------------------------------------------------------------------------------

    def check_ends(self, head: Head | None, remembered: tuple[int, str] | None) -> None:
        """Check the first record, the last one by the head, and the one that you noted."""
        newest = max(self._hashes, default=0)
        seq, digest = remembered or (0, "")
        if self._start is not None:
            self._check_start(self._start)
        if head is None and self._hashes and seq != self.last:
            message = "the file `head` is missing or unreadable"
            self._report(HEADLESS, f"{message}: the newest records may have been removed")
        if head is not None and head.seq > newest:
            self._report(TRUNCATED, _are_gone(newest + 1, head.seq))
        elif head is not None:
            self._check_hash(head.seq, head.hash, "that `head` names")
        if self._torn.endswith(b"\n"):
            self._report(EDITED, _NO_RECORD, self._torn_place)
        elif self._torn:
            self._note_torn("a writer was killed here; the next record will say so")
        if seq > newest:
            self._report(TRUNCATED, f"record {seq}, which is remembered, is gone")
        elif 0 < seq < self.first:
            self.notes.append(f"record {seq}, which is remembered, was removed by retention")
        else:
            self._check_hash(seq, digest, "that is remembered")

    def _check_start(self, start: Link) -> None:
        """Check that retention removed the records before the first one."""
        cut = self._cut
        if cut and (start.seq < cut[0] or (start.seq, start.prev) == cut):
            removed = "what was before was removed by retention"
            self.notes.append(f"begins at record {start.seq}: {removed}")
        else:
            message = f"records before {start.seq} are missing, and no record says why"
            self._report(REMOVED, message, self._start_place)

    def _check_hash(self, seq: int, digest: str, which: str) -> None:
        if not self._hashes.get(seq, digest).startswith(digest):
            self._report(REPLACED, f"record {seq} is not the one {which}")

    def _report(self, kind: str, message: str, place: tuple[str, int] | None = None) -> None:
        file, line = place or self.place
        self.findings.append(Finding(kind=kind, file=file, line=line, message=message))

    def _note_torn(self, message: str) -> None:
        file, line = self._torn_place
        self.notes.append(f"{file}:{line}: torn: {message}")
        self._torn = b""


def _are_gone(first: int, last: int) -> str:
    return f"records {first} to {last} were there and are gone: removed, or lost with the power"


def _snapshot(folder: str) -> tuple[Head | None, Mapping[str, int]]:
    """Return the head, and the size of each file, oldest first.

    It reads them between two records, if the writers release the lock in time.
    """
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
