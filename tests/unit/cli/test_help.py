"""The help of hookline and of its commands: one style, from the table of commands."""

from __future__ import annotations

import pytest

from hookline.cli.commands import COMMANDS
from hookline.cli.help import render_command, render_overview
from hookline.cli.options import list_options


def test_a_help_has_the_examples_before_the_options() -> None:
    """Then come arguments, options and exit codes."""
    page = "\n".join(render_command("fire", is_long=False))
    parts = ("Usage: hookline fire [OPTIONS] EVENT", "Examples:", "Arguments:", "Options:", "Exit")

    assert [*map(page.index, parts)] == sorted(map(page.index, parts))
    assert page.endswith("Exit codes: 0 ok; 1 denied or halted; 2 usage or configuration error")


def test_rare_options_are_named_and_described_in_the_long_help() -> None:
    """The short one names the command that prints it; what only programs pass is in neither."""
    short = "\n".join(render_command("list", is_long=False))
    long = "\n".join(render_command("list", is_long=True))

    assert "More options (hookline help list): --color" in short
    assert "--mode MODE" not in short
    assert "--mode MODE" in long
    assert "--relay" not in short + long


@pytest.mark.parametrize("columns", [40, 60, 80, 200])
def test_lines_fit_the_terminal(columns: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """At most 100 columns; only a command to copy may be longer than a narrow terminal."""
    monkeypatch.setenv("COLUMNS", str(columns))
    pages = [render_overview(is_long=True), *(render_command(n, is_long=True) for n in COMMANDS)]
    lines = [line for page in pages for part in page for line in part.split("\n")]
    copied = ("  hookline ", "Usage: ", "  [")

    assert [
        line for line in lines if len(line) > min(columns, 100) and not line.startswith(copied)
    ] == []


def test_every_option_has_a_text() -> None:
    """All but the one that only converted hooks pass."""
    mute = {
        key
        for command in COMMANDS.values()
        for key, each in list_options(command.load()).items()
        if not each.help
    }

    assert mute == {"relay"}
