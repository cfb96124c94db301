"""The table of builtins."""

from __future__ import annotations

import pytest

from hookline.model import kinds
from hookline.model.builtins import BUILTINS, is_observing
from hookline.model.spec import Builtin


def test_each_kind_is_one() -> None:
    """Of those that are named."""
    named = {kind for row in BUILTINS.values() for kind in (*row.kinds, *row.mounts)}

    assert named - {"context"} <= set(kinds.NAMES)


@pytest.mark.parametrize(
    ("name", "native", "kind", "does"),
    [
        ("add_date", "turn_start", "turn.start", True),
        ("add_date", "turn.start", "turn.start", True),
        ("add_date", "turn_start", "session.start", False),
        ("redact_secrets", "pre_tool_use:preempt", "tool.before", True),
        ("redact_secrets", "tool_guard", "tool.before", False),
        ("limit_large_tool_results", "post_tool_use", "tool.after", False),
        ("limit_large_tool_results", "tool.after", "tool.after", True),
        ("add_context", "user_prompt_submit", "prompt.submit", True),
        ("add_context", "turn_end", "turn.end", False),
        ("add_context", "made_up", "x.docker-agent.made_up", False),
    ],
)
def test_a_builtin_is_for_its_events(name: str, native: str, kind: str, does: bool) -> None:
    """By the name in the file and by the kind."""
    assert BUILTINS[name].is_for(native, kind) is does


@pytest.mark.parametrize(
    ("name", "observes"),
    [("snapshot", True), ("redact_secrets", False), ("max_iterations", False), ("deny", False)],
)
def test_only_guards_refuse_by_failing(name: str, observes: bool) -> None:
    """Fixed answers are no builtins of the table."""
    assert is_observing(Builtin(name=name)) is observes
