"""What the target of a conversion cannot say is reported, by hook."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import pytest

import hookline
from hookline.engine.catalog import make_dialect
from hookline.engine.convert import convert
from tests.unit.engine.converting import claude, converted

if TYPE_CHECKING:
    from pathlib import Path


@pytest.mark.parametrize(
    ("tree", "own", "target", "what", "why"),
    [
        (claude(), "claude-code", "docker-agent", "an answer with `context`",
         "`pre_tool_use` of docker-agent cannot express it"),
        (claude(timeout=500), "claude-code", "starchild", "a timeout of more than 120 s",
         "starchild has no word for it"),
        ({"hooks": {"Setup": [{"hooks": [{"type": "command", "command": "x"}]}]}}, "claude-code",
         "starchild", "the whole hook", "no event like"),
        ({"hooks": {"Stop": [{"hooks": [{"type": "comand", "command": "x"}]}]}}, "claude-code",
         "starchild", "the whole hook", "cannot be loaded"),
        ({"hooks": {"Stop": [{"hooks": [{"type": "command", "command": "x", "if": "Bash"}]}]}},
         "claude-code", "hermes", "the whole hook", "never runs"),
        ({"pre_tool_use": [{"hooks": [{"type": "command", "command": "x"}]}]}, "docker-agent",
         "claude-code", "that hooks run in turn", "at once"),
    ],
)  # fmt: skip
def test_what_the_target_cannot_say_is_reported(
    tree: dict[str, Any], own: str, target: str, what: str, why: str
) -> None:
    """Each loss names the hook, what is lost, and why."""
    losses = converted(tree, own, target).losses

    assert any(what in loss.what and why in loss.why for loss in losses), [
        str(loss) for loss in losses
    ]


def test_a_plain_command_leaves_everything_else_behind() -> None:
    """And the report says so."""
    tree = {
        "hooks": {
            "stop": [
                {"type": "command", "command": "./x.sh", "env": {"A": "1"}, "working_dir": "/w"}
            ]
        }
    }
    conversion = converted(tree, "docker-agent", "claude-code", plain=True)

    assert (
        json.loads(conversion.files["settings.json"])["hooks"]["Stop"][0]["hooks"][0]["command"]
        == "./x.sh"
    )
    assert {"`env`", "`working_dir`", "its words"} <= {loss.what for loss in conversion.losses}


def test_a_command_that_names_the_place_of_its_file_says_that_it_is_lost(tmp_path: Path) -> None:
    """The project's folder is then the event's."""
    folder = tmp_path / ".claude"
    folder.mkdir()
    (folder / "settings.json").write_text(
        json.dumps(claude(command="$CLAUDE_PROJECT_DIR/x.sh")), encoding="utf-8"
    )
    conversion = convert(
        hookline.Engine.load(folder / "settings.json"), make_dialect("docker-agent")
    )

    assert "the place of its file" in {loss.what for loss in conversion.losses}


def test_what_is_said_elsewhere_in_the_files_is_reported(tmp_path: Path) -> None:
    """Only the hook's own entry goes with it."""
    scripts = tmp_path / "guard" / "scripts"
    scripts.mkdir(parents=True)
    (scripts / "run").write_text("#!/bin/sh\n", encoding="utf-8")
    (scripts / "run").chmod(0o755)
    (tmp_path / "guard" / "HOOK.md").write_text(
        "---\nname: guard\ndescription: d\ntrigger: pre-tool-call\n---\n", encoding="utf-8"
    )
    (tmp_path / "hooks.toml").write_text(
        '[[hooks.override]]\nname = "guard"\ntimeout = 5000\n', encoding="utf-8"
    )
    conversion = convert(
        hookline.Engine.load(tmp_path, dialect="agenthooks"), make_dialect("docker-agent")
    )

    assert "its time limit" in {loss.what for loss in conversion.losses}
    assert str(tmp_path / "guard") in conversion.files["hooks.yaml"]
