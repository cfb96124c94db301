"""What the words of a command line mean."""

from __future__ import annotations

from typing import Any

import pytest

from hookline.cli.options import list_options, option, parse_words


def command(
    *,
    word: str = option("WORD"),
    more: str = option("[MORE]"),
    count: int = option("-n, --count N", least=1, most=9, default=3),
    seconds: float = option("--seconds S", least=0.5, default=1.0),
    color: str = option("--color WHEN", choices=("auto", "never")),
    name: list[str] = option("-c, --name NAME..."),
    json: bool = option("--json"),
) -> int:
    """A command with each kind of option."""
    return len((word, more, count, seconds, color, name, json))


def parsed(*words: str) -> dict[str, Any]:
    """Return what differs from the defaults."""
    options = list_options(command)
    given = parse_words(options, words)
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
        (["x", "-n5"], {"count": 5}),
        (["x", "-c", "--json"], {"name": ["--json"]}),
        (["--json", "--", "x", "--json"], {"more": "--json", "json": True}),
    ],
)
def test_words_are_read_by_the_declarations(words: list[str], given: dict[str, Any]) -> None:
    """In any order and any spelling."""
    assert parsed(*words) == {"word": "x", **given}


@pytest.mark.parametrize(
    ("words", "error"),
    [
        ([], "missing argument `WORD`"),
        (["x", "y", "z"], "`z` is one argument too many"),
        (["x", "--bogus"], "no such option `--bogus`"),
        (["x", "-n"], "`-n` needs a value: N"),
        (["x", "-n", "ten"], "`-n` cannot be `ten`, only a whole number from 1 to 9"),
        (["x", "-n", "10"], "`-n` cannot be `10`, only a whole number from 1 to 9"),
        (["x", "-n", "-1"], "`-n` cannot be `-1`, only a whole number from 1 to 9"),
        (["x", "--seconds", "0.1"], "`--seconds` cannot be `0.1`, only a number from 0.5"),
        (["x", "--seconds", "nan"], "`--seconds` cannot be `nan`, only a number from 0.5"),
        (["x", "--color", "blue"], "`--color` cannot be `blue`, only one of auto, never"),
        (["x", "--json=yes"], "`--json` takes no value"),
    ],
)
def test_a_mistake_is_an_error_that_names_it(words: list[str], error: str) -> None:
    """In one sentence."""
    with pytest.raises(ValueError, match=r".") as caught:
        parsed(*words)

    assert caught.value.args[0] == error


def test_the_last_argument_may_take_all_words() -> None:
    """For example the files of `hookline validate`."""

    def validate(*, files: list[str] = option("[FILE...]")) -> int:
        return len(files)

    options = list_options(validate)
    assert parse_words(options, []) == {"files": []}
    assert parse_words(options, ["a", "b"]) == {"files": ["a", "b"]}
