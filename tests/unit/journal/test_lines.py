"""Lines: each has the hash of its bytes and of the line before; names of files; heads."""

from __future__ import annotations

import hashlib
import json
from typing import TYPE_CHECKING

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hookline.journal.log_files import (
    GENESIS_HASH,
    HEAD_SIZE,
    SCHEMA,
    Head,
    encode_head,
    encode_line,
    list_segments,
    read_head,
    read_link,
)

if TYPE_CHECKING:
    from pathlib import Path

VALUES = st.recursive(
    st.none()
    | st.booleans()
    | st.integers()
    | st.floats(allow_nan=False, allow_infinity=False)
    | st.text(),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(), inner, max_size=3),
    max_leaves=8,
)
RECORDS = st.dictionaries(
    st.text(min_size=1).filter(lambda key: key not in ("schema", "seq", "prev", "hash")),
    VALUES,
    max_size=4,
)


@given(RECORDS, st.integers(1, 10**9))
def test_what_is_linked_is_read(record: dict[str, object], seq: int) -> None:
    """Every record that JSON can say comes back, on one line of ASCII, sound."""
    line, digest = encode_line(record, seq, GENESIS_HASH)
    link = read_link(line[:-1])

    assert line.isascii()
    assert line.count(b"\n") == 1
    assert link is not None
    assert (link.seq, link.prev, link.hash, link.sound) == (seq, GENESIS_HASH, digest, True)
    assert {
        key: value
        for key, value in link.record.items()
        if key not in ("schema", "seq", "prev", "hash")
    } == record


def test_the_hash_is_of_the_line_without_it() -> None:
    """A reader can check it with a text editor and sha256sum."""
    line, digest = encode_line({"type": "note"}, 1, GENESIS_HASH)
    body = line.decode().rstrip("\n").replace(f',"hash":"{digest}"', "")

    assert hashlib.sha256(body.encode()).hexdigest() == digest
    assert json.loads(line)["schema"] == SCHEMA


@given(RECORDS, st.data())
def test_one_changed_byte_is_seen(record: dict[str, object], data: st.DataObject) -> None:
    """Wherever it is, the line is no longer sound, or no longer a line of a trail."""
    line = bytearray(encode_line(record, 1, GENESIS_HASH)[0][:-1])
    at = data.draw(st.integers(0, len(line) - 1))
    line[at] ^= data.draw(st.integers(1, 127))
    link = read_link(bytes(line))

    assert link is None or not link.sound


@pytest.mark.parametrize(
    "line", [b"", b"{}", b"x" * 200, b'{"a":1,"hash":"' + b"0" * 64 + b'"}', b"[" * 300]
)
def test_what_is_no_record_is_none(line: bytes) -> None:
    """Any other line is no record."""
    assert read_link(line) is None


def test_what_json_cannot_say_is_refused() -> None:
    """Rather than written in a form that others cannot read."""
    with pytest.raises(ValueError, match="JSON"):
        encode_line({"seconds": float("nan")}, 1, GENESIS_HASH)


@given(
    st.integers(0, 10**15),
    st.text("0123456789abcdef", min_size=64, max_size=64),
    st.integers(0, 10**12),
)
def test_a_head_is_read_as_it_was_written(seq: int, digest: str, size: int) -> None:
    """Always as long as the one before, because it is overwritten in place."""
    head = Head(seq=seq, hash=digest, file=f"2026-11-21.{seq:012d}.jsonl", size=size)

    assert read_head(encode_head(head)) == head
    assert len(encode_head(head)) == HEAD_SIZE


@pytest.mark.parametrize("data", [b"", b"x", b"hookline.head/1 a b c d", b"\xff" * 300])
def test_what_is_no_head_is_none(data: bytes) -> None:
    """Any other content is no head."""
    assert read_head(data) is None


def test_segments_are_in_the_order_of_their_records(tmp_path: Path) -> None:
    """Not in that of their days, because a clock may go back; other files are no segments."""
    names = ["2026-11-20.000000000030.jsonl", "2026-11-21.000000000004.jsonl"]
    for name in (*names, "head", "2026-11-21.jsonl", "x.000000000001.jsonl"):
        (tmp_path / name).touch()

    assert [each.seq for each in list_segments(str(tmp_path))] == [4, 30]
