"""Trail: the files that records are appended to, by any number of processes, each record by one write.

All writers take one lock, on the file `head`, which tells where the trail ends: so the next record is linked without
reading the trail. What a writer that was killed left behind is found by its successor, which says so in a record.
"""

from __future__ import annotations

import os
from _thread import allocate_lock

from hookline.journal.chain import linked
from hookline.journal.files import open_file, open_folder
from hookline.journal.lock import Locked
from hookline.journal.reading import (
    HEAD,
    HEAD_READ,
    Head,
    read_head,
    segment_name,
    segment_of,
    segments,
    walked,
)
from hookline.journal.records import essence
from hookline.text.digest import sha256

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping
    from typing import Any

MENDED, CUT = "mended", "cut"
# What ends a line that a killed writer left: it must not look like a record, not even if its line break alone is missing.
TORN_END = b"#\n"
_LONGEST_LINE = 4 << 20  # bytes


class Trail:
    """The trail in one folder.

    `largest`: bytes at which a new file is begun, as it is with every day. `sync`: each record is on the disk before it
    counts as written; without, it survives the death of every process, but not that of the machine. `keep_days`,
    `keep_bytes`: what is older or more is removed, in whole files (0: nothing is). `wait`: seconds for the lock. `tell` is
    given the name of a problem and a message, for what was found wrong and mended.
    """

    def __init__(
        self,
        folder: str,
        *,
        largest: int = 8 << 20,
        sync: bool = False,
        keep_days: int = 90,
        keep_bytes: int = 256 << 20,
        wait: float = 2.0,
        tell: Callable[[str, str], None] = lambda _name, _message: None,
    ) -> None:
        self.folder = folder
        self.largest = largest
        self.sync = sync
        self.keep_days = keep_days
        self.keep_bytes = keep_bytes
        self.wait = wait
        self.tell = tell
        self.process, self.mutex = os.getpid(), allocate_lock()
        self.head_file = self._segment_file = self._folder_file = -1
        self._segment = ""

    def append(
        self, records: Iterable[Mapping[str, Any]], *, at: str, wait: float | None = None
    ) -> Head:
        """Append records, and return where the trail ends then. When it returns they are written.

        `at`: a time in ISO 8601. `wait`: seconds for the lock, where they are others than those of the trail.

        Raises:
            JournalError: `journal.place`, the folder is not safe; `journal.busy`, others hold the lock for too long.
            OSError: they could not be written, or not all of them.
            ValueError, TypeError, RecursionError: JSON cannot say one of them.
        """
        with Locked(self, self.wait if wait is None else wait):
            head = self._end(at)
            if not head.segment or head.size >= self.largest or at[:10] > head.segment[:10]:
                head = self._begin_segment(head, at)
            for record in records:
                head = self._write(head, record)
            return self._remember(head)

    def prune(self, *, at: str) -> list[str]:
        """Remove what is too old or too much, and return the names of the files. Raises as `append`."""
        with Locked(self, self.wait):
            head = self._end(at)
            if not head.segment:
                return []
            return self._retain(head, at, asked=True)[1]

    def close(self) -> None:
        """Give back the files, when no thread writes to them; the next record opens them again."""
        self.look_for_fork()
        if self.mutex.acquire(timeout=self.wait):
            self.give_back()
            self.mutex.release()

    def __del__(self) -> None:
        """Whoever forgets to close a trail does not keep its files for ever."""
        if os is not None:  # at the very end of an interpreter, which closes all of them
            self.give_back()

    def look_for_fork(self) -> None:
        """After a fork the files are shared, and with them the lock; and whoever held ours is not here."""
        if self.process != os.getpid():
            self.give_back()
            self.process, self.mutex = os.getpid(), allocate_lock()

    def give_back(self) -> None:
        """What `close` does, for whoever holds the lock already."""
        for descriptor in (self.head_file, self._segment_file, self._folder_file):
            if descriptor >= 0:
                os.close(descriptor)
        self.head_file = self._segment_file = self._folder_file = -1
        self._segment = ""

    # -- the end of the trail --------------------------------------------------------------------------------------

    def _end(self, at: str) -> Head:
        """Where the trail ends, whatever happened to the last writer; what it left behind is closed by a record."""
        told = os.pread(self.head_file, HEAD_READ, 0)
        head = read_head(told)
        if head is not None and not head.segment and not segments(self._folder_file):
            return head
        if head is not None and self._opened(head.segment) and self._size() == head.size:
            return head
        return self._mended(
            head,
            at,
            ""
            if head is not None or not segments(self._folder_file)
            else "unreadable"
            if told
            else "missing",
        )

    def _mended(self, head: Head | None, at: str, gone: str) -> Head:
        """The end of the trail as its files show it, after a record of what was lost and of what is no record.

        `gone`: what became of the head, which alone tells whether the newest records were removed.
        """
        found, rest = self._found(head)
        lost = None
        if head is not None and head.seq > found.seq:
            lost = {"from": found.seq + 1, "to": head.seq, "head": head.hash}
            found = found.replace(seq=head.seq)
        if lost is None and not rest and not gone:
            return found
        if not found.segment or not self._opened(found.segment):
            found = self._fresh(found, at)
        torn = {"bytes": len(rest), "sha256": sha256(rest)} if rest else None
        before = TORN_END if rest[-1:] not in (b"", b"\n") else b""
        record = {"type": MENDED, "at": at, "torn": torn, "lost": lost} | (
            {"head": gone} if gone else {}
        )
        mended = self._remember(
            self._write(found.replace(size=found.size + len(rest)), record, before)
        )
        if gone:
            self.tell(
                "journal.gap",
                f"the file `head` of `{self.folder}` is {gone}: whether the newest records were removed cannot be told",
            )
        if lost:
            self.tell(
                "journal.gap",
                f"records {lost['from']} to {lost['to']} are gone from `{self.folder}`",
            )
        if torn:
            why = "a writer was killed, or the disk was full"
            self.tell(
                "journal.torn",
                f"{len(rest)} bytes at the end of `{found.segment}` are no record: {why}",
            )
        return mended

    def _found(self, head: Head | None) -> tuple[Head, bytes]:
        """The last sound record that is there, and the bytes behind it."""
        if (
            head is not None
            and head.segment
            and self._opened(head.segment)
            and self._size() > head.size
        ):
            return walked(head, self._read(head.size))
        for each in reversed(segments(self._folder_file)):
            if self._opened(each.name) and self._size():
                found, rest = walked(Head(segment=each.name), self._read(0))
                return (found if found.seq else found.replace(seq=each.seq - 1)), rest
        return Head(), b""

    # -- writing ---------------------------------------------------------------------------------------------------

    def _write(self, head: Head, record: Mapping[str, Any], before: bytes = b"") -> Head:
        line, digest = linked(record, head.seq + 1, head.hash)
        if len(line) > _LONGEST_LINE:
            line, digest = linked(essence(record), head.seq + 1, head.hash)
        data = before + line
        written = os.write(self._segment_file, data)
        if written != len(
            data
        ):  # the disk is full, or a limit is near: the rest raises what is the matter
            written += os.write(self._segment_file, data[written:])
        if written != len(data):
            raise OSError(f"{written} of {len(data)} bytes could be written")
        return head.replace(seq=head.seq + 1, hash=digest, size=head.size + len(data))

    def _remember(self, head: Head) -> Head:
        if self.sync:
            os.fdatasync(self._segment_file)
        os.pwrite(self.head_file, head.written(), 0)
        return head

    def _begin_segment(self, head: Head, at: str) -> Head:
        if head.segment:
            os.fdatasync(self._segment_file)
        fresh = self._remember(self._fresh(head, at))
        if self.sync:
            os.fsync(self._folder_file)
        return self._retain(fresh, at)[0] if head.segment else fresh

    def _fresh(self, head: Head, at: str) -> Head:
        """The head of an empty segment after that record."""
        name = segment_name(at[:10], head.seq + 1)
        self._open_segment(name)
        return head.replace(segment=name, size=self._size())

    # -- retention -------------------------------------------------------------------------------------------------

    def _retain(self, head: Head, at: str, *, asked: bool = False) -> tuple[Head, list[str]]:
        """Remove the oldest files, after a record that says where the trail begins from then on. `asked`: a person asks for it now."""
        from hookline.journal.retention import first_link, too_many  # noqa: PLC0415 - once a day, or once in many records

        names = segments(self._folder_file)
        sizes = [os.stat(each.name, dir_fd=self._folder_file).st_size for each in names]
        gone = too_many(names, sizes, at[:10], self.keep_days, self.keep_bytes, asked=asked)
        if not gone:
            return head, []
        kept = next(each for each in names if each not in gone)
        first = (
            first_link(os.path.join(self.folder, kept.name))
            if kept.name != head.segment or head.size
            else None
        )
        begins = (
            {"seq": first.seq, "prev": first.prev}
            if first
            else {"seq": head.seq + 1, "prev": head.hash}
        )
        record = {"type": CUT, "at": at, "begins": begins, "removed": [each.name for each in gone]}
        head = self._remember(self._write(head, record))
        for each in gone:
            os.unlink(each.name, dir_fd=self._folder_file)
        return head, [each.name for each in gone]

    # -- files -----------------------------------------------------------------------------------------------------

    def open_head(self) -> None:
        """Open what the lock is taken on."""
        if self.head_file < 0:
            self._folder_file = open_folder(self.folder)
            self.head_file = open_file(HEAD, self._folder_file)
            if not os.fstat(self.head_file).st_size and not segments(
                self._folder_file
            ):  # else its head is gone
                os.pwrite(self.head_file, Head().written(), 0)

    def holds_head(self) -> bool:
        """Whether the file that is locked still is the one that others would lock."""
        try:
            found = os.stat(f"{self.folder}/{HEAD}", follow_symlinks=False)
        except OSError:
            return False
        return found.st_ino == os.fstat(self.head_file).st_ino

    def _opened(self, name: str) -> bool:
        """Open a segment that is there."""
        if name == self._segment:
            if os.fstat(self._segment_file).st_nlink:
                return True
        elif segment_of(name) is None:
            return False
        try:
            os.stat(name, dir_fd=self._folder_file, follow_symlinks=False)
        except OSError:
            return False
        self._open_segment(name)
        return True

    def _open_segment(self, name: str) -> None:
        if self._segment_file >= 0:
            os.close(self._segment_file)
            self._segment_file, self._segment = -1, ""
        self._segment_file = open_file(name, self._folder_file, append=True)
        self._segment = name

    def _size(self) -> int:
        return os.fstat(self._segment_file).st_size

    def _read(self, start: int) -> bytes:
        return os.pread(self._segment_file, self._size() - start, start)
