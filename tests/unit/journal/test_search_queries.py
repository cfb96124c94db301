"""Query: filters, and times as people write them."""

from __future__ import annotations

import pytest

from hookline.errors import ConfigError
from hookline.journal.records import format_time
from hookline.journal.search import Query, parse_time

NOW = 1_795_255_200.5  # 2026-11-21T10:00:00.500Z


@pytest.mark.parametrize(
    ("text", "at"),
    [
        ("2h", "2026-11-21T08:00:00.500Z"),
        ("90s", "2026-11-21T09:58:30.500Z"),
        ("1.5d", "2026-11-19T22:00:00.500Z"),
        ("2026-11-21T10:00:00+01:00", "2026-11-21T09:00:00.000Z"),
        ("2026-11-20T10:00:00Z", "2026-11-20T10:00:00.000Z"),
    ],
)
def test_a_time_is_so_long_ago_or_on_a_clock(text: str, at: str) -> None:
    """In UTC, as records have it, so that texts compare as times do."""
    assert parse_time(text, NOW) == at


@pytest.mark.parametrize("text", ["yesterday", "2x", ""])
def test_what_is_no_time_is_refused(text: str) -> None:
    """With an example of what is."""
    with pytest.raises(ConfigError, match="is not a time"):
        parse_time(text, NOW)


def test_an_empty_query_matches_all() -> None:
    """Each filter adds a condition, and most add bytes that a line must contain."""
    record = {"tool": "Bash", "faults": 1}

    assert Query().matches({})
    assert Query().needles() == []
    assert Query(tool="Bash", fault=True).matches(record)
    assert not Query(tool="Read", fault=True).matches(record)
    assert not Query(tool="Bash", fault=True).matches(record | {"faults": 0})
    assert Query(tool='"é"', fault=True).needles() == [(b'"tool":"\\"\\u00e9\\""',)]


def test_a_stamp_has_milliseconds() -> None:
    """And is in UTC."""
    assert format_time(NOW) == "2026-11-21T10:00:00.500Z"
