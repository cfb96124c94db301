"""Verification: whether a journal is complete and unaltered, and if not, where and how it is broken.

It proves that records were not changed, removed, inserted or reordered, unless every later one was computed anew. A process that
can write the files can do that, and can remove the newest records together with the head. A head that you noted elsewhere
reveals both.
"""

from __future__ import annotations

import fcntl
import os
from time import monotonic, sleep

from hookline.journal.chain import GENESIS_HASH
from hookline.journal.safe_files import open_to_read
from hookline.journal.scanner import (
    EDITED,
    HEADLESS,
    REMOVED,
    REPLACED,
    TRUNCATED,
    Finding,
    Scanner,
    pair_with_next,
    read_all_lines,
)
from hookline.journal.segments import HEAD, HEAD_READ, Head, list_segments, read_head
from hookline.model.frozen import Frozen

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping
    from typing import Any


SCHEMA = "hookline.verification/1"
_WAIT = 2.0  # seconds to wait for the lock


class Verification(Frozen):
    """The result: how many records are sound, from which number to which, what is broken, and further notes."""

    records: int = 0
    first: int = 0
    last: int = 0
    head: str = GENESIS_HASH
    findings: tuple[Finding, ...] = ()
    notes: tuple[str, ...] = ()

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


def verify(folder: str, *, remembered: tuple[int, str] | None = None) -> Verification:
    """Check a whole journal. `remembered`: number and hash of a record that you noted earlier.

    Raises:
        OSError: the folder or a file cannot be read.
        JournalError: one of the files is a link, a pipe, or belongs to another user.
    """
    head, ends = _snapshot(folder)
    walk = Scanner(ends)
    for line, following in pair_with_next(read_all_lines(ends)):
        walk.scan(line, following)
    return _Verifier(folder, walk, head, remembered).result()


def _snapshot(folder: str) -> tuple[Head | None, Mapping[str, int]]:
    """Return the head, and the size of each file, oldest first; between two records, if the writers release the lock in time."""
    try:
        descriptor = open_to_read(os.path.join(folder, HEAD))
    except FileNotFoundError:
        return None, _list_sizes(folder)
    try:
        _wait_for_lock(descriptor)
        return read_head(os.pread(descriptor, HEAD_READ, 0)), _list_sizes(folder)
    finally:
        os.close(descriptor)


def _wait_for_lock(descriptor: int) -> None:
    until = monotonic() + _WAIT
    while monotonic() < until:
        try:
            return fcntl.flock(descriptor, fcntl.LOCK_SH | fcntl.LOCK_NB)
        except BlockingIOError:
            sleep(0.001)
    return None


def _list_sizes(folder: str) -> Mapping[str, int]:
    paths = [os.path.join(folder, each.name) for each in list_segments(folder)]
    return {path: os.stat(path, follow_symlinks=False).st_size for path in paths}


class _Verifier:
    """Combines a scan with the head and the record that you noted."""

    def __init__(
        self, folder: str, walk: Scanner, head: Head | None, remembered: tuple[int, str] | None
    ) -> None:
        self.folder = folder
        self.walk = walk
        self.head = head
        self.remembered = remembered

    def result(self) -> Verification:
        walk = self.walk
        rest = [
            *self._beginning(),
            *self._ending(),
            *self._check_missing_head(),
            *self._check_remembered(),
        ]
        if walk.more:
            walk.notes.append(f"{walk.more} more places are broken")
        findings = (*walk.findings, *rest)
        return Verification(
            records=walk.records,
            first=walk.first,
            last=walk.seq,
            head=walk.hash,
            findings=findings,
            notes=tuple(walk.notes),
        )

    def _beginning(self) -> Iterator[Finding]:
        """Check that the first record is number 1, or says that retention removed those before it."""
        began, cut = self.walk.began, self.walk.cut
        if began is None or (began.seq == 1 and began.prev == GENESIS_HASH) or self._admits_loss():
            return
        if cut is None or began.seq > cut[0] or (began.seq == cut[0] and began.prev != cut[1]):
            file = next(iter(self.walk.ends))
            yield Finding(
                kind=REMOVED,
                file=file,
                line=1,
                message=f"records before {began.seq} are missing, and no record says why",
            )
            return
        self.walk.notes.append(
            f"begins at record {began.seq}: what was before was removed by retention"
        )

    def _admits_loss(self) -> bool:
        """Return whether the first record says that all before it are lost."""
        began = self.walk.began
        match began.record.get("lost") if began is not None and began.sound else None:
            case {"from": 1}:
                return True
        return False

    def _ending(self) -> Iterator[Finding]:
        walk, head = self.walk, self.head
        if head is not None and head.seq > walk.seq:
            file, number = (
                (walk.before.file, walk.before.number) if walk.before else (self.folder, 0)
            )
            told = f"records {walk.seq + 1} to {head.seq} were there and are gone: removed, or lost with the power"
            yield Finding(kind=TRUNCATED, file=file, line=number, message=told)
            return
        if head is not None and head.seq and walk.known.get(head.seq, head.hash) != head.hash:
            yield self._about(REPLACED, f"record {head.seq} is not the one that `head` tells of")
        if walk.torn:
            first = walk.torn[0]
            if len(walk.torn) > 1 or first.data.endswith(b"\n"):
                told = "a line that is no record, and no record says why"
                yield Finding(kind=EDITED, file=first.file, line=first.number, message=told)
                return
            walk.notes.append(
                f"{first.file}:{first.number}: torn: a writer was killed here; the next record will say so"
            )

    def _check_missing_head(self) -> Iterator[Finding]:
        """Report a missing head: without it, only a noted record can show whether the journal was longer."""
        if (
            self.head is not None
            or not self.walk.began
            or (self.remembered and self.remembered[0] == self.walk.seq)
        ):
            return
        yield self._about(
            HEADLESS,
            "the file `head` is missing or unreadable: whether the newest records were removed cannot be told",
        )

    def _check_remembered(self) -> Iterator[Finding]:
        if self.remembered is None:
            return
        seq, digest = self.remembered
        if seq > self.walk.seq or not self.walk.began:
            yield self._about(TRUNCATED, f"record {seq}, which is remembered, is gone")
        elif seq < self.walk.first:
            self.walk.notes.append(f"record {seq}, which is remembered, was removed by retention")
        elif not self.walk.known.get(seq, "").startswith(digest):
            yield self._about(REPLACED, f"record {seq} is not the one that is remembered")

    def _about(self, kind: str, message: str) -> Finding:
        return Finding(kind=kind, file=self.folder, line=0, message=message)


def parse_head(text: str) -> tuple[int, str] | None:
    """Parse a head as `hookline log verify` prints it, `SEQ:HASH`; None if it is not one."""
    seq, colon, digest = text.partition(":")
    return (int(seq), digest.lower()) if colon and seq.isdecimal() and len(digest) >= 8 else None  # noqa: PLR2004 - 32 bits
