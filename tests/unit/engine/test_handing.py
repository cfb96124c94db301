"""Does the journal get the notes that a killed process left, by whoever looks next, and is it said where it does not?"""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from hookline.engine.handing import hand_on
from hookline.trust import Store, store_path
from tests.unit.journal.support import kind_of_break, records

if TYPE_CHECKING:
    from pathlib import Path


class Person:
    """A home with a store in which notes wait."""

    def __init__(self, folder: Path) -> None:
        self.environ = {"HOME": str(folder)}
        self.journal = folder / ".local/state/hookline/journal"
        self.said: list[str] = []
        self.store = Store(store_path(self.environ), clock=lambda: 0.0)

    def hand_on(self, **environ: str) -> list[str]:
        """What is said when somebody looks."""
        self.said.clear()
        hand_on(self.environ | environ, self.said.append)
        return list(self.said)

    def did(self) -> list[tuple[str, str]]:
        """What the journal tells, and of when."""
        return (
            [(record["did"], record["at"]) for record in records(self.journal)]
            if self.journal.exists()
            else []
        )


@pytest.fixture
def person(tmp_path: Path) -> Person:
    """Somebody who turned hooks off and on in a process that was killed before its journal knew of it."""
    return Person(tmp_path)


def test_what_was_left_behind_is_handed_on_by_who_looks(person: Person) -> None:
    """Once, and with the time when it was."""
    person.store.turn("/p", "ada", on=False)
    person.store.turn("/p", "ada", on=True)
    said = person.hand_on(), person.hand_on()

    assert said == ([], [])
    assert person.did() == [("off", "1970-01-01T00:00:00.000Z"), ("on", "1970-01-01T00:00:00.000Z")]
    assert (kind_of_break(person.journal), person.store.waiting()) == ("", ())


def test_where_nothing_was_left_nothing_is_made(person: Person, tmp_path: Path) -> None:
    """Neither a store nor a journal."""
    assert (person.hand_on(), list(tmp_path.iterdir())) == ([], [])


@pytest.mark.parametrize("how", ["off", "unwritable"])
def test_what_no_journal_takes_waits_and_that_is_said(person: Person, how: str) -> None:
    """Until one is kept."""
    person.store.turn("/p", "ada", on=False)
    if how == "off":
        said = person.hand_on(HOOKLINE_JOURNAL="off")
    else:
        person.journal.mkdir(mode=0o700)
        person.journal.chmod(0o777)
        said = person.hand_on()
        person.journal.chmod(0o700)

    assert said[-1].startswith("HKL6011 1 note on an approval or a switch waits in")
    assert (person.hand_on(), [did for did, _ in person.did()]) == ([], ["off"])


def test_a_store_that_cannot_be_read_stops_nobody_who_looks(person: Person) -> None:
    """It is said, and the rest is shown."""
    person.store.turn("/p", "ada", on=False)
    (person.journal.parent / "trust.db").chmod(0o666)

    assert ["HKL" in line and "not in the journal yet" in line for line in person.hand_on()] == [
        True
    ]
