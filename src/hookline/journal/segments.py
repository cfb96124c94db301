"""Segments: the files of a journal in order, and the lines in them."""

from __future__ import annotations

import os

from hookline.journal.chain import GENESIS_HASH, read_link
from hookline.journal.safe_files import open_to_read
from hookline.model.frozen import Frozen

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    from hookline.journal.chain import Link

HEAD = "head"
_ENDING = ".jsonl"
_MAGIC = "hookline.head/1"
_HEAD_SIZE = 256  # bytes, always, because it is overwritten in place
HEAD_READ = 2 * _HEAD_SIZE
_DIGITS = 12
_PART = 1 << 20  # bytes that are read at once


class Head(Frozen):
    """The end of the journal: number and hash of the last record, its file, and the length of that file after it."""

    seq: int = 0
    hash: str = GENESIS_HASH
    segment: str = ""
    size: int = 0

    def to_line(self) -> bytes:
        """Return the head as a line of fixed length."""
        said = f"{_MAGIC} {self.seq} {self.hash} {self.segment or '-'} {self.size}"
        return said.ljust(_HEAD_SIZE - 1).encode("ascii") + b"\n"


def read_head(data: bytes) -> Head | None:
    """Parse a head; None if the data is not one."""
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
    """A file of the journal, by its name: the day it was begun, and the number of its first record."""

    name: str
    day: str
    seq: int


def segment_name(day: str, seq: int) -> str:
    """Return the name of the file that starts with a record of that day and number."""
    return f"{day}.{seq:0{_DIGITS}d}{_ENDING}"


def parse_segment_name(name: str) -> Segment | None:
    """Parse the name of a segment; None if it is not one."""
    day, dot, number = name.removesuffix(_ENDING).partition(".")
    if (
        not name.endswith(_ENDING)
        or not dot
        or not number.isdecimal()
        or len(day) != len("2026-11-21")
    ):
        return None
    return Segment(name=name, day=day, seq=int(number))


def list_segments(folder: str | int) -> list[Segment]:
    """Return the segments of a folder, given by path or descriptor, oldest first.

    Raises:
        OSError: the folder cannot be listed.
    """
    found = (parse_segment_name(name) for name in os.listdir(folder))
    return sorted(
        (each for each in found if each is not None), key=lambda each: (each.seq, each.name)
    )


def read_lines(path: str, start: int = 0, end: int | None = None) -> Iterator[tuple[int, bytes]]:
    """Yield the lines of a file from an offset on, each with its offset and line break; the last line may lack a break.

    Raises:
        JournalError: it is not a regular file, or belongs to another user.
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


def advance_head(head: Head, data: bytes) -> tuple[Head, bytes]:
    """Return the head after the sound records at the start of `data`, and the bytes that follow them.

    If earlier files were removed (`seq` 0), the first record is accepted without its predecessor.
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
