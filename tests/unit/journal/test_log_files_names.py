"""Names of files, and heads."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hookline.journal.chain import Head, read_head
from hookline.journal.log_files import (
    list_segments,
    parse_segment_name,
    segment_name,
)

if TYPE_CHECKING:
    from pathlib import Path


@given(
    st.integers(0, 10**15),
    st.text("0123456789abcdef", min_size=64, max_size=64),
    st.integers(0, 10**12),
)
def test_a_head_is_read_as_it_was_written(seq: int, digest: str, size: int) -> None:
    """Always as long as the one before, so that it is written over in place."""
    head = Head(seq=seq, hash=digest, segment=segment_name("2026-11-21", seq), size=size)

    assert read_head(head.to_line()) == head
    assert len(head.to_line()) == len(Head().to_line())


@pytest.mark.parametrize(
    "name",
    [
        "head",
        "index.sqlite",
        "2026-11-21.jsonl",
        "x.000000000001.jsonl",
        "2026-11-21.00000000000x.jsonl",
    ],
)
def test_other_files_are_no_segments(name: str) -> None:
    """They lie in the same folder."""
    assert parse_segment_name(name) is None


def test_segments_are_in_the_order_of_their_records(tmp_path: Path) -> None:
    """Not in that of their days: a clock may go back."""
    for name in (segment_name("2026-11-20", 30), segment_name("2026-11-21", 4), "head"):
        (tmp_path / name).touch()

    assert [each.seq for each in list_segments(str(tmp_path))] == [4, 30]
