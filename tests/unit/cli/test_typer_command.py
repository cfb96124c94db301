"""Commands as typer takes them."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from hookline.cli.command_line import parse_words
from hookline.cli.commands import COMMANDS
from hookline.cli.list_command import list_hooks
from hookline.cli.typer_command import run_with_typer, to_typer
from hookline.errors import ConfigError

if TYPE_CHECKING:
    from tests.unit.cli.support import Desk


def test_both_readers_give_the_same_call(desk: Desk) -> None:
    """Whatever is read without typer is what typer would read."""
    words = ["--event", "stop", "--json", "--mode", "strict", "-C", str(desk.folder)]
    seen: list[dict[str, object]] = []

    def command(**given: object) -> int:
        seen.append(given)
        return 7

    command.command, command.shared = list_hooks.command, list_hooks.shared  # type: ignore[attr-defined]

    assert run_with_typer("list", command, words, text="", epilog="") == 7
    assert seen == [parse_words(list_hooks, words)]


def test_a_mistake_is_an_error_with_a_hint() -> None:
    """In hookline's own words."""
    with pytest.raises(ConfigError) as caught:
        run_with_typer("list", list_hooks, ["--evnt", "stop"], text="", epilog="")

    assert "--event" in caught.value.hint


def test_help_names_every_option(capsys: pytest.CaptureFixture[str]) -> None:
    """And the examples of the table."""
    text = COMMANDS["list"].does
    run_with_typer("list", list_hooks, ["--help"], text=text, epilog="codes")

    shown = capsys.readouterr().out
    assert text in shown
    assert all(name in shown for name in ("--config", "--event", "--json", "codes"))
    assert to_typer(list_hooks) is not list_hooks
