"""Walk: it goes on behind what is broken, and says of each place only what is wrong there."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import pytest

from hookline.journal.log_files import encode_line
from hookline.journal.verify import (
    EDITED,
    INSERTED,
    REMOVED,
    REORDERED,
    REPLACED,
    Verification,
)
from tests.unit.journal.support import files, lines, note, written

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

COUNT = 10


def edited(line: bytes) -> bytes:
    """The same line with another text."""
    return line.replace(b'"text":', b'"tex2":')


def anew(line: bytes, **changed: object) -> bytes:
    """The record with other fields, linked as an attacker who can compute hashes would."""
    record = json.loads(line)
    kept = {
        key: value for key, value in record.items() if key not in ("schema", "seq", "prev", "hash")
    }
    return encode_line(kept | changed, record["seq"], record["prev"])[0]


def found(folder: Path, changed: list[bytes]) -> list[tuple[str, int]]:
    """What a walk along these lines finds, and on which of them."""
    (path,) = files(folder)
    path.write_bytes(b"".join(changed))
    walk = Verification()
    for number, line in enumerate(path.read_bytes().splitlines(keepends=True), 1):
        walk.check_line(str(path), number, line)
    return [(each.kind, each.line) for each in walk.findings]


STORIES: dict[str, tuple[Callable[[list[bytes]], list[bytes]], list[tuple[str, int]]]] = {
    "nothing": (lambda all_: all_, []),
    "two edits": (
        lambda all_: [*all_[:2], edited(all_[2]), *all_[3:6], edited(all_[6]), *all_[7:]],
        [(EDITED, 3), (EDITED, 7)],
    ),
    "all edited": (
        lambda all_: [edited(each) for each in all_],
        [(EDITED, at) for at in range(1, COUNT + 1)],
    ),
    "an edit and a removal": (
        lambda all_: [*all_[:2], edited(all_[2]), *all_[3:6], *all_[7:]],
        [(EDITED, 3), (REMOVED, 7)],
    ),
    "a removal and an edit right behind it": (
        lambda all_: [*all_[:2], edited(all_[3]), *all_[4:]],
        [(EDITED, 3), (REMOVED, 3)],
    ),
    "two removals": (lambda all_: [*all_[:2], *all_[3:6], *all_[7:]], [(REMOVED, 3), (REMOVED, 6)]),
    "a record rewritten": (
        lambda all_: [*all_[:4], anew(all_[4], text="x"), *all_[5:]],
        [(REPLACED, 6)],
    ),
    "two swapped": (
        lambda all_: [*all_[:4], all_[5], all_[4], *all_[6:]],
        [(REMOVED, 5), (REORDERED, 6), (REORDERED, 7)],
    ),
    "a foreign record of a great number": (
        lambda all_: [*all_[:4], encode_line(note("x"), 10**6, "0" * 64)[0], *all_[4:]],
        [(REMOVED, 5), (REORDERED, 6)],
    ),
    "a record again": (lambda all_: [*all_, all_[3]], [(INSERTED, COUNT + 1)]),
    "a line that is none, and an edit": (
        lambda all_: [*all_[:2], b"#\n", *all_[3:6], edited(all_[6]), *all_[7:]],
        [(EDITED, 3), (EDITED, 7)],
    ),
}


@pytest.mark.parametrize("name", STORIES)
def test_every_place_has_a_story(name: str, tmp_path: Path) -> None:
    """No place has the story of another."""
    change, expected = STORIES[name]

    assert found(tmp_path / "j", change(lines(written(tmp_path / "j", COUNT)))) == expected
