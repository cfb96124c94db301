"""Expressions that RE2 runs, and the budget that those of one source share."""

from __future__ import annotations

from hookline.text.re2_regex import RegexBudget
from hookline.text.regex import compile_regex


def test_a_budget_is_spent_by_what_is_compiled_inside_it() -> None:
    """What is compiled outside of the `with` costs nothing."""
    with RegexBudget(1_000) as budget:
        compile_regex("Bash|Edit")
        left = budget.left
    compile_regex("Read|Write")

    assert 0 < left < 1_000
    assert budget.left == left
    assert not budget.is_spent


def test_a_regex_keeps_its_source_and_matches_in_linear_time() -> None:
    """RE2 has no backtracking, so no text makes a match slow."""
    regex = compile_regex("(a|aa)+$")

    assert regex.source == "(a|aa)+$"
    assert regex.has_match_in("a" * 10_000)
    assert not regex.has_match_in("a" * 10_000 + "b")
    assert not regex.may_time_out
