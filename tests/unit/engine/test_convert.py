"""Hooks of one dialect as the files of another."""

from __future__ import annotations

import json

import pytest

import hookline
from tests.unit.engine.converting import claude, converted, docker


@pytest.mark.parametrize(
    ("matcher", "tools"),
    [
        ("", None),
        ("Bash", "shell|run_background_job"),
        ("Bash|Read", "shell|run_background_job|read_file"),
        ("Frobnicate", "Frobnicate"),
        ("^Bash$", r".*(?:^Bash$|^(?:shell|run_background_job)$).*"),
        ("^Ba", r".*(?:^Ba|^(?:shell|run_background_job)$).*"),
        ("^(?:Bash|X)$", r".*(?:^(?:Bash|X)$|^(?:shell|run_background_job)$).*"),
    ],
)
def test_a_matcher_is_told_in_the_new_hosts_names(matcher: str, tools: str | None) -> None:
    """Names are translated.

    An expression keeps what it says, and gets the names that it would have meant.
    """
    group = docker(converted(claude(matcher), "claude-code", "docker-agent"))

    assert group.get("matcher") == tools


def test_a_builtin_is_relayed_and_cannot_be_plain() -> None:
    """It is code of hookline: no other program has it under its name."""
    tree = {"hooks": {"turn_start": [{"type": "builtin", "command": "add_date"}]}}

    assert "add_date" in converted(tree, "docker-agent", "hermes").files.get(
        "config.yaml", "add_date"
    )
    assert [
        loss.why
        for loss in converted(tree, "docker-agent", "agenthooks", plain=True).losses
        if loss.whole
    ] == ["it is no command"]


@pytest.mark.parametrize("target", ["a3s", "hookline"])
def test_a_dialect_without_commands_is_no_target(target: str) -> None:
    """Functions cannot be written down."""
    with pytest.raises(hookline.ConfigError, match="has no files that declare commands"):
        converted(claude(), "claude-code", target)


def test_a_hook_on_shell_commands_becomes_one_on_the_shell_tool() -> None:
    """A target without such an event gets the wider one (docs/formats/vocabulary.md 4)."""
    tree = {
        "version": 1,
        "hooks": {"beforeShellExecution": [{"command": "./guard.sh", "matcher": "curl"}]},
    }
    conversion = converted(tree, "cursor", "docker-agent")

    assert docker(conversion)["matcher"] == "shell|run_background_job"
    assert not any(loss.whole for loss in conversion.losses)


def test_a_hook_that_the_host_would_trip_over_is_left_out() -> None:
    """And counted as left out."""
    tree = {
        "hooks": {
            "PreToolUse": [
                {"hooks": [{"type": "command", "command": "curl https://policy.example"}]}
            ]
        }
    }
    plain, relayed = (
        converted(tree, "claude-code", "cursor", plain=given) for given in (True, False)
    )

    assert (plain.hooks, [loss.whole for loss in plain.losses].count(True)) == (0, 1)
    assert (relayed.hooks, [loss.whole for loss in relayed.losses].count(True)) == (1, 0)


@pytest.mark.parametrize("matcher", ["mcp__github__.*", "^(?!Bash)", "B(?!x)ash", "Read"])
def test_a_matcher_that_the_target_may_not_understand_is_left_to_the_relay(matcher: str) -> None:
    """Unknown names, MCP's spellings and look-around: the host calls the relay for every tool."""
    groups = json.loads(converted(claude(matcher), "claude-code", "codex").files["hooks.json"])[
        "hooks"
    ]["PreToolUse"]

    assert "matcher" not in groups[0]


@pytest.mark.parametrize("matcher", ["^(?!Bash)", "B(?!x)ash"])
def test_a_plain_command_leaves_look_around_behind(matcher: str) -> None:
    """The file of the target has no matcher, and the loss is reported."""
    given = converted(claude(matcher), "claude-code", "codex", plain=True)
    (group,) = json.loads(given.files["hooks.json"])["hooks"]["PreToolUse"]

    assert "matcher" not in group
    assert "its conditions on what the event says" in [loss.what for loss in given.losses]


@pytest.mark.parametrize("target", ["starchild", "hermes"])
def test_a_line_for_a_shell_is_given_one(target: str) -> None:
    """Where the host only splits it into words."""
    tree = {
        "hooks": {
            "PreToolUse": [
                {"hooks": [{"type": "command", "command": "grep -q x && exit 2; exit 0"}]}
            ]
        }
    }
    text = "".join(converted(tree, "claude-code", target, plain=True).files.values())

    assert "sh -c 'grep -q x && exit 2; exit 0'" in text
