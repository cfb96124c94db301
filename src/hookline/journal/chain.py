"""Hash chain: writes a record as one line with its own hash and the hash of the line before it.

The hash covers the bytes of the line as written, without the hash itself, which is always the last field. So a reader can check
it without reproducing the writer's formatting of numbers and texts.
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


def encode_line(record: Mapping[str, Any], seq: int, prev: str) -> tuple[bytes, str]:
    """Return a record as the line with this number after the line with hash `prev`; and the line's own hash.

    Raises:
        ValueError, TypeError, RecursionError: JSON cannot express the record.
    """
    body = _encode({"schema": SCHEMA, "seq": seq, "prev": prev, **record}).encode("ascii")
    digest = sha256(body)
    return body[:-1] + _HASH + digest.encode("ascii") + b'"}\n', digest


def read_link(line: bytes) -> Link | None:
    """Parse a line of the journal, without its line break; None if it is not a record."""
    if len(line) <= _END or line[-_END : -_END + len(_HASH)] != _HASH:
        return None
    try:
        record = json.loads(line)
    except (ValueError, RecursionError):
        return None
    if not isinstance(record, dict) or record.get("schema") != SCHEMA:
        return None
    seq, prev, told = record.get("seq"), record.get("prev"), record.get("hash")
    if not (
        type(seq) is int and 0 < seq < _MOST and isinstance(prev, str) and isinstance(told, str)
    ):
        return None
    return Link(
        seq=seq, prev=prev, hash=told, record=record, sound=sha256(line[:-_END] + b"}") == told
    )
