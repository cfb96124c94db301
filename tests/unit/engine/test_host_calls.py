"""Each form in which a host's file calls hookline is recognised, and nothing else."""

from __future__ import annotations

from typing import Any

import pytest

from hookline.engine.engine import Engine
from hookline.engine.host_calls import is_call

WRAPPED = "; s=$?; [ $s -eq 0 ] || [ $s -eq 2 ] || { echo 'no' >&2; exit 2; }; exit $s"


def load(handler: dict[str, Any]) -> Any:
    """The one hook of a file of Claude Code with this handler."""
    tree = {"hooks": {"PreToolUse": [{"hooks": [handler]}]}}
    (spec,) = Engine.load(tree, dialect="claude-code").hooks
    return spec


@pytest.mark.parametrize(
    ("command", "calls"),
    [
        ("hookline answer claude-code", True),
        ("/venv/bin/hookline answer claude-code --deadline 5", True),
        ("/venv/bin/python -I -m hookline answer claude-code", True),
        ("/usr/bin/python3 -E -P -m hookline answer claude-code", True),
        (f"'/my venv/python' -I -m hookline answer claude-code --deadline 65{WRAPPED}", True),
        ("hookline answer --deadline 5 claude-code", True),
        ("hookline answer codex --dialect claude-code", False),
        ("hookline answer codex", False),
        ("hookline log | grep answer claude-code", False),
        ("/src/hookline-notes/answer claude-code", False),
        ("echo hookline", False),
    ],
)
def test_a_command_is_recognised(command: str, *, calls: bool) -> None:
    """By the program and its host, however a shell starts it."""
    assert is_call(load({"type": "command", "command": command, "onFailure": "block"})) is calls


@pytest.mark.parametrize(
    ("url", "calls"),
    [
        ("http://127.0.0.1:8465/v1/answer/claude-code", True),
        ("http://127.0.0.1:8465/v1/answer/codex", False),
        ("http://127.0.0.1:8465/guard", False),
    ],
)
def test_an_address_is_recognised(url: str, *, calls: bool) -> None:
    """An entry that asks `hookline serve` is no hook either."""
    assert is_call(load({"type": "http", "url": url})) is calls
