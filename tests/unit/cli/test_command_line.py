"""What the words of a command line mean, and what is left to typer."""

from __future__ import annotations

from typing import Annotated, Any, Literal

import pytest

from hookline.cli.command_line import Argument, Option, list_parameters, parse_words

_Word = Annotated[str, Argument(metavar="WORD")]
_More = Annotated[str, Argument(metavar="MORE")]
_Count = Annotated[int, Option("-n", "--count", min=1, max=9)]
_Seconds = Annotated[float, Option("--seconds", min=0.5)]
_Color = Annotated[Literal["auto", "never"] | None, Option("--color")]
_Names = Annotated[list[str], Option("-c", "--name")]
_Json = Annotated[bool, Option("--json")]


def command(
    *,
    word: _Word,
    more: _More = "",
    count: _Count = 3,
    seconds: _Seconds = 1.0,
    color: _Color = None,
    name: _Names = [],  # noqa: B006 - only read
    json: _Json = False,
) -> int:
    """A command with each kind of option."""
    return len((word, more, count, seconds, color, name, json))


def parsed(*words: str) -> dict[str, Any] | None:
    """Return what differs from the defaults."""
    given = parse_words(command, list(words))
    if given is None:
        return None
    defaults = {name: each.default for name, each in list_parameters(command).items()}
    return {name: value for name, value in given.items() if value != defaults[name]}


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
def test_what_is_usual_is_read(words: list[str], given: dict[str, Any]) -> None:
    """By the signature of the command alone."""
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

    def validate(*, files: Annotated[list[str], Argument()] = []) -> int:  # noqa: B006 - only read
        return len(files)

    assert parse_words(validate, []) == {"files": []}
    assert parse_words(validate, ["a", "b"]) == {"files": ["a", "b"]}
