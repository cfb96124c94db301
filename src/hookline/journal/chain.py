"""Hash chain: each record is a line with its own hash and the hash of the line before it, and the head holds the last one.

The hash covers the bytes of the line as written, without the hash itself, which is always the last
field. So a reader can check it without reproducing the writer's formatting of numbers and texts.
"""

from __future__ import annotations

import json

from hookline.model.frozen import Frozen
from hookline.text.digest import sha256

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Any

SCHEMA = "hookline.journal/1"
GENESIS_HASH = "0" * 64
HEAD = "head"
_MAGIC = "hookline.head/1"
_HEAD_SIZE = 256  # bytes, always, because it is overwritten in place
HEAD_READ = 2 * _HEAD_SIZE
_MOST = 1 << 63  # records; no database can hold a greater number
_HASH = b',"hash":"'
_END = len(_HASH) + 64 + len(b'"}')
# `json.dumps` with these arguments would build an encoder per call.
_encode = json.JSONEncoder(separators=(",", ":"), allow_nan=False).encode


class Link(Frozen):
    """A line as it was read. `sound`: its hash matches its bytes."""

    seq: int
    prev: str
    hash: str
    record: Mapping[str, Any]
    sound: bool

    def follows(self, seq: int, digest: str) -> bool:
        """Return whether it was written after the record with that number and hash."""
        return self.seq == seq + 1 and self.prev == digest


def encode_line(record: Mapping[str, Any], seq: int, prev: str) -> tuple[bytes, str]:
    """Return a record as the line with this number after the line with hash `prev`.

    And the line's own hash.

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
            if schema == SCHEMA and 0 < seq < _MOST:
                sound = sha256(line[:-_END] + b"}") == digest
                return Link(seq=seq, prev=prev, hash=digest, record=record, sound=sound)
    return None


class Head(Frozen):
    """The end of the journal: number and hash of the last record, its file, and the length of that file after it."""

    seq: int = 0
    hash: str = GENESIS_HASH
    segment: str = ""
    size: int = 0

    def to_line(self) -> bytes:
        """Return the head as a line of fixed length."""
        text = f"{_MAGIC} {self.seq} {self.hash} {self.segment or '-'} {self.size}"
        return text.ljust(_HEAD_SIZE - 1).encode("ascii") + b"\n"


def read_head(data: bytes) -> Head | None:
    """Parse a head; None if the data is not one."""
    match data.decode("ascii", "replace").split():
        case [magic, seq, digest, segment, size] if magic == _MAGIC:
            if seq.isdecimal() and size.isdecimal():
                segment = "" if segment == "-" else segment
                return Head(seq=int(seq), hash=digest, segment=segment, size=int(size))
    return None


def advance_head(head: Head, data: bytes) -> tuple[Head, bytes]:
    """Return the head after the sound records at the start of `data`, and the bytes that follow them.

    If earlier files were removed (`seq` 0), the first record is accepted without its predecessor.
    """
    at = 0
    while (end := data.find(b"\n", at)) >= 0:
        link = read_link(data[at:end])
        if link is None or not link.sound:
            break
        if not (link.follows(head.seq, head.hash) or (head.seq == 0 and at == 0)):
            break
        head = head.replace(seq=link.seq, hash=link.hash, size=head.size + end + 1 - at)
        at = end + 1
    return head, data[at:]
