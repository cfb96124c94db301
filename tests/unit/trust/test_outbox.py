"""Is no change without its note, and no note told other than at least once, whoever is killed and whatever a journal does?"""

from __future__ import annotations

import os
import sqlite3
import subprocess
import sys
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from hookline.errors import TrustError
from hookline.trust import Approval, Store, outbox
from hookline.trust.fingerprint import Fingerprint

if TYPE_CHECKING:
    from typing import Any

SOURCE = str(Path(__file__).parents[3] / "src")


class Journal:
    """What a journal was told; `takes` says how many notes more it takes."""

    def __init__(self, takes: int = 1 << 30) -> None:
        self.takes = takes
        self.told: list[dict[str, Any]] = []

    def __call__(self, record: dict[str, Any]) -> bool:
        if self.takes <= 0:
            return False
        self.takes -= 1
        self.told.append(record)
        return True

    def said(self) -> list[tuple[str, str]]:
        """What was done to what."""
        return [
            (record["what"], record.get("identity", record.get("root", ""))) for record in self.told
        ]


@pytest.fixture
def path(tmp_path: Path) -> str:
    """A store that nobody wrote to yet."""
    return str(tmp_path / "trust.db")


def approval(identity: str) -> Approval:
    """An approval of a hook."""
    return Approval(
        print=Fingerprint(identity=identity, places="p", content="c"),
        command=f"{identity}.sh",
        who="ada",
        how="chat",
    )


def test_every_change_is_told_when_it_is_committed(path: str) -> None:
    """With what it says of itself, where nobody says more; each has an id and its time."""
    journal = Journal()
    store = Store(path, tell=journal, clock=lambda: 5.0)
    store.approve([approval("a"), approval("b")])
    store.revoke([("a", "a.sh")], "bob")
    store.approve([approval("c")], replaces=["b"])
    store.forget(["c"])
    store.turn("/p", "bob", on=False, how="chat")
    store.turn_hooks("", [("h", "h.sh")], "bob", on=False)

    assert journal.said() == [
        ("approved", "a"),
        ("approved", "b"),
        ("revoked", "a"),
        ("approved", "c"),
        ("replaced", "b"),
        ("forgotten", "c"),
        ("off", "/p"),
        ("off", "h"),
    ]
    assert journal.told[0] == {
        "what": "approved", "hook": "", "event": "", "command": "a.sh", "file": "", "root": "", "identity": "a", "content": "c", "who": "ada",
        "how": "chat", "id": journal.told[0]["id"], "at": 5.0,
    }  # fmt: skip
    assert len({record["id"] for record in journal.told}) == 8
    assert store.waiting() == ()


def test_what_changes_nothing_is_not_told(path: str) -> None:
    """Neither the use of a hook that is approved, nor of one whose approval was taken back."""
    journal = Journal()
    store = Store(path, tell=journal)
    store.approve([approval("a")])
    store.revoke([("b", "b.sh")], "ada")
    store.approve([approval("a"), approval("b")], first_use=True)
    store.approve([approval("b")], keep_revoked=True)
    store.told("s", "x")

    assert journal.said() == [("approved", "a"), ("revoked", "b")]


def test_what_is_not_committed_is_not_told(path: str) -> None:
    """All of it or nothing."""
    journal = Journal()
    store = Store(path, tell=journal)

    with pytest.raises(TrustError):
        store.approve([approval("a"), approval("b").replace(command=3.5j)])
    assert (journal.said(), store.waiting(), store.known().approvals) == ([], (), {})


def test_what_no_journal_takes_waits_for_whoever_writes_next(path: str) -> None:
    """In its order, with its own id and time; and for whoever looks."""
    journal = Journal(takes=1)
    store = Store(path, tell=journal, clock=lambda: 5.0)
    for name in "abc":
        store.approve([approval(name)])
    ids = [note.id for note in store.waiting()]
    journal.takes = 2
    left = Store(path, tell=journal).hand_on()
    Store(path).revoke([("a", "")], "ada")
    journal.takes = 9
    Store(path, tell=journal, clock=lambda: 7.0).turn("/p", "ada", on=False)

    assert (left, journal.said()) == (
        0,
        [("approved", "a"), ("approved", "b"), ("approved", "c"), ("revoked", "a"), ("off", "/p")],
    )
    assert [record["id"] for record in journal.told[1:3]] == ids
    assert [record["at"] for record in journal.told[:3]] == [5.0] * 3


def test_to_hand_on_writes_nothing_into_the_store(path: str) -> None:
    """It costs no transaction; who writes next takes out what was handed on, and the file beside it does not grow."""
    store = Store(path, tell=Journal())
    store.approve([approval("a")])
    before = os.stat(path).st_mtime_ns, Path(path).read_bytes()
    Store(path, tell=Journal()).hand_on()
    after = os.stat(path).st_mtime_ns, Path(path).read_bytes()
    for name in "bcd":
        store.approve([approval(name)])
    with sqlite3.connect(path) as db:
        rows = db.execute("SELECT count(*) FROM notes").fetchone()
    db.close()

    assert after == before
    assert (rows, len(Path(f"{path}.noted").read_text(encoding="ascii").split())) == ((1,), 1)
    assert os.stat(f"{path}.noted").st_mode & 0o777 == 0o600


def test_notes_do_not_pile_up(path: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """The newest are kept, and of the others it is told how many they were."""
    monkeypatch.setattr(outbox, "MOST", 5)
    store = Store(path)
    for number in range(12):
        store.approve([approval(str(number))])
    journal = Journal()

    assert (len(store.known().approvals), len(store.waiting())) == (12, 6)
    Store(path, tell=journal).hand_on()
    assert (journal.told[0]["what"], journal.told[0]["count"]) == ("lost", 7)
    assert journal.said()[1:] == [("approved", str(number)) for number in range(7, 12)]


@pytest.mark.parametrize("spoil", ["folder", "others", "locked"])
def test_a_file_beside_the_store_that_is_of_no_use_changes_nothing_but_the_moment(
    path: str, spoil: str
) -> None:
    """What is approved is approved; its note waits."""
    beside = Path(f"{path}.noted")
    if spoil == "folder":
        beside.mkdir()
    else:
        beside.write_text("x\n", encoding="ascii")
        beside.chmod(0o666 if spoil == "others" else 0o600)
    journal = Journal()
    store = Store(path, tell=journal)
    if spoil == "locked":
        with outbox.Handed(path):
            store.approve([approval("a")])
    else:
        store.approve([approval("a")])

    assert (set(store.known().approvals), journal.told, len(store.waiting())) == ({"a"}, [], 1)
    if spoil == "others":
        with pytest.raises(TrustError) as raised:
            store.hand_on()
        assert raised.value.name == "trust.exposed"
    beside.rmdir() if spoil == "folder" else beside.unlink()
    assert (store.hand_on(), journal.said()) == (0, [("approved", "a")])


_KILLED = """
import os, sys
sys.path.insert(0, {source!r})
from hookline.trust import Approval, Store
from hookline.trust.fingerprint import Fingerprint
def tell(record):
    if {told}:
        print(record["id"], flush=True)
    os._exit(9)
Store({path!r}, tell=tell).approve([Approval(print=Fingerprint(identity="a", places="p", content="c"))])
"""


@pytest.mark.process
@pytest.mark.parametrize("told", [False, True])
def test_who_is_killed_between_leaves_the_note(path: str, *, told: bool) -> None:
    """Before the journal has it; or after, and then it is told again, by the same id."""
    code = _KILLED.format(source=SOURCE, path=path, told=told)
    done = subprocess.run(
        [sys.executable, "-S", "-c", code], stdout=subprocess.PIPE, text=True, check=False
    )
    journal = Journal()
    left = Store(path, tell=journal).hand_on()

    assert (done.returncode, left, journal.said()) == (9, 0, [("approved", "a")])
    assert done.stdout.split() == ([journal.told[0]["id"]] if told else [])


def test_two_that_hand_on_at_once_tell_each_note_once(path: str) -> None:
    """Whoever comes second finds them told."""
    first, second = Journal(), Journal()
    store = Store(path)
    store.approve([approval("a"), approval("b")])
    left = store.waiting()
    outbox.hand_on(path, left, first, lambda: left)
    outbox.hand_on(path, left, second, lambda: left)

    assert (len(first.told), second.told) == (2, [])


def test_what_others_handed_on_and_took_out_is_not_handed_on_again(path: str) -> None:
    """Although it was read as waiting before."""
    store, journal = Store(path), Journal()
    store.approve([approval("a")])
    read_before = store.waiting()
    others = Store(path, tell=Journal())
    others.hand_on()
    others.approve([approval("b")])  # takes the note on `a` out, here and beside the store
    outbox.hand_on(path, read_before, journal, store.waiting)

    assert len(read_before) == 1
    assert journal.told == []
