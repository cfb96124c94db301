"""Hooks of one dialect as the files of another."""

from __future__ import annotations

import pytest

import hookline
from tests.unit.engine.converting import claude, converted, docker


@pytest.mark.parametrize(
    ("matcher", "tools"),
    [
        ("", None),
        ("Bash", "shell"),
        ("Bash|Read", "shell|read_file"),
        ("Frobnicate", "Frobnicate"),
        ("^Bash$", r".*(?:^Bash$|^(?:shell)$).*"),
        ("^Ba", r".*(?:^Ba|^(?:shell)$).*"),
    ],
)
def test_a_matcher_is_told_in_the_new_hosts_names(matcher: str, tools: str | None) -> None:
    """Names are translated; an expression keeps what it says, and gets the names that it would have meant."""
    group = docker(converted(claude(matcher), "claude-code", "docker-agent"))

    assert group.get("matcher") == tools


def test_a_builtin_is_relayed_and_cannot_be_plain() -> None:
    """It is code of hookline: nobody else has it under its name."""
    tree = {"hooks": {"turn_start": [{"type": "builtin", "command": "add_date"}]}}

    assert "add_date" in converted(tree, "docker-agent", "hermes").files.get("config.yaml", "add_date")
    assert [loss.why for loss in converted(tree, "docker-agent", "agenthooks", plain=True).losses if loss.whole] == ["it is no command"]


@pytest.mark.parametrize("target", ["a3s", "hookline"])
def test_a_dialect_without_commands_is_no_target(target: str) -> None:
    """Functions cannot be written down."""
    with pytest.raises(hookline.ConfigError, match="has no files that declare commands"):
        converted(claude(), "claude-code", target)


def test_a_hook_on_shell_commands_becomes_one_on_the_shell_tool() -> None:
    """Where the target has no event of its own for them, the wider one stands for it (vocabulary.md 4)."""
    tree = {"version": 1, "hooks": {"beforeShellExecution": [{"command": "./guard.sh", "matcher": "curl"}]}}
    conversion = converted(tree, "cursor", "docker-agent")

    assert docker(conversion)["matcher"] == "shell"
    assert not any(loss.whole for loss in conversion.losses)
