"""Is an approval read as it was written, and is a first use no more than that?"""

from __future__ import annotations

import sqlite3

import pytest

from hookline.trust.approval import Approval, note_of, read, write
from hookline.trust.fingerprint import Fingerprint
from hookline.trust.schema import lift

ONE = Approval(
    print=Fingerprint(identity="i", places="p", content="c"), root="/p", dialect="codex", event="Stop", command="guard.sh", file="/p/f",
    hook="h", covers=("definition", "program guard.sh"), who="ada", how="chat", at=5.0,
)  # fmt: skip


@pytest.fixture
def db() -> sqlite3.Connection:
    """The tables of a store."""
    made = sqlite3.connect(":memory:", isolation_level=None)
    lift(made)
    return made


def test_an_approval_is_read_as_it_was_written(db: sqlite3.Connection) -> None:
    """The latest first."""
    later = ONE.replace(print=ONE.print.replace(places="q"), at=6.0)

    assert [write(db, each, first_use=False, keep_revoked=False) for each in (ONE, later)] == [
        True,
        True,
    ]
    assert read(db) == (later, ONE)


@pytest.mark.parametrize(
    ("before", "how", "written"),
    [
        ("", {"first_use": True}, True),
        ("approved", {"first_use": True}, False),
        ("approved", {"keep_revoked": True}, True),
        ("approved", {}, True),
        ("revoked", {"first_use": True}, False),
        ("revoked", {"keep_revoked": True}, False),
        ("revoked", {}, True),
    ],
)
def test_who_approves_in_passing_overrules_nobody(
    db: sqlite3.Connection, before: str, how: dict[str, bool], *, written: bool
) -> None:
    """Neither an approval that is there nor, least of all, a revocation; a person does."""
    if before == "approved":
        write(db, ONE.replace(how="before"), first_use=False, keep_revoked=False)
    elif before:
        db.execute("INSERT INTO revocations VALUES ('i', '', '', 0)")

    assert write(db, ONE, **{"first_use": False, "keep_revoked": False, **how}) is written
    assert ([each.how for each in read(db)] == ["chat"]) is written


def test_a_journal_is_told_who_approved_what(db: sqlite3.Connection) -> None:
    """As it is found again."""
    write(db, ONE, first_use=False, keep_revoked=False)
    told = note_of(*read(db))

    assert (told["what"], told["command"], told["who"], told["how"], told["identity"]) == (
        "approved",
        "guard.sh",
        "ada",
        "chat",
        "i",
    )
