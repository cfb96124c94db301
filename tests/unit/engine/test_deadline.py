"""Deadline: when a host needs its answer, and how much of that time the hooks have."""

from __future__ import annotations

import pytest

from hookline.engine.catalog import NAMES, make_dialect
from hookline.engine.drive import hooks_seconds, host_deadline

# The host, the event, and the seconds: its limit, less a tenth that is at least 0.3 s and at most 5
# s.
DEADLINES = [
    ("claude-code", "PreToolUse", 595.0),
    ("claude-code", "UserPromptSubmit", 27.0),
    ("claude-code", "PreModelSwitch", 27.0),
    ("claude-code", "MessageDisplay", 9.0),
    ("claude-code", "SessionEnd", 1.2),
    ("codex", "PreToolUse", 595.0),
    ("gemini", "BeforeTool", 55.0),
    ("copilot", "preToolUse", 27.0),
    ("kimi", "PreToolUse", 27.0),
    ("cursor", "beforeShellExecution", 55.0),
    ("docker-agent", "pre_tool_use", 55.0),
    ("starchild", "pre_tool_call", 18.0),
    ("hermes", "pre_tool_call", 55.0),
    ("agenthooks", "pre-tool-call", 27.0),
    ("claude-code", "NoSuchEvent", 595.0),
]


@pytest.mark.parametrize(("host", "event", "seconds"), DEADLINES)
def test_the_deadline_is_the_limit_of_the_host_less_a_tenth(host, event, seconds):
    """The hosts document their limits (docs/formats/comparison.md 3, claude-code.md 5)."""
    assert host_deadline(make_dialect(host).table, event) == pytest.approx(seconds)


@pytest.mark.parametrize("host", NAMES)
def test_every_event_of_every_host_leaves_time_for_hooks(host):
    """No reserve is larger than the limit."""
    table = make_dialect(host).table

    assert all(hooks_seconds(host_deadline(table, native))[0] > 0 for native in table.rows)


@pytest.mark.parametrize("left", [-1.0, 0.0, 0.1, 0.6, 1.0, 3.0, 27.0, 595.0])
def test_hooks_end_before_the_deadline(left):
    """Their time and the grace together are shorter than what is left."""
    seconds, grace = hooks_seconds(left)

    assert 0 <= seconds + grace <= max(left, 0)
    assert left <= 0 or seconds + grace < left
