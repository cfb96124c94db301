"""Texts of approved files: which are kept, and when they go."""

from __future__ import annotations

from typing import TYPE_CHECKING

from hookline.engine.approved_texts import read_texts
from hookline.text.digest import sha256
from hookline.trust.inspection import InspectedFile, Inspection
from hookline.trust.store import Approval, Store

if TYPE_CHECKING:
    from pathlib import Path


def inspected(folder: Path, **texts: bytes) -> Inspection:
    """An inspection of files with these bytes."""
    files = []
    for name, text in texts.items():
        (folder / name).write_bytes(text)
        files.append(InspectedFile(path=str(folder / name), key=name, sha256=sha256(text)))
    return Inspection(files=tuple(files), digest="d")


def test_short_texts_are_read(tmp_path: Path) -> None:
    """Bytes that are no text are left out, and a file above 64 KiB."""
    found = inspected(tmp_path, a=b"x\n", b=b"\xff", c=b"x" * (64 << 10), d=b"x" * (1 + (64 << 10)))

    assert {key: len(text) for key, text in read_texts(found).items()} == {"a": 2, "c": 64 << 10}


def test_all_texts_together_are_bounded(tmp_path: Path) -> None:
    """What does not fit any more is left out."""
    found = inspected(tmp_path, **dict.fromkeys("abcdef", b"x" * (60 << 10)))

    assert [*read_texts(found)] == ["a", "b", "c", "d"]


def test_other_bytes_than_were_inspected_are_no_approved_text(tmp_path: Path) -> None:
    """A file that changed between the two readings, or is gone."""
    found = inspected(tmp_path, a=b"x", b=b"x")
    (tmp_path / "a").write_bytes(b"y")
    (tmp_path / "b").unlink()

    assert read_texts(found) == {}


def test_texts_go_with_their_version(tmp_path: Path) -> None:
    """With the ninth version the first goes; a revocation takes all. Others cannot read them."""
    store = Store(str(tmp_path / "store"))
    made = [Approval(definition="x", content=f"c{at}", owner="o", at=float(at)) for at in range(9)]
    for each in made:
        store.approve([each], texts={each.content: {"a.sh": each.content}})
    kept = [store.read_texts(each) for each in made]
    modes = {path.stat().st_mode & 0o777 for path in tmp_path.rglob("*.texts")}
    store.revoke(made[:1])

    assert kept == [{}, *({"a.sh": f"c{at}"} for at in range(1, 9))]
    assert modes == {0o600}
    assert [path.name for path in (tmp_path / "store/approvals/o").iterdir()] == ["x.revoked"]
