"""Verify: it finds edited, removed, inserted and moved records, and names each place."""

from __future__ import annotations

import json
import shutil
import tempfile
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from hookline.journal.log_files import encode_line
from hookline.journal.verify import (
    EDITED,
    HEADLESS,
    INSERTED,
    REMOVED,
    REPLACED,
    TRUNCATED,
    parse_head,
)
from tests.unit.journal.support import checked, files, kind_of_break, lines, note, written

COUNT = 12


@pytest.fixture
def trail(tmp_path: Path) -> Path:
    """Twelve records in one file."""
    return written(tmp_path / "journal", COUNT)


def put(folder: Path, changed: list[bytes]) -> None:
    """Write the only file of a trail again."""
    files(folder)[0].write_bytes(b"".join(changed))


def test_an_untouched_trail_is_whole(trail: Path) -> None:
    """It says from where to where, and what its head is."""
    found = checked(trail)

    assert (found.broken, found.records, found.first, found.last, found.notes) == (
        None,
        COUNT,
        1,
        COUNT,
        [],
    )
    assert found.to_dict()["head"] == f"{COUNT}:{json.loads(lines(trail)[-1])['hash']}"


def test_what_was_never_written_is_whole(tmp_path: Path) -> None:
    """An empty folder holds nothing that could be broken."""
    assert checked(tmp_path).broken is None
    assert (checked(tmp_path).records, checked(tmp_path).is_whole) == (0, False)


def relinked(line: bytes) -> bytes:
    """The record with another text, linked as an attacker who can compute hashes would."""
    record = json.loads(line)
    kept = {
        key: value for key, value in record.items() if key not in ("schema", "seq", "prev", "hash")
    }
    return encode_line(kept | {"text": "another"}, record["seq"], record["prev"])[0]


CHANGES = {
    "an edited text": (
        lambda all_: [*all_[:5], all_[5].replace(b'"text":5', b'"text":6'), *all_[6:]],
        EDITED,
        6,
    ),
    "a line that is made no record": (lambda all_: [*all_[:5], b"#\n", *all_[6:]], EDITED, 6),
    "a record that was rewritten": (
        lambda all_: [*all_[:5], relinked(all_[5]), *all_[6:]],
        REPLACED,
        7,
    ),
    "a removed record": (lambda all_: [*all_[:5], *all_[6:]], REMOVED, 6),
    "three removed records": (lambda all_: [*all_[:5], *all_[8:]], REMOVED, 6),
    "the first removed": (lambda all_: all_[1:], REMOVED, 1),
    "a record twice": (lambda all_: [*all_[:5], all_[4], *all_[5:]], INSERTED, 6),
    "a record with a wrong hash, put in": (
        lambda all_: [*all_[:5], all_[5].replace(b'"text":5', b'"text":6'), *all_[5:]],
        EDITED,
        6,
    ),
    "two records in the other order": (
        lambda all_: [*all_[:5], all_[6], all_[5], *all_[7:]],
        REMOVED,
        6,
    ),
    "the last removed": (lambda all_: all_[:-1], TRUNCATED, 0),
    "all removed": (lambda _: [], TRUNCATED, 0),
    "half of the last one": (lambda all_: [*all_[:-1], all_[-1][:100]], TRUNCATED, 0),
    "the last one rewritten": (lambda all_: [*all_[:-1], relinked(all_[-1])], REPLACED, 0),
}


@pytest.mark.parametrize("name", CHANGES)
def test_a_change_is_named_with_its_place(name: str, trail: Path) -> None:
    """What happened to the first record that is not as it was, and on which line."""
    change, kind, line = CHANGES[name]
    put(trail, change(lines(trail)))
    broken = checked(trail).broken

    assert broken is not None
    assert (broken.kind, broken.line) == (kind, line)


@pytest.mark.parametrize("alien", [b'{"type":"note"}\n', b"\n", b"#\n{\n"])
@pytest.mark.parametrize("at", [0, 5, COUNT])
def test_a_line_that_is_no_record_breaks_nothing(alien: bytes, at: int, trail: Path) -> None:
    """Where the records around it follow each other; it is noted with its place."""
    put(trail, [*lines(trail)[:at], alien, *lines(trail)[at:]])
    found = checked(trail)

    assert (found.is_whole, found.records) == (True, COUNT)
    assert [f":{at + 1}: no record" in each for each in found.notes] == [True]


@given(st.data())
@settings(deadline=None)
def test_any_change_of_lines_is_found(data: st.DataObject) -> None:
    """Whatever is edited, removed, inserted, doubled or moved."""
    folder = Path(tempfile.mkdtemp())
    try:
        trail = written(folder / "journal", 6)
        before = lines(trail)
        at, other = data.draw(st.integers(0, 5)), data.draw(st.integers(0, 5))
        edited = bytearray(before[at])
        place = data.draw(st.integers(0, len(edited) - 2))
        edited[place] ^= data.draw(st.integers(1, 127))
        alien = data.draw(
            st.sampled_from([before[other], encode_line(note("x"), at + 1, "f" * 64)[0]])
        )
        rest = before[:at] + before[at + 1 :]
        changes = {
            "edit": [*before[:at], bytes(edited), *before[at + 1 :]],
            "remove": rest,
            "insert": [*before[:at], alien, *before[at:]],
            "append": [*before, alien],
            "move": [*rest[:other], before[at], *rest[other:]],
        }
        changed = changes[data.draw(st.sampled_from(sorted(changes)))]
        put(trail, changed)

        assert (checked(trail).broken is None) == (b"".join(changed) == b"".join(before))
    finally:
        shutil.rmtree(folder)


def test_a_whole_file_that_is_gone_is_missed(tmp_path: Path) -> None:
    """From the middle, from the beginning, from the end."""
    trail = written(tmp_path / "journal", COUNT, largest=1000)
    assert len(files(trail)) >= 3
    for at, kind in ((1, REMOVED), (0, REMOVED), (-1, TRUNCATED)):
        copy = shutil.copytree(trail, tmp_path / f"copy{at}")
        files(copy)[at].unlink()
        assert kind_of_break(copy) == kind


def test_without_its_head_the_end_cannot_be_told(trail: Path) -> None:
    """Unless the user keeps the head elsewhere."""
    (trail / "head").unlink()
    put(trail, lines(trail)[:-3])
    found = checked(trail)

    assert [each.kind for each in found.findings] == [HEADLESS]
    assert "newest records" in found.findings[0].message
    assert checked(trail, remembered=(COUNT - 3, found.head)).is_whole


def test_behind_a_gap_everything_is_found(trail: Path) -> None:
    """After a power failure an edit of newer records is found as before."""
    put(trail, lines(trail)[:-3])
    written(trail, 5)
    assert [each.kind for each in checked(trail).findings] == [REMOVED]
    after = lines(trail)
    after[-3] = after[-3].replace(b'"text":2', b'"text":9')
    put(trail, [*after[:2], *after[3:]])

    assert [(each.kind, each.line) for each in checked(trail).findings] == [
        (REMOVED, 3),
        (REMOVED, 9),
        (EDITED, 11),
    ]
    assert checked(trail).records == 9 + 5 - 2


def test_every_place_is_named_up_to_a_number(tmp_path: Path) -> None:
    """And how many more there are."""
    trail = written(tmp_path / "journal", 120)
    put(trail, [line.replace(b'"text":', b'"texd":') for line in lines(trail)])
    found = checked(trail)

    assert (len(found.findings), found.records, found.is_whole) == (50, 0, False)
    assert "70 more places are broken" in found.notes


def test_a_head_that_is_remembered_elsewhere_shows_a_trail_that_was_made_anew(
    trail: Path, tmp_path: Path
) -> None:
    """An attacker can compute every hash, and the head, again."""
    told = str(checked(trail).to_dict()["head"])
    forged = written(tmp_path / "forged", COUNT + 1, largest=10**6)
    head = parse_head(told)
    assert head is not None
    put(trail, lines(forged)[: COUNT + 1])
    shutil.copy(forged / "head", trail / "head")

    assert checked(trail).broken is None or checked(trail).records == COUNT + 1
    assert checked(trail, remembered=head).broken is None  # the same twelve notes were written
    put(trail, [encode_line(note("other"), 1, "0" * 64)[0]])
    (trail / "head").unlink()
    assert checked(trail, remembered=head).broken is not None


def test_a_remembered_head_that_was_replaced_is_named(trail: Path) -> None:
    """By its number."""
    broken = checked(trail, remembered=(3, "f" * 64)).broken

    assert broken is not None
    assert (broken.kind, "record 3" in broken.message) == (REPLACED, True)


@pytest.mark.parametrize(
    ("text", "head"),
    [("12:abcdef0123", (12, "abcdef0123")), ("12", None), ("x:abcdef0123", None), ("1:ab", None)],
)
def test_a_head_is_read_as_it_is_printed(text: str, head: tuple[int, str] | None) -> None:
    """A number and at least eight digits of a hash."""
    assert parse_head(text) == head
