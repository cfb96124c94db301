"""Expressions, and a bound on what all expressions of one source cost together."""

from __future__ import annotations

import pytest

from hookline.errors import ConfigError
from hookline.text.re2_regex import RegexBudget
from hookline.text.regex import compile_regex


def test_expressions_beyond_the_budget_are_refused_at_once() -> None:
    """The budget counts compiled instructions; outside of it nothing is counted."""
    with RegexBudget(1_000) as budget:
        compile_regex("Bash|Edit")
        assert not budget.is_spent
        compile_regex("(a?){500}")
        assert budget.is_spent
        with pytest.raises(ConfigError, match="too much memory together"):
            compile_regex("Bash")
    assert compile_regex("Bash").has_match_in("Bash")


@pytest.mark.parametrize("flavour", ["javascript", "python", "rust", "go"])
def test_no_engine_compiles_beyond_the_budget(flavour: str) -> None:
    """If RE2 lacks memory for an expression, no engine that backtracks compiles it."""
    with RegexBudget(-1), pytest.raises(ConfigError) as caught:
        compile_regex("(a?){500}", flavour)

    assert caught.value.name == "config.too-large"
