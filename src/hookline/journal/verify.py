"""Verification: whether a journal is complete and unaltered, and if not, where it is broken.

It proves that records were not changed, removed, inserted or reordered, unless every later one was
computed again. A process that can write the files can do that, and can remove the newest records
together with the head. A head that you noted elsewhere reveals both. The scan continues after a
broken place. Lines that are no records, such as a killed writer leaves, break nothing where the
next record follows the one before them.
"""

from __future__ import annotations

import os
import re

from hookline.journal.log_files import (
    CUT,
    GENESIS_HASH,
    HEAD,
    HEAD_SIZE,
    Head,
    Link,
    list_segments,
    read_head,
    read_link,
)
from hookline.model.frozen import Frozen

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any


SCHEMA = "hookline.verification/1"
# What may have happened to a record, or to the head, which identifies the newest ones.
EDITED, REPLACED, REMOVED, INSERTED = "edited", "replaced", "removed", "inserted"
REORDERED, TRUNCATED, HEADLESS = "reordered", "truncated", "headless"
_MOST = 50  # findings
_ATTEMPTS = 5  # scans of a journal whose files go


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
    """
    for attempt in range(_ATTEMPTS):
        try:
            found = _scan(folder, remembered)
            break
        except FileNotFoundError:  # a writer removed an old file meanwhile
            if attempt == _ATTEMPTS - 1:
                raise
    more = len(found.findings) - _MOST
    if more > 0:
        del found.findings[_MOST:]
        found.notes.append(f"{more} more places are broken")
    return found


def _scan(folder: str, remembered: tuple[int, str] | None) -> Verification:
    head = _read_newest_head(folder)
    found = Verification()
    for segment in list_segments(folder):
        path = os.path.join(folder, segment.name)
        with open(path, "rb") as file:
            for number, line in enumerate(file, 1):
                found.check_line(path, number, line)
    found.check_ends(folder, head, remembered)
    return found


def parse_head(text: str) -> tuple[int, str] | None:
    """Parse a head as `hookline log verify` prints it, `SEQ:HASH`; None if it is not one."""
    found = re.fullmatch(r"(\d+):([0-9a-fA-F]{8,64})", text, re.ASCII)
    return (int(found[1]), found[2].lower()) if found else None


def _read_newest_head(folder: str) -> Head | None:
    """Return the head; None if it is missing or unreadable."""
    try:
        with open(os.path.join(folder, HEAD), "rb") as file:
            return read_head(file.read(HEAD_SIZE))
    except FileNotFoundError:
        return None


class Verification:
    """A scan of a journal, line by line, and its result.

    `records`: how many records are as written, from number `first` to `last`; `head`: the hash of
    the last one. `findings`: what is broken.
    """

    def __init__(self) -> None:
        self.records = self.first = self.last = 0
        self.head = GENESIS_HASH
        self.findings: list[Finding] = []
        self.notes: list[str] = []
        self._place = ("", 0)
        self._hashes: dict[int, str] = {}
        self._start_place = ("", 0)
        self._cut = 1  # the number of the record with which the journal starts after retention
        # The place of the first line that is no record since the last record.
        self._torn: tuple[str, int] | None = None

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
        findings = [each.as_dict() for each in self.findings]
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

    def check_line(self, file: str, number: int, line: bytes) -> None:
        """Check one line, with its line break."""
        self._place = file, number
        link = read_link(line[:-1]) if line.endswith(b"\n") else None
        if link is None:
            self._torn = self._torn or self._place
            return
        if not link.sound:
            message = f"record {link.seq} is not what was written: its hash is another"
            self._report(EDITED, message)
        if not self._hashes:
            self.first, self._start_place = link.seq, self._place
        elif (link.seq, link.prev) != (self.last + 1, self.head):
            self._report_misplaced(link)
        if self._torn:
            self._note_torn()
        match link.record:
            case {"type": str(kind), "begins": {"seq": int(seq)}} if kind == CUT:
                self._cut = seq
        self.last, self.head = link.seq, link.hash
        self._hashes[link.seq] = link.hash
        self.records += link.sound

    def _report_misplaced(self, link: Link) -> None:
        """Report a record that does not follow the one before it."""
        place = f"record {link.seq} stands behind record {self.last}"
        if link.seq in self._hashes:
            self._report(INSERTED, place)
        elif link.seq == self.last + 1:
            self._report(REPLACED, f"{place}, and was not written behind it")
        elif link.seq < self.last or link.seq - 1 in self._hashes:
            self._report(REORDERED, place)
        else:
            gap = f"records {self.last + 1} to {link.seq - 1} are missing before it"
            if self._torn:
                self._report(
                    EDITED, f"a line that is no record: {gap} record {link.seq}", self._torn
                )
                self._torn = None
            else:
                self._report(REMOVED, gap)

    def _note_torn(self) -> None:
        if self._torn:
            file, line = self._torn
            self.notes.append(f"{file}:{line}: no record: a writer was killed, or it was added")
            self._torn = None

    def check_ends(
        self, folder: str, head: Head | None, remembered: tuple[int, str] | None
    ) -> None:
        """Check the first record, the last one by the head, and the one that you noted."""
        self._place = folder, 0
        newest = max(self._hashes, default=0)
        seq, digest = remembered or (0, "")
        if self.first > 1:
            if self.first <= self._cut:
                removed = "what was before was removed by retention"
                self.notes.append(f"begins at record {self.first}: {removed}")
            else:
                message = f"records before {self.first} are missing, and no record says why"
                self._report(REMOVED, message, self._start_place)
        if head is None and self._hashes and seq != self.last:
            message = "the file `head` is missing or unreadable"
            self._report(HEADLESS, f"{message}: the newest records may have been removed")
        if head is not None and head.seq > newest:
            gone = f"records {newest + 1} to {head.seq} were there and are gone"
            self._report(TRUNCATED, f"{gone}: removed, or lost with the power")
        elif head is not None:
            self._check_hash(head.seq, head.hash, "that `head` names")
        self._note_torn()
        if seq > newest:
            self._report(TRUNCATED, f"record {seq}, which is remembered, is gone")
        elif 0 < seq < self.first:
            self.notes.append(f"record {seq}, which is remembered, was removed by retention")
        else:
            self._check_hash(seq, digest, "that is remembered")

    def _check_hash(self, seq: int, digest: str, which: str) -> None:
        if not self._hashes.get(seq, digest).startswith(digest):
            self._report(REPLACED, f"record {seq} is not the one {which}")

    def _report(self, kind: str, message: str, place: tuple[str, int] | None = None) -> None:
        file, line = place or self._place
        self.findings.append(Finding(kind=kind, file=file, line=line, message=message))
