"""What the words of a command line mean, and what is left to typer."""

from __future__ import annotations

from typing import Any

import pytest

from hookline.cli.options import list_options, option, parse_words


def command(
    *,
    word: str = option(metavar="WORD", is_required=True),
    more: str = option(metavar="MORE"),
    count: int = option("-n", "--count", metavar="N", kind=int, least=1, most=9, default=3),
    seconds: float = option("--seconds", metavar="S", kind=float, least=0.5, default=1.0),
    color: str = option("--color", metavar="WHEN", choices=("auto", "never")),
    name: list[str] = option("-c", "--name", metavar="NAME", is_repeatable=True),
    json: bool = option("--json"),
) -> int:
    """A command with each kind of option."""
    return len((word, more, count, seconds, color, name, json))


def parsed(*words: str) -> dict[str, Any] | None:
    """Return what differs from the defaults."""
    options = list_options(command)
    given = parse_words(options, words)
    if given is None:
        return None
    return {name: value for name, value in given.items() if value != options[name].default}


@pytest.mark.parametrize(
    ("words", "given"),
    [
        (["x"], {}),
        (["x", "y"], {"more": "y"}),
        (["--json", "x"], {"json": True}),
        (["x", "-n", "5"], {"count": 5}),
        (["x", "--count=5"], {"count": 5}),
        (["x", "--seconds", "0.5"], {"seconds": 0.5}),
        (["x", "--color", "never"], {"color": "never"}),
        (["x", "-c", "a", "--name", "b"], {"name": ["a", "b"]}),
        (["x", "-c", "-"], {"name": ["-"]}),
        (["x", "-"], {"more": "-"}),
    ],
)
def test_words_are_read_by_the_declarations(words: list[str], given: dict[str, Any]) -> None:
    """Whatever their order and their spelling."""
    assert parsed(*words) == {"word": "x", **given}


@pytest.mark.parametrize(
    "words",
    [
        [],
        ["x", "y", "z"],
        ["x", "--help"],
        ["x", "--bogus"],
        ["x", "-n"],
        ["x", "-n", "ten"],
        ["x", "-n", "10"],
        ["x", "-n", "-1"],
        ["x", "--seconds", "0.1"],
        ["x", "--seconds", "nan"],
        ["x", "--color", "blue"],
        ["x", "--json=yes"],
        ["x", "-c", "--json"],
        ["x", "-n5"],
        ["--", "x"],
    ],
)
def test_mistakes_and_unusual_spellings_are_left_to_typer(words: list[str]) -> None:
    """It knows how to say what is wrong."""
    assert parsed(*words) is None


def test_the_last_argument_may_take_all_words() -> None:
    """As the files of `hookline validate`."""

    def validate(*, files: list[str] = option(metavar="FILE", is_repeatable=True)) -> int:
        return len(files)

    options = list_options(validate)
    assert parse_words(options, []) == {"files": []}
    assert parse_words(options, ["a", "b"]) == {"files": ["a", "b"]}
