"""Log files: any number of processes append records to them, each record by one write.

All writers take one lock, on the file `head`, which holds the end of the journal. So a writer links
the next record without reading the files. If a writer was killed, the next one repairs the end and
records that. The other files are segments: only whole ones are removed, the oldest first.
"""

from __future__ import annotations

import errno
import fcntl
import os
import stat
from contextlib import contextmanager
from time import monotonic, sleep

from hookline.errors import JournalError
from hookline.journal.chain import (
    HEAD,
    HEAD_READ,
    Head,
    advance_head,
    encode_line,
    read_head,
    read_link,
)
from hookline.model.frozen import Frozen
from hookline.text.digest import sha256

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
    from typing import Any

BUSY = "journal.busy"
REPAIRED, CUT = "mended", "cut"
# Ends a line that a killed writer left: the line must never look like a record, even if only its
# line break is missing.
TORN_END = b"#\n"
_FIRST_PAUSE, _LONGEST_PAUSE = 0.0001, 0.005  # seconds between two tries to lock
_ENDING = ".jsonl"
_SAFE = os.O_NOFOLLOW | os.O_CLOEXEC | os.O_NONBLOCK
# A clock may be wrong: the days after the former records that hookline believes, and how many files
# it removes by age at once.
_BELIEVED, _AT_ONCE = 1, 4


class LogFiles:
    """The log files in one folder. Any number of processes may write to them, one thread in each.

    `largest`: the size in bytes at which a new file is begun; each day begins one too. `sync`: a
    record counts as written only once it is on the disk; otherwise it survives the end of every
    process, but not a crash of the machine. `keep_days`, `keep_bytes`: limits beyond which whole
    files are removed (0: no limit). `wait`: seconds to wait for the lock. `tell` receives the name
    of a problem and a message about damage that was repaired.
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
        self._process = os.getpid()
        self._head_file = self._segment_file = self._folder_file = -1
        self._segment = ""

    def append(
        self, records: Iterable[Mapping[str, Any]], *, at: str, wait: float | None = None
    ) -> Head:
        """Append records and return the new end of the journal. When it returns, they are written.

        `at`: a time in ISO 8601. `wait`: seconds to wait for the lock, if not the default.

        Raises:
            JournalError: `journal.place`, the folder is not safe; `journal.busy`, others hold the
                lock for too long.
            OSError: some records could not be written.
            ValueError, TypeError, RecursionError: JSON cannot express a record.
        """
        with self.locked(self.wait if wait is None else wait):
            head = self._find_head(at)
            if not head.segment or head.size >= self.largest or at[:10] > head.segment[:10]:
                head = self._begin_segment(head, at)
            for record in records:
                head = self._write(head, record)
            return self._write_head(head)

    def prune(self, *, at: str) -> list[str]:
        """Remove files that are too old or too many, and return their names. Raises as `append`."""
        with self.locked(self.wait):
            head = self._find_head(at)
            return self._retain(head, at, asked=True)[1]

    def close(self) -> None:
        """Close the files; the next record opens them again."""
        for descriptor in (self._head_file, self._segment_file, self._folder_file):
            if descriptor >= 0:
                os.close(descriptor)
        self._head_file = self._segment_file = self._folder_file = -1
        self._segment = ""

    def __del__(self) -> None:
        """Close the files of an object that was never closed."""
        if os is not None:  # at the very end, the interpreter closes them itself
            self.close()

    # -- the lock ----------------------------------------------------------------------------------

    @contextmanager
    def locked(self, wait: float) -> Iterator[None]:
        """Hold the lock against other processes.

        `wait`: seconds before giving up, because a stopped process must not stop every hook; 0
        tries once. Raises as `append`.
        """
        if self._process != os.getpid():
            self.close()  # a fork shares the files, and so the lock, with its parent
            self._process = os.getpid()
        until = monotonic() + wait
        self._lock_head(until)
        while not self._is_head_in_place():  # another process removed it meanwhile
            self.close()
            self._lock_head(until)
        try:
            yield
        finally:
            fcntl.flock(self._head_file, fcntl.LOCK_UN)

    def _lock_head(self, until: float) -> None:
        """Open the head and lock it.

        Raises:
            JournalError: `journal.busy`, another process holds the lock until that moment.
        """
        if self._head_file < 0:
            self._folder_file = _open_folder(self.folder)
            self._head_file = _open_own(HEAD, os.O_RDWR | os.O_CREAT, self._folder_file)
            is_new = not os.fstat(self._head_file).st_size
            if is_new and not list_segments(self._folder_file):  # else its head was removed
                os.pwrite(self._head_file, Head().to_line(), 0)
        pause = _FIRST_PAUSE
        while True:
            try:
                return fcntl.flock(self._head_file, fcntl.LOCK_EX | fcntl.LOCK_NB)
            except BlockingIOError:
                left = until - monotonic()
                if left <= 0:
                    message = f"another process holds the lock of `{self.folder}`"
                    raise JournalError(message, name=BUSY) from None
                sleep(min(pause, left))
                pause = min(pause * 2, _LONGEST_PAUSE)

    def _is_head_in_place(self) -> bool:
        """Return whether the locked head is the file that other processes would lock."""
        try:
            found = os.stat(f"{self.folder}/{HEAD}", follow_symlinks=False)
        except OSError:
            return False
        return found.st_ino == os.fstat(self._head_file).st_ino

    # -- the end of the journal --------------------------------------------------------------------

    def _find_head(self, at: str) -> Head:
        """Return the end of the journal, repaired if the last writer was interrupted."""
        data = os.pread(self._head_file, HEAD_READ, 0)
        head = read_head(data)
        if head is None:
            gone = "unreadable" if data else "missing"
            return self._repair(head, at, gone if list_segments(self._folder_file) else "")
        if head.segment:
            is_whole = self._open_existing(head.segment) and self._size() == head.size
        else:
            is_whole = not list_segments(self._folder_file)
        return head if is_whole else self._repair(head, at, "")

    def _repair(self, head: Head | None, at: str, gone: str) -> Head:
        """Find the end from the files, and record what was lost and which bytes are not records.

        `gone`: what happened to the head; only the head shows whether the newest records were
            removed.
        """
        found, rest = self._scan_end(head)
        lost = None
        if head is not None and head.seq > found.seq:
            lost = {"from": found.seq + 1, "to": head.seq, "head": head.hash}
            found = found.replace(seq=head.seq)
        if lost is None and not rest and not gone:
            return found
        if not found.segment or not self._open_existing(found.segment):
            found = self._start_segment(found, at)
        torn = {"bytes": len(rest), "sha256": sha256(rest)} if rest else None
        record = {"type": REPAIRED, "at": at, "torn": torn, "lost": lost}
        record |= {"head": gone} if gone else {}
        before = TORN_END if rest[-1:] not in (b"", b"\n") else b""
        found = found.replace(size=found.size + len(rest))
        repaired = self._write_head(self._write(found, record, before))
        if gone:
            why = "hookline cannot tell whether the newest records were removed"
            self.tell("journal.gap", f"the file `head` of `{self.folder}` is {gone}: {why}")
        if lost:
            numbers = f"records {lost['from']} to {lost['to']}"
            self.tell("journal.gap", f"{numbers} are gone from `{self.folder}`")
        if torn:
            where = f"{len(rest)} bytes at the end of `{found.segment}` are no record"
            self.tell("journal.torn", f"{where}: a writer was killed, or the disk was full")
        return repaired

    def _scan_end(self, head: Head | None) -> tuple[Head, bytes]:
        """Return the last sound record in the files, and the bytes after it."""
        if head is not None and self._open_existing(head.segment) and self._size() > head.size:
            return advance_head(head, self._read(head.size))
        for each in reversed(list_segments(self._folder_file)):
            if self._open_existing(each.name) and self._size():
                found, rest = advance_head(Head(segment=each.name), self._read(0))
                return (found if found.seq else found.replace(seq=each.seq - 1)), rest
        return Head(), b""

    # -- writing -----------------------------------------------------------------------------------

    def _write(self, head: Head, record: Mapping[str, Any], before: bytes = b"") -> Head:
        line, digest = encode_line(record, head.seq + 1, head.hash)
        data = before + line
        written = os.write(self._segment_file, data)
        if written < len(data):  # the disk is full, or a limit is near
            raise OSError(f"{written} of {len(data)} bytes could be written")
        return head.replace(seq=head.seq + 1, hash=digest, size=head.size + len(data))

    def _write_head(self, head: Head) -> Head:
        if self.sync:
            os.fdatasync(self._segment_file)
        os.pwrite(self._head_file, head.to_line(), 0)
        return head

    def _begin_segment(self, head: Head, at: str) -> Head:
        fresh = self._write_head(self._start_segment(head, at))
        if self.sync:
            os.fsync(self._folder_file)
        return self._retain(fresh, at)[0] if head.segment else fresh

    def _start_segment(self, head: Head, at: str) -> Head:
        """Return the head of an empty segment after that record."""
        name = segment_name(at[:10], head.seq + 1)
        self._open_segment(name)
        return head.replace(segment=name, size=self._size())

    def _retain(self, head: Head, at: str, *, asked: bool = False) -> tuple[Head, list[str]]:
        """Remove the oldest files, after recording where the journal starts from then on.

        `asked`: a person asked for it now.
        """
        found = list_segments(self._folder_file)
        sizes = [os.stat(each.name, dir_fd=self._folder_file).st_size for each in found]
        gone = select_expired(found, sizes, at[:10], self.keep_days, self.keep_bytes, asked=asked)
        if not gone:
            return head, []
        names = [each.name for each in gone]
        with open(open_to_read(f"{self.folder}/{found[len(gone)].name}"), "rb") as file:
            first = read_link(file.readline().rstrip(b"\n"))
        begins = {
            "seq": first.seq if first else head.seq + 1,
            "prev": first.prev if first else head.hash,
        }
        record = {"type": CUT, "at": at, "begins": begins, "removed": names}
        head = self._write_head(self._write(head, record))
        for name in names:
            os.unlink(name, dir_fd=self._folder_file)
        return head, names

    # -- segments ----------------------------------------------------------------------------------

    def _open_existing(self, name: str) -> bool:
        """Open an existing segment; return whether there is one of that name."""
        if name == self._segment and name and os.fstat(self._segment_file).st_nlink:
            return True
        if parse_segment_name(name) is None:
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
        flags = os.O_RDWR | os.O_CREAT | os.O_APPEND
        self._segment_file = _open_own(name, flags, self._folder_file)
        self._segment = name

    def _size(self) -> int:
        return os.fstat(self._segment_file).st_size

    def _read(self, start: int) -> bytes:
        return os.pread(self._segment_file, self._size() - start, start)


# -- files -----------------------------------------------------------------------------------------


class Segment(Frozen):
    """A file of the journal, by its name: the day it was begun, and the number of its first record."""

    name: str
    day: str
    seq: int


def segment_name(day: str, seq: int) -> str:
    """Return the name of the file that starts with a record of that day and number."""
    return f"{day}.{seq:012d}{_ENDING}"


def parse_segment_name(name: str) -> Segment | None:
    """Parse the name of a segment; None if it is not one."""
    day, _, number = name.removesuffix(_ENDING).partition(".")
    if name.endswith(_ENDING) and number.isdecimal() and len(day) == len("2026-11-21"):
        return Segment(name=name, day=day, seq=int(number))
    return None


def list_segments(folder: str | int) -> list[Segment]:
    """Return the segments of a folder, given by path or descriptor, oldest first.

    Raises:
        OSError: the folder cannot be listed.
    """
    found = (parse_segment_name(name) for name in os.listdir(folder))
    segments = [each for each in found if each is not None]
    return sorted(segments, key=lambda each: (each.seq, each.name))


def open_to_read(path: str) -> int:
    """Open a file of a journal for reading; it need not belong to this user.

    Raises:
        JournalError: it is a link, or not a regular file.
        OSError: it cannot be opened.
    """
    return _open_own(path, os.O_RDONLY, is_anyones=True)


def _open_folder(path: str) -> int:
    """Open the journal's folder; create it if it is missing.

    Raises:
        JournalError: it is a link, belongs to another user, or others may write to it.
        OSError: it cannot be created or opened.
    """
    flags = os.O_RDONLY | os.O_DIRECTORY
    try:
        return _open_own(path, flags)
    except FileNotFoundError:
        os.makedirs(path, mode=0o700, exist_ok=True)  # another process may have been faster
        return _open_own(path, flags)


def _open_own(path: str, flags: int, folder: int | None = None, *, is_anyones: bool = False) -> int:
    """Open a file or a folder of this user; follow no link, and wait for no pipe."""
    is_folder = bool(flags & os.O_DIRECTORY)
    kind = "folder" if is_folder else "file"
    hint = "HOOKLINE_JOURNAL names another folder"
    try:
        descriptor = os.open(path, flags | _SAFE, 0o600, dir_fd=folder)
    except OSError as error:
        if error.errno not in (errno.ELOOP, errno.ENOTDIR):
            raise
        why = f"is a link or not a {kind}"
        raise JournalError(f"`{path}` {why}", name="journal.place", hint=hint) from None
    found = os.fstat(descriptor)
    is_kind = stat.S_ISDIR(found.st_mode) if is_folder else stat.S_ISREG(found.st_mode)
    if not is_kind or not (is_anyones or found.st_uid == os.geteuid()):
        why = f"is not a {kind} of yours"
    elif is_folder and found.st_mode & 0o022:
        import shlex  # noqa: PLC0415 - `answer` opens a journal for every event

        why, hint = "may be written to by others", f"chmod 700 {shlex.quote(path)}, or {hint}"
    else:
        return descriptor
    os.close(descriptor)
    raise JournalError(f"`{path}` {why}", name="journal.place", hint=hint)


def select_expired(
    found: Sequence[Segment],
    sizes: Sequence[int],
    today: str,
    keep_days: int,
    keep_bytes: int,
    *,
    asked: bool = False,
) -> list[Segment]:
    """Return the segments to remove, never the last one.

    Those are the ones with only records older than `keep_days`, or beyond `keep_bytes` (0: no
    limit). `asked`: a person asked for it now, so the clock is trusted.
    """
    from datetime import date  # noqa: PLC0415 - once a day, or once in many records

    oldest = ""
    if keep_days:
        day = date.fromisoformat(today).toordinal()
        if not asked and len(found) > 1:  # that very clock began the newest segment
            day = min(day, date.fromisoformat(found[-2].day).toordinal() + _BELIEVED)
        oldest = date.fromordinal(max(1, day - keep_days)).isoformat()
    total = sum(sizes)
    gone: list[Segment] = []
    # The next segment was begun after the last record of this one.
    for each, following, size in zip(found, found[1:], sizes, strict=False):
        old = following.day < oldest and (asked or len(gone) < _AT_ONCE)
        if not (old or (keep_bytes and total > keep_bytes)):
            break
        gone.append(each)
        total -= size
    return gone
