"""Hooks of one dialect as the files of another, and the report of what is lost."""

from __future__ import annotations

import json
import shlex
from typing import Any

import pytest

import hookline
from hookline.engine.catalog import make_dialect
from hookline.engine.convert import Conversion, convert
from hookline.wire.trees import parse_yaml


def converted(tree: dict[str, Any], own: str, target: str, *, plain: bool = False, **given: Any) -> Conversion:
    """A tree of one dialect in another."""
    return convert(hookline.Engine.from_config(tree, dialect=own, **given), make_dialect(target), plain=plain)


def claude(matcher: str = "", **keys: Any) -> dict[str, Any]:
    """A settings file with one hook on tools."""
    group = {"matcher": matcher} if matcher else {}
    return {"hooks": {"PreToolUse": [{**group, "hooks": [{"type": "command", "command": "./guard.sh", **keys}]}]}}


def docker(conversion: Conversion) -> dict[str, Any]:
    """The first group of docker-agent's file."""
    group: dict[str, Any] = parse_yaml(conversion.files["hooks.yaml"]).value["hooks"]["pre_tool_use"][0]
    return group


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


def test_a_hook_keeps_everything_that_it_says() -> None:
    """Its own entry stands on the command line, so that its conditions and its failure rule are the original's."""
    tree = claude("Bash", **{"if": "Bash(git push *)", "timeout": 7, "onFailure": "block"})
    hook = docker(converted(tree, "claude-code", "docker-agent", mode="strict"))["hooks"][0]
    words = shlex.split(hook["command"])

    assert words[:4] == ["hookline", "answer", "docker-agent", "--relay"]
    assert words[words.index("--dialect") + 1] == "claude-code"
    assert words[words.index("--mode") + 1] == "strict"
    assert json.loads(words[words.index("--config") + 1]) == tree
    assert hook["timeout"] > 7


def test_a_dialects_options_go_with_its_hooks() -> None:
    """The older profile of docker-agent reads some answers otherwise."""
    tree = {"hooks": {"pre_tool_use": [{"hooks": [{"type": "command", "command": "x"}]}]}}
    text = converted(tree, "docker-agent", "claude-code", options={"profile": "d1", "exact": True}).files["settings.json"]

    assert "--option profile=d1 --option exact=true" in text


def test_the_entry_of_one_hook_is_cut_out() -> None:
    """Of its group the matcher stays, of its neighbours nothing."""
    tree = claude("Bash")
    tree["hooks"]["PreToolUse"][0]["hooks"].append({"type": "command", "command": "./second.sh"})
    tree["hooks"]["Stop"] = [{"hooks": [{"type": "command", "command": "./third.sh"}]}]
    tree["model"] = "large"
    second = docker(converted(tree, "claude-code", "docker-agent"))["hooks"][1]
    words = shlex.split(second["command"])

    assert json.loads(words[words.index("--config") + 1]) == {
        "hooks": {"PreToolUse": [{"matcher": "Bash", "hooks": [{"type": "command", "command": "./second.sh"}]}]}
    }


@pytest.mark.parametrize(
    ("tree", "own", "target", "what", "why"),
    [
        (claude(), "claude-code", "docker-agent", "an answer with `context`", "`pre_tool_use` of docker-agent cannot express it"),
        (claude(timeout=500), "claude-code", "starchild", "a timeout of more than 120 s", "starchild has no word for it"),
        ({"hooks": {"Setup": [{"hooks": [{"type": "command", "command": "x"}]}]}}, "claude-code", "starchild", "the whole hook", "no event like"),
        ({"hooks": {"Stop": [{"hooks": [{"type": "comand", "command": "x"}]}]}}, "claude-code", "starchild", "the whole hook", "cannot be loaded"),
        ({"hooks": {"Stop": [{"hooks": [{"type": "command", "command": "x", "if": "Bash"}]}]}}, "claude-code", "hermes", "the whole hook", "never runs"),
        ({"pre_tool_use": [{"hooks": [{"type": "command", "command": "x"}]}]}, "docker-agent", "claude-code", "that hooks run in turn", "at once"),
    ],
)  # fmt: skip
def test_what_the_target_cannot_say_is_reported(tree: dict[str, Any], own: str, target: str, what: str, why: str) -> None:
    """Each loss names the hook, what is lost, and why."""
    losses = converted(tree, own, target).losses

    assert any(what in loss.what and why in loss.why for loss in losses), [str(loss) for loss in losses]


def test_a_plain_command_leaves_everything_else_behind() -> None:
    """And the report says so."""
    tree = {"hooks": {"stop": [{"type": "command", "command": "./x.sh", "env": {"A": "1"}, "working_dir": "/w"}]}}
    conversion = converted(tree, "docker-agent", "claude-code", plain=True)

    assert json.loads(conversion.files["settings.json"])["hooks"]["Stop"][0]["hooks"][0]["command"] == "./x.sh"
    assert {"`env`", "`working_dir`", "its words"} <= {loss.what for loss in conversion.losses}


def test_a_builtin_is_relayed_and_cannot_be_plain() -> None:
    """It is code of hookline: nobody else has it under its name."""
    tree = {"hooks": {"turn_start": [{"type": "builtin", "command": "add_date"}]}}

    assert "add_date" in converted(tree, "docker-agent", "hermes").files.get("config.yaml", "add_date")
    assert [loss.why for loss in converted(tree, "docker-agent", "agenthooks", plain=True).losses if loss.whole] == ["it is no command"]


@pytest.mark.parametrize("target", ["a3s", "hookline"])
def test_a_dialect_without_commands_is_no_target(target: str) -> None:
    """Functions cannot be written down."""
    with pytest.raises(hookline.ConfigError, match="cannot hold commands"):
        converted(claude(), "claude-code", target)
