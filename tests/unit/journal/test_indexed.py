"""Indexed: what an index has is told as it is, and what cannot be read is as if there were none."""

from __future__ import annotations

import os
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from hookline.journal.index import Index
from hookline.journal.indexed import NAME, indexed
from hookline.journal.walk import lines_of
from tests.unit.journal.support import files, written

if TYPE_CHECKING:
    from collections.abc import Callable


def test_it_has_what_was_indexed(tmp_path: Path) -> None:
    """What was written since is not missed."""
    folder = written(tmp_path / "j", 3)
    with Index(str(folder)) as index:
        index.refresh()
    size = files(folder)[0].stat().st_size
    written(folder, 1)
    found = indexed(str(folder))
    assert found is not None

    assert (found.numbers, found.sizes) == ({1, 2, 3}, {files(folder)[0].name: size})
    ends = {str(files(folder)[0]): files(folder)[0].stat().st_size}
    assert [found.lacks(line) for line in lines_of(ends)] == [False] * 4
    assert [found.replace(numbers=frozenset({1})).lacks(line) for line in lines_of(ends)] == [
        False,
        True,
        True,
        False,
    ]


@pytest.mark.parametrize(
    "make",
    [
        lambda _: None,
        lambda path: path.write_bytes(b"x" * 5000),
        Path.touch,
        os.mkfifo,
        Path.mkdir,
    ],
)
def test_what_is_no_index_is_none(make: Callable[[Path], None], tmp_path: Path) -> None:
    """It is not made, either."""
    folder = written(tmp_path / "j", 1)
    make(folder / NAME)

    assert indexed(str(folder)) is None
