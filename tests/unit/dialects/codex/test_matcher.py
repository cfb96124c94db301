"""Matchers against tools, name by name."""

from __future__ import annotations

import pytest

from hookline.core.dialect import Source
from hookline.core.match import holds
from hookline.dialects.codex import Codex

DIALECT = Codex()


def selects(matcher: str, tool: str) -> bool:
    """Whether a group with this matcher takes part in a call of this tool."""
    tree = {
        "hooks": {
            "PreToolUse": [{"matcher": matcher, "hooks": [{"type": "command", "command": "x"}]}]
        }
    }
    (spec,) = DIALECT.load(Source(tree=tree)).specs
    event = DIALECT.decode_event({"hook_event_name": "PreToolUse", "tool_name": tool})
    return all(holds(condition, event) for condition in spec.conditions)


@pytest.mark.parametrize(
    ("matcher", "tool", "selected"),
    [
        ("Bash", "Bash", True),
        ("Bash", "bash", False),
        ("Bash|", "Bash", True),
        ("|", "Bash", False),
        ("Bash, Edit", "Bash", False),
        ("Ba.h", "Bash", True),
        ("(?i)^BASH$", "Bash", True),
        ("Bash|^Edit", "apply_patch", True),
        ("Write|Read", "apply_patch", True),
        ("Ed", "apply_patch", False),
        ("E.it", "apply_patch", True),
        ("a|b$|^Write$", "apply_patch", True),
        ("apply.patch", "apply_patch", True),
        ("^Bash$", "exec", True),
        ("^exec$", "Bash", False),
    ],
)
def test_a_matcher_selects(matcher: str, tool: str, *, selected: bool) -> None:
    """A list is exact, an expression is searched, and a tool answers to its other names."""
    assert selects(matcher, tool) is selected
