"""Flags that choose hooks."""

from __future__ import annotations

import os

from hookline.cli import command_options
from tests.unit.cli.support import DOCKER, Desk


def test_a_command_is_handed_one_selection(desk: Desk) -> None:
    """Whatever was typed."""
    seen: list[command_options.Selection] = []

    def command(*, selection: command_options.Selection, word: str = "") -> int:
        seen.append(selection)
        return len(word)

    selected = command_options.select_hooks(command)
    given = {
        "config": ["a"],
        "dialect": "d",
        "trust": "all",
        "mode": "strict",
        "match_tools": "canonical",
        "option": ["o=1"],
        "folder": str(desk.folder.parent),
        "home": "",
    }

    assert selected(word="four", **given) == 4
    assert (seen[0].configs, seen[0].dialect, seen[0].trust, seen[0].options) == (
        ["a"],
        "d",
        "all",
        ["o=1"],
    )
    assert (seen[0].mode, seen[0].match_tools) == ("strict", "canonical")
    assert os.getcwd() == str(desk.folder.parent)


def test_several_files_compose(desk: Desk) -> None:
    """-c is repeatable."""
    other = desk.file("other.yaml", "hooks: {stop: [{type: command, command: x}]}")

    assert len(desk.type("list", "-c", DOCKER, "-c", other, "--json").document["hooks"]) == 23


def test_options_reach_the_dialect(desk: Desk) -> None:
    """-o profile=d1 is docker-agent's older profile, in which hooks on tools run at once."""
    document = desk.type(
        "explain",
        "pre_tool_use",
        "-c",
        DOCKER,
        "-o",
        "profile=d1",
        "--no-run",
        "--json",
        stdin={"tool_name": "shell"},
    ).document

    assert {hook["how"] for hook in document["hooks"] if hook["selected"]} == {"at once"}
