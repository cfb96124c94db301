"""One table says how much each mistake matters to lint, to load and to a strict load."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from hookline.dialects.agenthooks.fields import LEGACY, LINT, TOLERATED, WARNINGS, weigh
from hookline.errors import CODES
from hookline.wire.fields import Node
from hookline.wire.parsers import Tree

if TYPE_CHECKING:
    from hookline.model.spec import Problem


def weighed(name: str, mode: str) -> tuple[list[str], str]:
    """The severities that are left of one mistake, and the reason why its hook is broken."""
    problems: list[Problem] = []
    node = Node(Tree(value={}), "HOOK.md", "user", problems)
    node.complain(name, "a mistake")
    reason = weigh(node, 0, mode, "guard")
    assert all(problem.hook == "guard" for problem in problems)
    return [problem.severity for problem in problems], reason


def test_every_finding_has_a_code() -> None:
    """A name without a stable code could not be explained."""
    assert (WARNINGS | TOLERATED) - set(CODES) == set()


@pytest.mark.parametrize(
    ("mode", "severity"), [(LINT, "error"), ("fidelity", "warning"), ("strict", "error")]
)
def test_a_mistake_weighs_by_mode(mode: str, severity: str) -> None:
    """Lint refuses what load tolerates, and strict refuses unknown fields."""
    severities, reason = weighed("field.unknown", mode)

    assert (severities, bool(reason)) == ([severity], severity == "error")
    assert weighed("timeout.range", "strict")[0] == ["warning"]


def test_an_older_trigger_loads_without_a_problem() -> None:
    """Only lint reports it."""
    assert weighed(LEGACY, "fidelity") == ([], "")
    assert weighed(LEGACY, LINT) == (["warning"], "")
