"""The detector of secrets on its corpus; `python -m bench.guards` prints the table."""

from __future__ import annotations

import re
import time

import pytest

from hookline.text.secrets.finding import mask
from hookline.text.secrets.scan import find_secrets, mask_all
from tests.guards.measure import Share
from tests.guards.secrets.corpus import (
    Case,
    disguised,
    harmless,
    load_second,
    load_second_harmless,
    secrets,
)

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
    assert count(cases).per_cent >= 99
    assert count(disguised()).per_cent >= 95


def test_the_texts_of_a_second_author_are_masked():
    """At least 99 % of the secrets are gone, and of a phrase each of its words."""
    cases = load_second()
    assert len({case.kind for case in cases}) >= 60
    left = [case for case in cases if is_left(case)]
    assert Share(len(left), len(cases)).per_cent <= 1, left
    assert not [case for case in left if case.is_core]


def is_left(case: Case) -> bool:
    """Whether a secret, or a word of a seed phrase, is in the masked text."""
    masked = mask(case.text, find_secrets(case.text))
    if not case.kind.startswith("seed-phrase") or case.is_disguised:
        return case.secret in masked
    words = [word for word in re.findall(r"[^\W\d_]+", case.secret) if word not in SPOKEN]
    return any(re.search(rf"\b{word}\b", masked.replace("seed phrase", "")) for word in words)


SPOKEN = ("redacted", "n")  # words of a mask, and of an escape


def test_the_harmless_texts_of_a_second_author_pass():
    """At most 0.4 % of them are flagged."""
    cases = load_second_harmless()
    flagged = [case for case in cases if find_secrets(case.text)]
    assert Share(len(flagged), len(cases)).per_cent <= 0.4, flagged[:MOST_SHOWN]


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
    "part",
    [
        "a",
        "1,",
        "abandon ",
        "key=",
        "sk-",
        "QUJD",
        "\n",
        "-----BEGIN ",
        "=:",
        "{",
        '" ',
        "\\n",
        "密码",
        "\u4e00 ",
        "%41",
        "password ",
        "a1b2\n",
        "token ",
    ],
)
def test_hostile_texts_end(part):
    """A text that repeats one part is read to its end, in much less than a second."""
    text = part * ((64 << 10) // len(part))
    began = time.process_time()
    find_secrets(text)
    assert time.process_time() - began < 1
