"""Commands as typer takes them."""

from __future__ import annotations

import pytest

from hookline.cli.commands import COMMANDS
from hookline.cli.options import parse_words
from hookline.cli.selection import list_all_options
from hookline.cli.typer_command import parse_with_typer
from hookline.errors import ConfigError

LINES = {
    "list": ["--event", "stop", "--json", "--mode", "strict", "-C", "x", "-c", "a", "-c", "b"],
    "log": ["show", "last", "-n", "5", "--stance", "deny", "--head=1:2"],
    "serve": ["--wait", "2", "--grpc", "unix:a"],
    "answer": ["kimi", "--deadline", "3", "--relay"],
    "fire": ["stop", "--trust", "none", "-o", "a=b", "--input", "-"],
    "validate": ["a", "b"],
}


@pytest.mark.parametrize("name", LINES)
def test_both_readers_give_the_same_values(name: str) -> None:
    """What is read without typer is what typer reads."""
    options = list_all_options(COMMANDS[name].load())
    quick = parse_words(options, LINES[name])

    assert quick is not None
    assert parse_with_typer(name, options, LINES[name]) == quick


@pytest.mark.parametrize(
    ("words", "given"),
    [
        (["-n5"], {"limit": 5}),
        (["--", "verify"], {"what": ["verify"]}),
        (["-fn", "5"], {"follow": True}),
    ],
)
def test_unusual_spellings_are_read(words: list[str], given: dict[str, object]) -> None:
    """As of every other program."""
    read = parse_with_typer("log", list_all_options(COMMANDS["log"].load()), words)

    assert read is not None
    assert given.items() <= read.items()


def test_a_mistake_is_an_error_with_a_hint() -> None:
    """In hookline's own words."""
    with pytest.raises(ConfigError) as caught:
        parse_with_typer("list", list_all_options(COMMANDS["list"].load()), ["--evnt", "stop"])

    assert "--event" in caught.value.hint


def test_help_names_every_option(capsys: pytest.CaptureFixture[str]) -> None:
    """And the examples of the table."""
    assert parse_with_typer("list", list_all_options(COMMANDS["list"].load()), ["--help"]) is None

    shown = capsys.readouterr().out
    assert COMMANDS["list"].examples[0] in shown
    assert all(name in shown for name in ("--config", "--event", "--json", "exit codes"))
    assert "--relay" not in shown
