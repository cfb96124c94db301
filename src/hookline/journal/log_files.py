"""Log files: any number of processes append records to them as lines that form a hash chain.

Each record is one line, written at once. It holds the hash of the line before it and, as its last
field, its own: the SHA-256 of the line's bytes without that field. So a reader can check it without
reproducing the writer's formatting. All writers take one lock, on the file `head`, which holds the
number and the hash of the last record, so a writer links the next one without reading the files.
"""

from __future__ import annotations

import fcntl
import json
import os
import re
from contextlib import contextmanager
from time import monotonic, sleep

from hookline.errors import JournalError
from hookline.model.frozen import Frozen
from hookline.paths import make_private_folder
from hookline.text.digest import sha256

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence
    from typing import Any

SCHEMA = "hookline.journal/1"
CUT = "cut"  # the type of the record that says which files were removed
GENESIS_HASH = "0" * 64
HEAD = "head"
HEAD_SIZE = 256  # bytes, always, because it is overwritten in place
_MAGIC = "hookline.head/1"
_HASH = b',"hash":"'
_END = len(_HASH) + 64 + len(b'"}')
_NAME = re.compile(r"(\d{4}-\d\d-\d\d)\.(\d{12,})\.jsonl")
_FIRST_PAUSE, _LONGEST_PAUSE = 0.0001, 0.005  # seconds between two tries to lock
_SAFE = os.O_NOFOLLOW | os.O_CLOEXEC | os.O_NONBLOCK
_APPEND = os.O_CREAT | os.O_APPEND | _SAFE
# `json.dumps` with these arguments would build an encoder per call.
_encode = json.JSONEncoder(separators=(",", ":"), allow_nan=False).encode


# -- lines -----------------------------------------------------------------------------------------


class Link(Frozen):
    """A line as it was read. `sound`: its hash matches its bytes."""

    seq: int
    prev: str
    hash: str
    record: Mapping[str, Any]
    sound: bool


class Head(Frozen):
    """The end of the journal: number and hash of the last record, its file, and that file's length.

    Without a hash, the next record may follow any other.
    """

    seq: int = 0
    hash: str = GENESIS_HASH
    file: str = ""
    size: int = 0


def encode_line(record: Mapping[str, Any], seq: int, prev: str) -> tuple[bytes, str]:
    """Return a record as the line with this number after the line with hash `prev`, and its hash.

    Raises:
        ValueError, TypeError, RecursionError: JSON cannot express the record.
    """
    body = _encode({"schema": SCHEMA, "seq": seq, "prev": prev, **record}).encode("ascii")
    digest = sha256(body)
    return body[:-1] + _HASH + digest.encode("ascii") + b'"}\n', digest


def read_link(line: bytes) -> Link | None:
    """Parse a line of the journal, without its line break; None if it is not a record."""
    if line[-_END : -_END + len(_HASH)] != _HASH:
        return None
    try:
        record = json.loads(line)
    except (ValueError, RecursionError):
        return None
    match record:
        case {"schema": str(schema), "seq": int(seq), "prev": str(prev), "hash": str(digest)}:
            if schema == SCHEMA and seq > 0:
                sound = sha256(line[:-_END] + b"}") == digest
                return Link(seq=seq, prev=prev, hash=digest, record=record, sound=sound)
    return None


def encode_head(head: Head) -> bytes:
    """Return a head as a line of fixed length."""
    text = f"{_MAGIC} {head.seq} {head.hash} {head.file or '-'} {head.size}"
    return text.ljust(HEAD_SIZE - 1).encode("ascii") + b"\n"


def read_head(data: bytes) -> Head | None:
    """Parse a head; None if the data is not one."""
    match data.decode("ascii", "replace").split():
        case [magic, seq, digest, file, size] if magic == _MAGIC:
            if seq.isdecimal() and size.isdecimal():
                file = "" if file == "-" else file
                return Head(seq=int(seq), hash=digest, file=file, size=int(size))
    return None


# -- files -----------------------------------------------------------------------------------------


class LogFiles:
    """The log files in one folder. Any number of threads and processes may write to them.

    `largest`: the size in bytes at which a new file is begun; each day begins one too. `sync`: a
    record counts as written only once it is on the disk; otherwise it survives the end of every
    process, but not a crash of the machine. `keep_days`, `keep_bytes`: limits beyond which whole
    files are removed, the oldest first (0: no limit). `wait`: seconds to wait for the lock. `tell`
    receives the name of a problem and a message about damage at the end of the journal.
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

    def append(
        self, records: Sequence[Mapping[str, Any]], *, at: str, wait: float | None = None
    ) -> Head:
        """Append records and return the new end of the journal. When it returns, they are written.

        `at`: a time in ISO 8601. `wait`: seconds to wait for the lock, if not the default.

        Raises:
            JournalError: `journal.place`, the folder is not safe; `journal.busy`, others hold the
                lock for too long.
            OSError: some records could not be written.
            ValueError, TypeError, RecursionError: JSON cannot express a record.
        """
        with self._lock(self.wait if wait is None else wait) as (folder, head_file):
            head = self._find_head(folder, head_file)
            if head.file and head.size < self.largest and at[:10] <= head.file[:10]:
                return self._write(folder, head_file, head, records)
            name = f"{at[:10]}.{head.seq + 1:012d}.jsonl"
            head = head.replace(file=name, size=0)
            # Before the file is there, so that a writer that is killed in between leaves no second.
            os.pwrite(head_file, encode_head(head), 0)
            head = self._write(folder, head_file, head, records)
            if self.sync:
                os.fsync(folder)
            return self._remove_expired(folder, head_file, head, at)[0]

    def prune(self, *, at: str, dry_run: bool = False) -> list[str]:
        """Remove files that are too old or too many, and return their names. Raises as `append`."""
        with self._lock(self.wait) as (folder, head_file):
            if dry_run:
                return [each.name for each in self._list_expired(folder, at)]
            head = self._find_head(folder, head_file)
            return self._remove_expired(folder, head_file, head, at)[1]

    @contextmanager
    def _lock(self, wait: float) -> Iterator[tuple[int, int]]:
        """Yield the folder and the head as open files, while no other writer has the lock.

        `wait`: seconds before giving up, because a stopped process must not stop every hook; 0
        tries once. Raises as `append`.
        """
        folder = _open_folder(self.folder)
        try:
            head_file = os.open(HEAD, os.O_RDWR | os.O_CREAT | _SAFE, 0o600, dir_fd=folder)
            try:
                self._wait_for_lock(head_file, monotonic() + wait)
                yield folder, head_file
            finally:
                fcntl.flock(head_file, fcntl.LOCK_UN)  # a fork may still have it open
                os.close(head_file)
        finally:
            os.close(folder)

    def _wait_for_lock(self, head_file: int, until: float) -> None:
        pause = _FIRST_PAUSE
        while True:
            try:
                return fcntl.flock(head_file, fcntl.LOCK_EX | fcntl.LOCK_NB)
            except BlockingIOError:
                left = until - monotonic()
                if left <= 0:
                    message = f"another process holds the lock of `{self.folder}`"
                    raise JournalError(message, name="journal.busy") from None
                sleep(min(pause, left))
                pause = min(pause * 2, _LONGEST_PAUSE)

    def _find_head(self, folder: int, head_file: int) -> Head:
        """Return the end of the journal, as the head has it unless the newest file differs."""
        head = read_head(os.pread(head_file, HEAD_SIZE, 0))
        if head is None:
            segments = list_segments(folder)
            if not segments:
                return Head()
            why = "hookline cannot tell whether the newest records were removed"
            self.tell("journal.gap", f"the file `head` of `{self.folder}` is lost: {why}")
            head = Head(seq=segments[-1].seq - 1, hash="", file=segments[-1].name)
        try:
            size = os.stat(head.file, dir_fd=folder).st_size if head.file else 0
        except FileNotFoundError:
            size = 0
        return head if size == head.size else self._find_end(folder, head)

    def _find_end(self, folder: int, head: Head) -> Head:
        """Return the end of a file that is not as long as the head says.

        A writer was killed, the disk was full, or someone edited the file. Records that follow the
        head count. Other lines stay where they are, and the next record follows them.
        """
        segment = os.open(head.file, os.O_RDWR | _APPEND, 0o600, dir_fd=folder)
        with open(segment, "r+b", buffering=0) as file:
            data = file.read()
            if data and not data.endswith(b"\n"):
                file.write(b"\n")
        if len(data) < head.size:
            where = f"`{head.file}` in `{self.folder}` is shorter than it was"
            self.tell("journal.gap", f"{where}: `hookline log verify` shows what is missing")
        torn = 0
        for line in data[head.size :].splitlines():
            link = read_link(line)
            if link and link.sound and link.seq == head.seq + 1 and head.hash in ("", link.prev):
                head = head.replace(seq=link.seq, hash=link.hash)
            else:
                torn += 1
        if torn:
            where = f"lines at the end of `{head.file}` that are no records: {torn}"
            self.tell("journal.torn", f"{where}; a writer was killed, or the disk was full")
        return head.replace(size=len(data) + (data[-1:] not in (b"", b"\n")))

    def _write(
        self, folder: int, head_file: int, head: Head, records: Sequence[Mapping[str, Any]]
    ) -> Head:
        segment = os.open(head.file, os.O_WRONLY | _APPEND, 0o600, dir_fd=folder)
        try:
            for record in records:
                line, digest = encode_line(record, head.seq + 1, head.hash or GENESIS_HASH)
                written = os.write(segment, line)
                if written < len(line):  # the disk is full, or a limit is near
                    raise OSError(f"{written} of {len(line)} bytes could be written")
                head = head.replace(seq=head.seq + 1, hash=digest, size=head.size + written)
            if self.sync:
                os.fdatasync(segment)
        finally:
            os.close(segment)
        os.pwrite(head_file, encode_head(head), 0)
        return head

    def _remove_expired(
        self, folder: int, head_file: int, head: Head, at: str
    ) -> tuple[Head, list[str]]:
        """Remove the oldest files, after recording where the journal starts from then on."""
        names = [each.name for each in self._list_expired(folder, at)]
        if names:
            begins = {"seq": list_segments(folder)[len(names)].seq}
            record = {"type": CUT, "at": at, "begins": begins, "removed": names}
            head = self._write(folder, head_file, head, [record])
        for name in names:
            os.unlink(name, dir_fd=folder)
        return head, names

    def _list_expired(self, folder: int, at: str) -> list[Segment]:
        found = list_segments(folder)
        sizes = [os.stat(each.name, dir_fd=folder).st_size for each in found]
        return select_expired(found, sizes, at[:10], self.keep_days, self.keep_bytes)


class Segment(Frozen):
    """A file of the journal, by its name: the day it was begun, the number of its first record."""

    name: str
    day: str
    seq: int


def list_segments(folder: str | int) -> list[Segment]:
    """Return the segments of a folder, given by path or descriptor, oldest first.

    Raises:
        OSError: the folder cannot be listed.
    """
    names = filter(None, map(_NAME.fullmatch, os.listdir(folder)))
    found = [Segment(name=name[0], day=name[1], seq=int(name[2])) for name in names]
    return sorted(found, key=lambda each: (each.seq, each.name))


def select_expired(
    found: Sequence[Segment], sizes: Sequence[int], today: str, keep_days: int, keep_bytes: int
) -> list[Segment]:
    """Return the segments to remove, never the last one.

    Those are the ones with only records older than `keep_days`, or beyond `keep_bytes` (0: no
    limit).
    """
    from datetime import date  # noqa: PLC0415 - once a day, or once in many records

    oldest = ""
    if keep_days:
        day = date.fromisoformat(today).toordinal() - keep_days
        oldest = date.fromordinal(max(1, day)).isoformat()
    total = sum(sizes)
    gone: list[Segment] = []
    # The next segment was begun after the last record of this one.
    for each, following, size in zip(found, found[1:], sizes, strict=False):
        if following.day >= oldest and not 0 < keep_bytes < total:
            break
        gone.append(each)
        total -= size
    return gone


def _open_folder(path: str) -> int:
    """Open the journal's folder; create it if it is missing.

    Raises:
        JournalError: it belongs to another user, or others may write to it.
        OSError: it is a link or no folder, or cannot be created or opened.
    """
    if not os.path.lexists(path):
        make_private_folder(path)
    folder = os.open(path, os.O_RDONLY | os.O_DIRECTORY | _SAFE)
    found = os.fstat(folder)
    why, hint = "", "HOOKLINE_JOURNAL names another folder"
    if found.st_uid != os.geteuid():
        why = "is not a folder of yours"
    elif found.st_mode & 0o022:
        why, hint = "may be written to by others", f"chmod 700 {path}, or {hint}"
    if why:
        os.close(folder)
        raise JournalError(f"`{path}` {why}", name="journal.place", hint=hint)
    return folder
