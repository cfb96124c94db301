"""Registries and ledgers in their JSON forms, and what makes them unknown."""

from __future__ import annotations

import json

import pytest

from hookline.guards.claims.ledgers import NO_LEDGER, find_entry, read_ledger

ROW = {"id": "abc123", "url": "https://community.example.org/p/abc123", "published": True}


@pytest.mark.parametrize(
    "document",
    [
        [ROW],
        {"previews": [ROW]},
        {"abc123": {key: ROW[key] for key in ("url", "published")}},
        {"previews": {"abc123": {"published": True}}},
    ],
)
def test_forms_of_a_registry(document) -> None:
    """A list, a list in an object, and objects by their ids are read alike."""
    ledger = read_ledger("/r.json", lambda _: json.dumps(document))

    entry = find_entry(ledger, "http://community.example.org/p/ABC123/")
    assert ledger.is_known
    assert entry is not None
    assert entry.is_on


def test_a_ledger_may_have_one_entry_a_line() -> None:
    """JSON lines are read like a list."""
    ledger = read_ledger("/l", lambda _: '{"post_id": 1}\n{"post_id": 2, "deleted": true}\n')

    assert [(entry.id, entry.is_on) for entry in ledger.entries] == [("1", True), ("2", False)]


@pytest.mark.parametrize("text", [None, "{", "12", '"x"', ""])
def test_what_cannot_be_read_is_unknown(text) -> None:
    """A missing or broken file is not an empty one."""
    ledger = read_ledger("/l", lambda _: text)

    assert not ledger.is_known
    assert "/l" in ledger.problem


def test_a_locked_file_is_unknown() -> None:
    """An error of the file system is a problem, and no fault of the guard."""

    def fail(_: str) -> str:
        raise PermissionError

    assert "PermissionError" in read_ledger("/l", fail).problem
    assert read_ledger("", fail) == NO_LEDGER


@pytest.mark.parametrize(
    ("value", "at"),
    [(1_790_000_000, 1_790_000_000.0), (1_790_000_000_000, 1_790_000_000.0),
     ("2026-09-21T00:00:00Z", 1_789_948_800.0), ("soon", 0.0), (True, 0.0)],
)  # fmt: skip
def test_times_of_entries(value, at) -> None:
    """Seconds, milliseconds and ISO 8601."""
    ledger = read_ledger("/l", lambda _: json.dumps([{"id": "a", "created_at": value}]))

    assert ledger.entries[0].at == at
