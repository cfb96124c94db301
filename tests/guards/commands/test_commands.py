"""The guard `commands` on its corpus; `python -m bench.guards` prints the table.

The bounds are what it reaches now. The parts `held` and `blind` were measured before their lines
were read (docs/explanation/guards.md has the figures); those first looks tell what to expect of new
lines. Their misses were read and mended since, so now they tell no more than `work`.
"""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING

import pytest

from hookline.guards.commands.judge import judge_command
from hookline.model.verdict import Stance
from tests.guards.commands.corpus import load_cases, load_unverified
from tests.guards.measure import Share

if TYPE_CHECKING:
    from tests.guards.commands.corpus import Case


@cache
def judge(case: Case, profile: str) -> Stance:
    """The strongest stance of a profile towards a line, by a clock that stands still."""
    found = judge_command(
        case.text,
        cwd=case.cwd,
        home=case.home,
        project=case.cwd,
        profile=profile,
        clock=lambda: 0.0,
    )
    return max((each.stance for each in found), default=Stance.SILENT)


def select(part: str, tier: str) -> list[Case]:
    """The cases of a part with a label."""
    return [case for case in load_cases() if case.part == part and case.tier == tier]


def count_refused(part: str, tier: str) -> Share:
    """How many dangerous lines the profile of their tier refuses."""
    cases = select(part, tier)
    return Share(sum(judge(case, tier) >= Stance.DENY for case in cases), len(cases))


def count_stopped(part: str, profile: str) -> Share:
    """How many ordinary lines a profile refuses or asks about."""
    cases = select(part, "none")
    return Share(sum(judge(case, profile) > Stance.SILENT for case in cases), len(cases))


@pytest.mark.parametrize(
    ("part", "tier", "least"),
    [("work", "baseline", 99), ("work", "strict", 99), ("held", "baseline", 99),
     ("held", "strict", 99), ("blind", "baseline", 99), ("blind", "strict", 99)],
)  # fmt: skip
def test_dangerous_lines_are_refused(part, tier, least):
    """So many of the dangerous lines are refused, in per cent."""
    assert count_refused(part, tier).per_cent >= least


@pytest.mark.parametrize(
    ("part", "profile", "most"),
    [("work", "baseline", 0), ("work", "strict", 0), ("held", "baseline", 0),
     ("held", "strict", 0), ("blind", "baseline", 0), ("blind", "strict", 0)],
)  # fmt: skip
def test_ordinary_lines_pass(part, profile, most):
    """At most so many of the ordinary lines are stopped, in per cent."""
    assert count_stopped(part, profile).per_cent <= most


def test_what_baseline_refuses_strict_refuses_too():
    """No profile lets pass what a weaker one refuses."""
    for case in load_cases():
        assert judge(case, "strict") >= judge(case, "baseline")


def test_what_cannot_be_read_is_never_a_fault():
    """Texts over budget, broken, or with unknown parts get an answer."""
    for case in load_unverified():
        judge(case, "strict")
