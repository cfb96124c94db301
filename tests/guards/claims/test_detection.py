"""How much of what replies claim is found, and how much is taken for a claim that is none."""

from __future__ import annotations

import time

import pytest

from hookline.guards.claims.claim import KINDS
from hookline.guards.claims.detection import find_claims
from tests.guards.claims.corpus import LANGUAGES, Case, load_cases, load_harmless
from tests.guards.measure import Share

PARTS = ("work", "more", "third", "held", "fourth", "fifth")
RECALL, FALSE_ALARMS, DISTANCE = 92, 2, 3  # per cent; docs of the targets: guards


def count_found(cases: list[Case]) -> Share:
    """The share of claims whose every kind is found; each miss is printed."""
    claims = [case for case in cases if case.kinds]
    missed = [case for case in claims if not case.kinds <= {c.kind for c in find_claims(case.text)}]
    for case in missed:
        print(f"missed: {case.text!r} ({', '.join(case.kinds)})")  # noqa: T201 - a report
    return Share(len(claims) - len(missed), len(claims))


def count_false(cases: list[Case]) -> Share:
    """The share of replies without a claim in which one is found; each is printed."""
    plain = [case for case in cases if not case.kinds]
    false = [case for case in plain if find_claims(case.text)]
    for case in false:
        print(f"false alarm ({case.group}): {case.text!r}")  # noqa: T201 - a report
    return Share(len(false), len(plain))


def test_claims_are_found() -> None:
    """Recall and false alarms reach their targets, and Chinese comes up to English."""
    cases = load_cases(*PARTS)
    harmless = load_harmless("harmless", *(f"harmless_{part}" for part in PARTS[1:]))
    recall = {}
    for language in LANGUAGES:
        own = [case for case in cases if case.language == language]
        recall[language] = count_found(own)
        false = count_false([*own, *(case for case in harmless if case.language == language)])
        print(f"{language}: found {recall[language]}; false alarms {false}")  # noqa: T201 - a report

        assert recall[language].per_cent >= RECALL
        assert false.per_cent <= FALSE_ALARMS

    assert recall["english"].per_cent - recall["chinese"].per_cent <= DISTANCE


def test_the_corpus_is_large_enough() -> None:
    """It has claims of each kind, a third of them Chinese, and more replies without one."""
    cases = load_cases(*PARTS)
    claims = [case for case in cases if case.kinds]
    chinese = [case for case in claims if case.language == "chinese"]

    assert {kind for case in claims for kind in case.kinds} == set(KINDS)
    assert len(claims) >= 300
    assert 3 * len(chinese) >= len(claims)
    assert len(cases) - len(claims) >= len(claims)


HOSTILE = (
    "`" * 60_000,
    "e.g. " * 12_000,
    ":" * 60_000 + "a",
    '"a ' * 20_000,
    "." * 60_000 + "x",
    "If it is. " * 6000,
    "测试通过" * 15_000,
    "[x](y" * 12_000,
)


@pytest.mark.parametrize("part", HOSTILE)
def test_hostile_replies_are_read_in_time(part: str) -> None:
    """No reply takes a time that grows with its square."""
    begin = time.perf_counter()
    find_claims(part)

    assert time.perf_counter() - begin < 2
