"""The store: small files that survive kills, races and damage."""

from __future__ import annotations

import os
import random
import signal
import stat
from typing import TYPE_CHECKING, Any

import pytest

from hookline.errors import TrustError
from hookline.trust.store import Approval, Store, Switch

if TYPE_CHECKING:
    from pathlib import Path

A, B = "a" * 64, "b" * 64
OWNER = "project-1"
KILLS = int(os.environ.get("HOOKLINE_KILLS", "20"))


def approval(definition: str = A, content: str = B, **fields: Any) -> Approval:
    """Return an approval."""
    return Approval(**{"definition": definition, "content": content, "owner": OWNER, **fields})


@pytest.fixture
def store(tmp_path: Path) -> Store:
    """An empty store."""
    return Store(str(tmp_path / "hookline"))


def test_what_is_approved_is_read_back(store: Store) -> None:
    """Whole, by owner, definition and content."""
    files = (("guard.sh", "0" * 64, True, False),)
    given = approval(files=files, command="./guard.sh", at=5.0, who="ada", how="test", guards=True)
    assert store.read_approvals(OWNER).versions == {}
    store.approve([given])

    assert store.list_owners() == [OWNER]
    assert store.read_approvals(OWNER).versions == {A: frozenset({B})}
    assert store.read_version(OWNER, A, B) == given
    assert store.list_versions(OWNER, A) == [given]


def test_the_files_are_the_users_alone(store: Store) -> None:
    """Folder 0700, files 0600, also under a loose umask."""
    before = os.umask(0)
    try:
        store.approve([approval()])
    finally:
        os.umask(before)
    folder = f"{store.folder}/approvals/{OWNER}"

    assert stat.S_IMODE(os.stat(folder).st_mode) == 0o700
    assert stat.S_IMODE(os.stat(f"{folder}/{A}.{B}.json").st_mode) == 0o600


def test_revoked_wins_until_a_person_approves_again(store: Store) -> None:
    """A first use does not end a revocation."""
    store.approve([approval()])
    store.revoke([approval()])
    assert store.read_approvals(OWNER).versions == {}
    assert store.read_approvals(OWNER).revoked == {A}
    store.approve([approval()], is_first_use=True)
    assert store.read_approvals(OWNER).revoked == {A}
    store.approve([approval()])

    assert store.read_approvals(OWNER).revoked == frozenset()
    assert store.read_approvals(OWNER).versions == {A: frozenset({B})}


def test_the_last_eight_versions_are_kept(store: Store) -> None:
    """Two branches or worktrees do not fight over one version."""
    contents = [f"{number:064x}" for number in range(10)]
    for number, content in enumerate(contents):
        store.approve([approval(content=content)])
        path = f"{store.folder}/approvals/{OWNER}/{A}.{content}.json"
        os.utime(path, (number, number))
    store.approve([approval(content="f" * 64)])

    assert store.read_approvals(OWNER).versions == {A: frozenset((*contents[3:], "f" * 64))}


def test_what_is_gone_is_forgotten_or_may_be_absent(store: Store) -> None:
    """An absence that is fine keeps the approval."""
    store.approve([approval(), approval(B)])
    store.forget([approval()])
    store.forget([approval(B)], may_be_absent=True)

    assert store.read_approvals(OWNER).versions == {B: frozenset({B})}
    assert store.read_approvals(OWNER).absent == {B}


def test_switches(store: Store) -> None:
    """Each is a file of its own."""
    assert store.read_switches() == []
    all_, single = Switch(), Switch(root="/p", definition=A)
    for each in (all_, single):
        store.set_switch(each, is_on=False, record={})
    assert set(store.read_switches()) == {all_, single}
    store.set_switch(all_, is_on=True, record={})
    store.set_switch(all_, is_on=True, record={})

    assert store.read_switches() == [single]


def test_the_record_comes_before_the_change(store: Store) -> None:
    """A journal that fails stops nothing."""
    said = []

    def write(record: dict[str, Any]) -> None:
        said.append((record["did"], dict(store.read_approvals(OWNER).versions)))
        raise OSError

    store.write_record = write
    store.approve([approval()])
    store.revoke([approval()])

    assert said == [("approved", {}), ("revoked", {A: frozenset({B})})]


def test_a_running_process_sees_every_change(tmp_path: Path) -> None:
    """Any process may make the change."""
    store, other = Store(str(tmp_path)), Store(str(tmp_path))
    other.approve([approval()])
    assert store.read_approvals(OWNER).versions == {A: {B}}
    other.revoke([approval()])

    assert store.read_approvals(OWNER).revoked == {A}


@pytest.mark.parametrize(
    ("text", "name"),
    [
        (b"", "trust.store"),
        (b"\0garbage\xff", "trust.store"),
        (b"[]", "trust.store"),
        (b'{"format": "1"}', "trust.store"),
        (b'{"format": 99}', "trust.newer"),
        (b'{"format": 1, "files": null}', "trust.store"),
        (b'{"format": 1, "files": [["k"]]}', "trust.store"),
        (b'{"format": 1, "at": "x"}', "trust.store"),
    ],
)
def test_a_damaged_file_is_an_error(store: Store, text: bytes, name: str) -> None:
    """It never counts as no approval."""
    store.approve([approval()])
    with open(f"{store.folder}/approvals/{OWNER}/{A}.{B}.json", "wb") as file:
        file.write(text)
    with pytest.raises(TrustError) as caught:
        store.read_version(OWNER, A, B)

    assert caught.value.name == name
    assert caught.value.hint


@pytest.mark.parametrize("at", ["", "/approvals", f"/approvals/{OWNER}"])
def test_what_others_may_write_is_an_error(store: Store, at: str) -> None:
    """The folder of an owner, and those around it that are the store's."""
    store.approve([approval()])
    os.chmod(f"{store.folder}{at}", 0o777)  # noqa: S103 - what is refused
    with pytest.raises(TrustError) as caught:
        store.read_approvals(OWNER)

    assert caught.value.name == "trust.exposed"


@pytest.mark.parametrize("make", ["fifo", "folder", "link"])
def test_what_is_no_plain_file_is_an_error_and_blocks_nothing(store: Store, make: str) -> None:
    """A FIFO is not waited for, and a link is not followed."""
    store.approve([approval()])
    path = f"{store.folder}/approvals/{OWNER}/{A}.{B}.json"
    os.rename(path, f"{path}.kept")
    if make == "fifo":
        os.mkfifo(path, 0o600)
    elif make == "folder":
        os.mkdir(path, 0o700)
    else:
        os.symlink(f"{path}.kept", path)
    with pytest.raises(TrustError):
        store.read_version(OWNER, A, B)


def test_a_store_that_cannot_be_written_says_what_to_do(tmp_path: Path) -> None:
    """Nothing is left behind."""
    (tmp_path / "hookline").write_text("")
    with pytest.raises(TrustError) as caught:
        Store(str(tmp_path / "hookline")).approve([approval()])

    assert caught.value.name == "trust.unwritable"
    assert str(tmp_path / "hookline") in caught.value.hint


@pytest.mark.process
def test_every_kill_leaves_a_store_that_can_be_read(tmp_path: Path) -> None:
    """A process that approves and revokes is killed at any moment.

    HOOKLINE_KILLS says how often.
    """
    store, drawn = Store(str(tmp_path / "s")), random.Random(7)  # noqa: S311 - moments of kills
    for _ in range(KILLS):
        reader, writer = os.pipe()
        child = os.fork()
        if not child:
            os.write(writer, b"x")
            while True:
                store.approve([approval(), approval(B)])
                store.revoke([approval()])
        os.read(reader, 1)
        for _ in range(drawn.randrange(60)):
            store.read_approvals(OWNER)
        os.kill(child, signal.SIGKILL)
        os.waitpid(child, 0)
        os.close(reader)
        os.close(writer)
        for definition, contents in store.read_approvals(OWNER).versions.items():
            for content in contents:
                assert store.read_version(OWNER, definition, content).definition == definition
    store.revoke([approval()])
    assert store.read_approvals(OWNER).revoked == {A}


def test_a_umask_of_zero_leaves_no_folder_to_others(store: Store) -> None:
    """What hookline makes, hookline can read again."""
    before = os.umask(0)
    try:
        store.approve([approval()])
    finally:
        os.umask(before)

    assert store.read_approvals(OWNER).versions == {A: {B}}


def test_a_journal_that_fails_stops_no_approval(tmp_path: Path) -> None:
    """Whatever error of hookline's it raises."""

    def fail(_: dict[str, Any]) -> None:
        raise TrustError("full")

    store = Store(str(tmp_path / "store"), write_record=fail)
    store.approve([approval()])

    assert store.read_approvals(OWNER).versions == {A: {B}}
