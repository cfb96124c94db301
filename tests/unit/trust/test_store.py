"""Does the store keep what it was told, for whoever else reads and writes it, whatever happens to them?"""

from __future__ import annotations

import os
import random
import signal
import sqlite3
import subprocess
import sys
import time
from pathlib import Path

import pytest

from hookline.errors import TrustError
from hookline.trust import Approval, Store
from hookline.trust.fingerprint import Fingerprint
from hookline.trust.schema import SCHEMA, may_be_off
from hookline.trust.store import store_path

SOURCE = str(Path(__file__).parents[3] / "src")
# So often a process is killed at a random point of its approvals; `make kill` does it a thousand times.
KILLS = int(os.environ.get("HOOKLINE_KILLS", "40"))
_WRITER = """
import os
import sys
sys.path.insert(0, {source!r})
from hookline.trust.approval import Approval
from hookline.trust.store import Store
from hookline.trust.fingerprint import Fingerprint
journal = os.open({path!r} + ".journal", os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o600)
store = Store({path!r}, tell=lambda record: os.write(journal, (record["id"] + " " + record["what"] + " " + record["identity"] + "\\n").encode()))
print("ready", flush=True)
for number in range({first}, {last}):
    name = f"{{number}}"
    store.approve([Approval(print=Fingerprint(identity=name, places="p", content="c"), command=name)])
    if number % 3 == 2:
        print("?" + str(number - 1), flush=True)
        store.revoke([(f"{{number - 1}}", "")], "ada")
        print("-" + str(number - 1), flush=True)
    print("+" + name, flush=True)
"""


def approval(
    identity: str = "i", places: str = "p", content: str = "c", **fields: object
) -> Approval:
    """An approval of a hook of this fingerprint."""
    return Approval(print=Fingerprint(identity=identity, places=places, content=content), **fields)  # type: ignore[arg-type]  # its own fields


@pytest.fixture
def store(tmp_path: Path) -> Store:
    """A store that nobody wrote to yet."""
    return Store(str(tmp_path / "state/trust.db"), clock=lambda: time.time() + 60)


def writer(path: str, first: int, last: int) -> subprocess.Popen[str]:
    """A process that approves and revokes, and announces each on its standard output once that is committed."""
    code = _WRITER.format(source=SOURCE, path=path, first=first, last=last)
    return subprocess.Popen([sys.executable, "-S", "-c", code], stdout=subprocess.PIPE, text=True)


# -- what it keeps -----------------------------------------------------------------------------------------------------


def test_a_store_that_is_not_there_knows_nothing_and_is_not_made(store: Store) -> None:
    """To look is not to write."""
    assert (store.known().approvals, store.approvals()) == ({}, ())
    assert not os.path.exists(store.path)


def test_an_approval_is_found_again(store: Store) -> None:
    """With everything that a person wants to know of it."""
    store.approve(
        [approval(command="guard.py", covers=("definition",), who="ada", how="chat", at=5.0)]
    )

    assert store.known().approvals == {"i": {"p": "c"}}
    assert store.approvals() == (
        approval(command="guard.py", covers=("definition",), who="ada", how="chat", at=5.0),
    )


def test_a_new_approval_takes_the_place_of_the_old(store: Store) -> None:
    """The former content is not approved any more."""
    store.approve([approval(content="old")])
    store.approve([approval(content="new"), approval(places="elsewhere", content="old")])

    assert store.known().approvals == {"i": {"p": "new", "elsewhere": "old"}}


def test_a_revocation_takes_all_approvals_of_a_hook(store: Store) -> None:
    """And stays until somebody approves the hook again; its use is no approval."""
    store.approve([approval(), approval(places="q")])
    store.revoke([("i", "guard.py")], "ada")
    store.approve([approval()], first_use=True)

    assert (store.known().approvals, store.known().revoked) == ({}, {"i"})

    store.approve([approval()])

    assert (store.known().approvals, store.known().revoked) == ({"i": {"p": "c"}}, set())


def test_a_first_use_changes_no_approval(store: Store) -> None:
    """What changed since is for a person to approve."""
    store.approve([approval(content="c")])
    store.approve([approval(content="changed")], first_use=True)

    assert store.known().approvals == {"i": {"p": "c"}}


def test_another_store_sees_at_once_what_one_wrote(store: Store) -> None:
    """Also within the grain of the file's times."""
    other = Store(store.path)
    for number in range(20):
        store.approve([approval(identity=str(number))])
        assert str(number) in other.known().approvals


def test_what_a_session_was_told_is_not_written_again(store: Store) -> None:
    """Every call of a tool asks, and every write makes all readers read anew."""
    assert [store.told("s", "x"), store.told("t", "x")] == [False, False]
    stamp = os.stat(store.path).st_mtime_ns

    assert [store.told("s", "x"), store.told("t", "x")] == [True, True]
    assert os.stat(store.path).st_mtime_ns == stamp


def test_while_nothing_changes_the_file_is_not_opened(
    store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A running engine asks before every hook."""
    store.approve([approval()])
    first = store.known()
    monkeypatch.setattr(sqlite3, "connect", None)

    assert store.known() is first


def test_a_session_is_told_something_once(store: Store) -> None:
    """Whichever of its processes asks."""
    assert [store.told("s", "off"), Store(store.path).told("s", "off"), store.told("t", "off")] == [
        False,
        True,
        False,
    ]


def test_it_lies_where_the_user_keeps_state() -> None:
    """An empty or relative XDG_STATE_HOME is ignored."""
    assert store_path({"XDG_STATE_HOME": "/s", "HOME": "/h"}) == "/s/hookline/trust.db"
    assert store_path({"XDG_STATE_HOME": "s", "HOME": "/h"}) == "/h/.local/state/hookline/trust.db"


# -- what it refuses ---------------------------------------------------------------------------------------------------


def test_only_its_owner_can_read_it(store: Store) -> None:
    """From the first moment on, and so with what SQLite lays beside it."""
    store.approve([approval()])

    assert os.stat(store.path).st_mode & 0o777 == 0o600
    assert os.stat(os.path.dirname(store.path)).st_mode & 0o777 == 0o700
    assert os.listdir(os.path.dirname(store.path)) == ["trust.db"]


def _garbage(path: str) -> None:
    Path(path).write_bytes(b"no database, but as long as the header of one would have to be" * 20)


def _torn(path: str) -> None:
    with open(path, "r+b") as file:
        file.seek(4096)
        file.write(b"\xff" * 8192)


def _foreign(path: str) -> None:
    os.unlink(path)
    with sqlite3.connect(path) as db:
        db.execute("CREATE TABLE approvals (everything TEXT)")
    db.close()
    os.chmod(path, 0o600)


def _newer(path: str) -> None:
    with sqlite3.connect(path) as db:
        db.execute(f"PRAGMA user_version = {SCHEMA + 1}")
    db.close()


def _exposed(path: str) -> None:
    os.chmod(path, 0o666)  # noqa: S103 - what must be noticed


def _link(path: str) -> None:
    os.rename(path, f"{path}.real")
    os.symlink(f"{path}.real", path)


@pytest.mark.parametrize(
    ("spoil", "code"),
    [
        (_garbage, "trust.store"),
        (_torn, "trust.store"),
        (_foreign, "trust.store"),
        (_newer, "trust.newer"),
        (_exposed, "trust.exposed"),
        (_link, "trust.store"),
    ],
    ids=lambda value: getattr(value, "__name__", value),
)
def test_what_cannot_be_trusted_is_an_error_and_never_an_empty_store(
    store: Store, spoil, code: str
) -> None:
    """And nothing is written over it."""
    store.approve([approval(identity=str(number), command="x" * 500) for number in range(30)])
    spoil(store.path)
    before = Path(store.path).read_bytes()

    for use in (store.known, lambda: store.approve([approval()])):
        with pytest.raises(TrustError) as raised:
            use()
        assert raised.value.name == code
    assert Path(store.path).read_bytes() == before


def _open_folder(path: str) -> None:
    os.chmod(os.path.dirname(path), 0o777)  # noqa: S103 - what must be noticed


def _sticky_folder(path: str) -> None:
    os.chmod(os.path.dirname(path), 0o1777)  # noqa: S103 - as above


def _open_journal(path: str) -> None:
    Path(f"{path}-journal").write_bytes(b"\0" * 512)
    os.chmod(f"{path}-journal", 0o666)  # noqa: S103 - as above


def _linked_log(path: str) -> None:
    os.symlink("/dev/null", f"{path}-wal")


@pytest.mark.parametrize(
    "spoil",
    [_open_folder, _sticky_folder, _open_journal, _linked_log],
    ids=lambda each: each.__name__.strip("_"),
)
def test_what_others_may_play_back_is_not_opened(store: Store, spoil) -> None:
    """A journal beside the database is a part of it: with one of somebody else's a revoked hook would be approved again."""
    store.approve([approval()])
    store.revoke([("i", "guard.py")], "ada")
    spoil(store.path)

    for use in (Store(store.path).known, lambda: store.approve([approval()]), store.approvals):
        with pytest.raises(TrustError) as raised:
            use()
        assert raised.value.name == "trust.exposed"


@pytest.mark.skipif(os.geteuid() != 0, reason="only root gives files away")
@pytest.mark.parametrize("beside", ["", "-journal", "-shm", "folder"])
def test_a_file_of_another_user_is_not_opened(store: Store, beside: str) -> None:
    """Whatever its mode is."""
    store.approve([approval()])
    path = os.path.dirname(store.path) if beside == "folder" else f"{store.path}{beside}"
    if beside.startswith("-"):
        Path(path).touch(0o600)
    os.chown(path, 65534, 65534)

    with pytest.raises(TrustError) as raised:
        Store(store.path).known()
    assert raised.value.name == "trust.exposed"


def test_a_folder_that_vanished_from_under_others_hands_is_no_empty_store(store: Store) -> None:
    """Where everybody may put files, a missing one may have been removed, with the revocations in it."""
    store.revoke([("i", "guard.py")], "ada")
    os.unlink(store.path)
    _open_folder(store.path)

    with pytest.raises(TrustError):
        store.known()


def test_what_a_loose_umask_let_the_group_do_is_taken_back(store: Store) -> None:
    """Journal and sessions may have made the folder first."""
    store.approve([approval()])
    os.chmod(os.path.dirname(store.path), 0o775)  # noqa: S103 - as a umask of 002 has it

    assert store.known().approvals == {"i": {"p": "c"}}
    assert os.stat(os.path.dirname(store.path)).st_mode & 0o777 == 0o755


def test_where_nothing_can_be_written_nothing_is_approved(tmp_path: Path) -> None:
    """It is said, and what is known stays known. A file stands where the folder should be, because root may write anywhere."""
    (tmp_path / "state").write_text("", encoding="utf-8")

    with pytest.raises(TrustError) as raised:
        Store(str(tmp_path / "state/trust.db")).approve([approval()])
    assert raised.value.name in ("trust.unwritable", "trust.store")


# -- at any moment -----------------------------------------------------------------------------------------------------


@pytest.mark.process
def test_a_kill_at_any_moment_loses_nothing_that_was_committed(tmp_path: Path) -> None:
    """What was announced is there, what was revoked is gone, and the file is whole."""
    path = str(tmp_path / "trust.db")
    seed = random.randrange(1 << 32)  # noqa: S311 - a moment, no secret
    chance = random.Random(seed)  # noqa: S311 - as above
    stands: dict[str, str] = {}
    for kill in range(KILLS):
        child = writer(path, kill * 1000, kill * 1000 + 1000)
        assert child.stdout is not None
        said = [
            child.stdout.readline() for _ in range(chance.randrange(1, 6))
        ]  # so far it surely came, however slow this machine is
        _wait(chance.uniform(0, 0.01))
        child.send_signal(signal.SIGKILL)
        for line in (*said[1:], *child.stdout.read().split()):
            stands[line[1:].strip()] = line[0]
        child.wait()
        child.stdout.close()
        known = Store(path).known()
        # Whether a revocation that was begun (`?`) was committed, nobody was told.
        lost = [
            name
            for name, sign in stands.items()
            if sign != "?" and (name in known.approvals) is not (sign == "+")
        ]
        assert lost == [], f"seed {seed}, kill {kill}"
        assert _noted(path) == _changed(path), f"seed {seed}, kill {kill}"
    with sqlite3.connect(path) as db:
        assert db.execute("PRAGMA integrity_check").fetchone() == ("ok",)
    db.close()
    assert len(stands) > KILLS // 4


def _noted(path: str) -> list[tuple[str, str]]:
    """What a journal was told, and what is left to be told; what it was told twice has one id."""
    with open(f"{path}.journal", encoding="ascii") as file:
        told = {line.split()[0]: (line.split()[1], line.split()[2]) for line in file}
    left = {
        note.id: (str(note.record["what"]), str(note.record["identity"]))
        for note in Store(path).waiting()
    }
    return sorted((told | left).values())


def _changed(path: str) -> list[tuple[str, str]]:
    """What was committed by the writers, told from what there is now. A revoked hook was approved before, if its writer did that."""
    known = Store(path).known()
    revoked = [("revoked", name) for name in known.revoked]
    return sorted(
        [
            *revoked,
            *(
                ("approved", name)
                for name in (*known.approvals, *known.revoked)
                if int(name) % 1000 < 999
            ),
        ]
    )


def _wait(seconds: float) -> None:
    """Until a moment that the child cannot know of."""
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        pass


@pytest.mark.process
def test_eight_writers_lose_nothing_of_each_other(tmp_path: Path) -> None:
    """Each waits for its turn, the first of them while the file is made."""
    path = str(tmp_path / "trust.db")
    children = [writer(path, number * 100, number * 100 + 12) for number in range(8)]
    codes = [(child.communicate()[0], child.returncode)[1] for child in children]

    assert codes == [0] * 8
    told = [number * 100 + each for number in range(8) for each in range(12)]
    revoked = {each - 1 for each in told if each % 3 == 2}  # of another's, where it is its first
    assert {int(name) for name in Store(path).known().approvals} == set(told) - revoked
    noted = Path(f"{path}.journal").read_text(encoding="ascii").splitlines()
    assert len(noted) == len({line.split()[0] for line in noted})  # and no note was handed on twice
    assert len({*_noted(path)}) == len(told) + len(revoked)


# -- the header ----------------------------------------------------------------------------------------------------------


def test_the_header_tells_whether_a_switch_is_off(tmp_path: Path) -> None:
    """Without the database: off while any switch is off, and on again when the last one is on."""
    path = str(tmp_path / "trust.db")
    store = Store(path)
    told = [may_be_off(path)]
    for root, on in (("/a", False), ("", False), ("/a", True), ("", True)):
        store.turn(root, "me", on=on)
        told.append(may_be_off(path))

    assert told == [False, True, True, True, False]
    assert store.known().off == frozenset()


@pytest.mark.parametrize("what", ["journal", "short", "link", "folder"])
def test_a_header_that_is_not_certain_may_say_off(what: str, tmp_path: Path) -> None:
    """Whoever wants to know then must ask the database."""
    path = tmp_path / "trust.db"
    if what == "folder":
        path.mkdir()
    else:
        Store(str(path)).turn("/a", "me", on=True)
    if what == "journal":
        (tmp_path / "trust.db-journal").touch()
    elif what == "short":
        path.write_bytes(b"SQLite")
    elif what == "link":
        path.rename(tmp_path / "other")
        path.symlink_to(tmp_path / "other")

    assert may_be_off(str(path))
