"""The table of commands."""

from __future__ import annotations

import pytest

from hookline.cli.commands import COMMANDS, ELSEWHERE, GROUPS


@pytest.mark.parametrize("name", COMMANDS)
def test_each_command_is_where_the_table_says(name: str) -> None:
    """In a group of the help, with examples of its own."""
    command = COMMANDS[name]
    assert callable(command.load())
    assert command.group in GROUPS
    assert all(example.startswith(f"hookline {name}") for example in command.examples)


def test_words_of_other_tools_are_no_commands() -> None:
    """They are explained instead."""
    assert not COMMANDS.keys() & ELSEWHERE.keys()
