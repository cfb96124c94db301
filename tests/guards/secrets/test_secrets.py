"""The detector of secrets on its corpus; `python -m bench.guards` prints the table."""

from __future__ import annotations

import pytest

from hookline.text.secrets.finding import mask
from hookline.text.secrets.scan import find_secrets, mask_all
from tests.guards.measure import Share
from tests.guards.secrets.corpus import Case, disguised, harmless, secrets

MOST_SHOWN = 20


def is_found(case: Case) -> bool:
    """Whether at least 80 % of a secret would be masked."""
    start = case.text.index(case.secret)
    end = start + len(case.secret)
    covered = sum(
        min(end, each.end) - max(start, each.start)
        for each in find_secrets(case.text)
        if each.start < end and each.end > start
    )
    return covered >= 0.8 * len(case.secret)


def count(cases: list[Case]) -> Share:
    """How many cases are found."""
    return Share(sum(map(is_found, cases)), len(cases))


def test_the_kinds_of_the_policy_are_found():
    """At least 99 % of the core kinds, 96 % of all, and 80 % of the disguised are masked."""
    cases = secrets()
    assert len({case.kind for case in cases}) >= 40
    assert count([case for case in cases if case.is_core]).per_cent >= 99
    assert count(cases).per_cent >= 96
    assert count(disguised()).per_cent >= 80


def test_harmless_texts_pass():
    """At most 0.4 % of the look-alikes and of the prose are flagged."""
    cases = harmless()
    assert len(cases) >= 800
    flagged = [case for case in cases if find_secrets(case.text)]
    assert Share(len(flagged), len(cases)).per_cent <= 0.4, flagged[:MOST_SHOWN]


def test_nothing_of_a_masked_secret_is_left():
    """A masked text scans clean, and masking it again changes nothing."""
    for case in [*secrets(), *disguised()]:
        found = find_secrets(case.text)
        masked = mask(case.text, found)
        assert case.secret[6:-4] not in masked, case
        assert not find_secrets(masked), case
        once = mask_all(case.text)
        assert mask_all(once) == once


@pytest.mark.parametrize(
    "part", ["a", "1,", "abandon ", "key=", "sk-", "QUJD", "\n", "-----BEGIN ", "=:", "{"]
)
def test_hostile_texts_end(part):
    """A text that repeats one part is read to its end."""
    find_secrets(part * ((64 << 10) // len(part)))
