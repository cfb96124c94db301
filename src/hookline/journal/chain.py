"""Chain: a record as one line that carries the hash of itself and of the line before it.

The hash is taken over the bytes of the line as they are written, less the hash itself, which is always its last field. So
nobody who checks it must bring a number or a text into the very form that the writer used.
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
NOTHING = "0" * 64
_MOST = 1 << 63  # records; no database can hold a greater number
_HASH = b',"hash":"'
_END = len(_HASH) + 64 + len(b'"}')
# The encoder of a module is made once; `json.dumps` with these arguments would make one a call.
_encode = json.JSONEncoder(separators=(",", ":"), allow_nan=False).encode


class Link(Frozen):
    """One line as it was read. `sound`: its hash is that of its bytes."""

    seq: int
    prev: str
    hash: str
    record: Mapping[str, Any]
    sound: bool


def linked(record: Mapping[str, Any], seq: int, prev: str) -> tuple[bytes, str]:
    """A record as the line with that number after the line with that hash; and its own hash.

    Raises:
        ValueError, TypeError, RecursionError: JSON cannot say it.
    """
    body = _encode({"schema": SCHEMA, "seq": seq, "prev": prev, **record}).encode("ascii")
    digest = sha256(body)
    return body[:-1] + _HASH + digest.encode("ascii") + b'"}\n', digest


def read_link(line: bytes) -> Link | None:
    """A line of a trail, without its line break; None if it is none."""
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
