"""Reading: the files of a trail in their order, and the lines in them."""

from __future__ import annotations

import os

from hookline.journal.chain import NOTHING, read_link
from hookline.journal.files import open_to_read
from hookline.model.frozen import Frozen

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    from hookline.journal.chain import Link

HEAD = "head"
_ENDING = ".jsonl"
_MAGIC = "hookline.head/1"
_HEAD_SIZE = 256  # bytes, always: it is written over in place
HEAD_READ = 2 * _HEAD_SIZE
_DIGITS = 12
_PART = 1 << 20  # bytes that are read at once


class Head(Frozen):
    """Where a trail ends: the number and the hash of its last record, and the file and how long it is behind that record."""

    seq: int = 0
    hash: str = NOTHING
    segment: str = ""
    size: int = 0

    def written(self) -> bytes:
        """The head as a line of a fixed length."""
        said = f"{_MAGIC} {self.seq} {self.hash} {self.segment or '-'} {self.size}"
        return said.ljust(_HEAD_SIZE - 1).encode("ascii") + b"\n"


def read_head(data: bytes) -> Head | None:
    """A head as it was written; None if this is none."""
    parts = data.decode("ascii", "replace").split()
    if len(parts) != 5 or parts[0] != _MAGIC or not (parts[1].isdecimal() and parts[4].isdecimal()):  # noqa: PLR2004 - its words
        return None
    return Head(
        seq=int(parts[1]),
        hash=parts[2],
        segment="" if parts[3] == "-" else parts[3],
        size=int(parts[4]),
    )


class Segment(Frozen):
    """One file of a trail, by its name: the day that it was begun on, and the number of the first record in it."""

    name: str
    day: str
    seq: int


def segment_name(day: str, seq: int) -> str:
    """The name of the file that a record of that day and number begins."""
    return f"{day}.{seq:0{_DIGITS}d}{_ENDING}"


def segment_of(name: str) -> Segment | None:
    """What a name says; None if it is not that of a segment."""
    day, dot, number = name.removesuffix(_ENDING).partition(".")
    if (
        not name.endswith(_ENDING)
        or not dot
        or not number.isdecimal()
        or len(day) != len("2026-11-21")
    ):
        return None
    return Segment(name=name, day=day, seq=int(number))


def segments(folder: str | int) -> list[Segment]:
    """Every segment in a folder, by its path or descriptor, the oldest first.

    Raises:
        OSError: the folder cannot be listed.
    """
    found = (segment_of(name) for name in os.listdir(folder))
    return sorted(
        (each for each in found if each is not None), key=lambda each: (each.seq, each.name)
    )


def lines(path: str, start: int = 0, end: int | None = None) -> Iterator[tuple[int, bytes]]:
    """The lines of a file from an offset on, each with its offset, with its line break; the last may lack it.

    Raises:
        JournalError: it is no file, or somebody else's.
        OSError: the file cannot be read.
    """
    with open(open_to_read(path), "rb", buffering=_PART) as file:
        file.seek(start)
        at = start
        for line in file:
            kept = line if end is None else line[: max(0, end - at)]
            if not kept:
                return
            yield at, kept
            at += len(line)


def walked(head: Head, data: bytes) -> tuple[Head, bytes]:
    """The head behind the whole and sound records that follow it in `data`, and the bytes that are none.

    At the very beginning of what is there (`seq` 0 in a file whose former ones are gone) the first record is taken as it is.
    """
    at = 0
    while (end := data.find(b"\n", at)) >= 0:
        link = read_link(data[at:end])
        if (
            link is None
            or not link.sound
            or not (_follows(link, head) or (head.seq == 0 and at == 0))
        ):
            break
        head = head.replace(seq=link.seq, hash=link.hash, size=head.size + end + 1 - at)
        at = end + 1
    return head, data[at:]


def _follows(link: Link, head: Head) -> bool:
    return link.seq == head.seq + 1 and link.prev == head.hash
