"""Verify: whether a trail is whole and unaltered, and, if it is not, where it is broken and how.

What this proves: nobody changed, removed, inserted or reordered a record without computing every later one anew. Who can
write these files can do that, and can cut off the newest records together with the head; a head that is remembered elsewhere
shows both.
"""

from __future__ import annotations

import fcntl
import os
from time import monotonic, sleep

from hookline.journal.chain import NOTHING
from hookline.journal.files import open_to_read
from hookline.journal.reading import HEAD, HEAD_READ, Head, read_head, segments
from hookline.journal.walk import (
    EDITED,
    HEADLESS,
    REMOVED,
    REPLACED,
    TRUNCATED,
    Finding,
    Walk,
    lines_of,
    with_next,
)
from hookline.model.frozen import Frozen

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping
    from typing import Any


SCHEMA = "hookline.verification/1"
_WAIT = 2.0  # seconds for the lock


class Verification(Frozen):
    """What was found: how many records are as they were written, from which number to which, what is broken, and what else is to be known."""

    records: int = 0
    first: int = 0
    last: int = 0
    head: str = NOTHING
    findings: tuple[Finding, ...] = ()
    notes: tuple[str, ...] = ()

    @property
    def broken(self) -> Finding | None:
        """The first broken place."""
        return self.findings[0] if self.findings else None

    @property
    def whole(self) -> bool:
        """Whether there are records, and all is as it was written."""
        return self.records > 0 and not self.findings

    def to_dict(self) -> dict[str, Any]:
        """The document `hookline.verification/1`."""
        return {
            "schema": SCHEMA,
            "ok": self.whole,
            "records": self.records,
            "first": self.first,
            "last": self.last,
            "head": f"{self.last}:{self.head}",
            "broken": self.broken.to_dict() if self.broken else None,
            "findings": [each.to_dict() for each in self.findings],
            "notes": list(self.notes),
        }


def verify(folder: str, *, remembered: tuple[int, str] | None = None) -> Verification:
    """Check a whole trail. `remembered`: the number and the hash of a record that somebody wrote down.

    Raises:
        OSError: the folder or a file cannot be read.
        JournalError: a file of it is a link, a pipe or somebody else's.
    """
    head, ends = _snapshot(folder)
    walk = Walk(ends)
    for line, following in with_next(lines_of(ends)):
        walk.step(line, following)
    return _Whole(folder, walk, head, remembered).result()


def _snapshot(folder: str) -> tuple[Head | None, Mapping[str, int]]:
    """The head, and how long each file is, oldest first, between two records if its writers let us have that moment."""
    try:
        descriptor = open_to_read(os.path.join(folder, HEAD))
    except FileNotFoundError:
        return None, _ends(folder)
    try:
        _locked(descriptor)
        return read_head(os.pread(descriptor, HEAD_READ, 0)), _ends(folder)
    finally:
        os.close(descriptor)


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


class _Whole:
    """What a walk comes to, beside the heads that are known."""

    def __init__(
        self, folder: str, walk: Walk, head: Head | None, remembered: tuple[int, str] | None
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
            *self._headless(),
            *self._compared(),
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
        """The first record is the first of all, or a record says that what was before it was removed by retention."""
        began, cut = self.walk.began, self.walk.cut
        if began is None or (began.seq == 1 and began.prev == NOTHING) or self._owns_up():
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

    def _owns_up(self) -> bool:
        """Whether the first record tells that all before it are gone."""
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

    def _headless(self) -> Iterator[Finding]:
        """Without its head nobody can tell whether a trail was longer, unless somebody wrote that down."""
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

    def _compared(self) -> Iterator[Finding]:
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


def remembered_head(text: str) -> tuple[int, str] | None:
    """A head as `hookline log verify` prints it, `SEQ:HASH`; None if it is none."""
    seq, colon, digest = text.partition(":")
    return (int(seq), digest.lower()) if colon and seq.isdecimal() and len(digest) >= 8 else None  # noqa: PLR2004 - 32 bits
