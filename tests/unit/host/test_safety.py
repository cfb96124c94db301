"""Labels of tool calls."""

from __future__ import annotations

import pytest

from hookline.host.safety import label_call
from hookline.host.tool_call import ToolCall


@pytest.mark.parametrize(
    ("command", "label"),
    [
        ("ls -la", "safe"),
        ("cat a | grep b | wc -l", "safe"),
        ("git status && git log --oneline", "safe"),
        ("git branch -a", "safe"),
        ("git stash list", "safe"),
        ("git remote -v", "safe"),
        ("find . -name '*.py'", "safe"),
        ("grep x a 2>/dev/null", "safe"),
        ("python --version", "safe"),
        ("date +%s", "safe"),
        ("cd src && ls", "safe"),
        ("make", "unknown"),
        ("ls > x", "unknown"),
        ("git branch new", "unknown"),
        ("git diff --output=x", "unknown"),
        ("git diff --outp=x", "unknown"),
        ("git -c alias.x=y x", "unknown"),
        ("find build -name x -delete", "unknown"),
        ("find . -exec ls {} +", "unknown"),
        ("sort -ox y", "unknown"),
        ("sort --out=x y", "unknown"),
        ("uniq a b", "unknown"),
        ("date 0101", "unknown"),
        ("hostname new", "unknown"),
        ("LD_PRELOAD=x ls", "unknown"),
        ("sudo ls", "unknown"),
        ("ls $(make)", "unknown"),
        ("cat ~/.ssh/id_rsa", "unknown"),
        ("$X", "unknown"),
        ("", "unknown"),
        ("rm -rf /", "destructive"),
        ("ls; rm -rf ~", "destructive"),
        ("git push --force", "destructive"),
    ],
)
def test_a_shell_command(command: str, label: str) -> None:
    """Safe only if all of it is known to read."""
    call = ToolCall(tool="shell", arguments={"cmd": command}, cwd="/p", home="/home/u")

    assert label_call(call).label == label
    assert not label_call(call).from_hint


@pytest.mark.parametrize(
    ("hints", "label"),
    [
        ({"read_only": True}, "safe"),
        ({"destructive": True}, "destructive"),
        ({"read_only": True, "destructive": True}, "destructive"),
        ({}, "unknown"),
    ],
)
def test_another_tool_is_what_it_says(hints: dict[str, bool], label: str) -> None:
    """Where it says both, the worse counts."""
    found = label_call(ToolCall(tool="x", **hints))

    assert (found.label, found.from_hint) == (label, True)
