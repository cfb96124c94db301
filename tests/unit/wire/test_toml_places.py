"""TOML as trees that know on which line each part stands."""

from __future__ import annotations

import pytest

from hookline.errors import ConfigError
from hookline.wire.parsers import parse


def refused(text: str) -> ConfigError:
    """The error that a text is refused with."""
    with pytest.raises(ConfigError) as caught:
        parse(text, "config.toml")
    return caught.value


TOML = """# a comment
default_model = "k2"

[[hooks]]
event = "PreToolUse"
"command" = "a \\u00e9"

[[hooks]]
event = 'Stop'
timeout = 10

[hooks.env]
A = "1"

[models.'é x'.y]
since = 1979-05-27
list = [1, {deep = [true]}]
"""


@pytest.mark.parametrize(
    ("path", "place"),
    [
        (("default_model",), (2, 1)),
        (("hooks",), (4, 1)),
        (("hooks", 0, "command"), (6, 1)),
        (("hooks", 1), (8, 1)),
        (("hooks", 1, "timeout"), (10, 1)),
        (("hooks", 1, "env", "A"), (13, 1)),
        (("models", "é x", "y"), (15, 15)),
        (("models", "é x", "y", "list", 1, "deep", 0), (17, 21)),
    ],
)
def test_toml_knows_its_lines(path: tuple[str | int, ...], place: tuple[int, int]) -> None:
    """Every part of a TOML file is found where it stands, columns counted in characters."""
    tree = parse(TOML, "config.toml")

    assert tree.place(path) == place


def test_toml_is_plain_values() -> None:
    """A TOML file becomes values that JSON has, dates included."""
    value = parse(TOML, "config.toml").value

    assert value["hooks"][1] == {"event": "Stop", "timeout": 10, "env": {"A": "1"}}
    assert value["models"]["é x"]["y"]["since"] == "1979-05-27"


@pytest.mark.parametrize(
    ("text", "place", "message"),
    [
        ("a = 1\nb = \n", "config.toml:2:5", "not TOML: invalid value"),
        ("a = 1\na = 2\n", "config.toml:2:6", "not TOML: cannot overwrite a value"),
        ("[[hooks]]\nevent = 'x", "config.toml:2:1", "not TOML: expected"),
        ("a = " + "[" * 3000 + "]" * 3000, "config.toml", "nested too deeply"),
        ("a = 1979-02-31\n", "config.toml:1:", "not TOML: invalid date"),
    ],
)
def test_bad_toml_is_refused_with_its_place(text: str, place: str, message: str) -> None:
    """What is no TOML is refused where it goes wrong."""
    error = refused(text)

    assert str(error).startswith(place)
    assert message in str(error)


@pytest.mark.parametrize(
    "text", [".".join("a" * 100_000) + " = 1", "\n\n[" + " . ".join(['"a b"'] * 17) + "]"]
)
def test_a_key_of_more_than_16_parts_is_refused_before_it_is_read(text: str) -> None:
    """The time of the standard reader grows with the square of the parts."""
    error = refused(text)
    assert error.name == "config.too-large"
    assert "a key of more than 16 parts" in str(error)
    assert str(error).startswith("config.toml:")


@pytest.mark.parametrize(
    "text",
    [
        ".".join("a" * 16) + " = 1",
        'a = "' + "x." * 40 + '"',
        'a = """\n' + "x." * 40 + '\n"""',
        "a = '''\n" + "x." * 40 + "\n'''",
        "a = 1  # " + "x." * 40,
        f'["{"x." * 40}"]',
    ],
)
def test_dots_in_texts_and_comments_are_no_parts_of_a_key(text: str) -> None:
    """Only keys are counted, up to 16 parts."""
    assert parse(text, "config.toml").value


def test_columns_count_characters_on_a_line_with_others_than_ascii() -> None:
    """Each place of a long line is found without decoding the line again."""
    places = parse('x = ["é", "日本", "a"]\ny = 1\n', "config.toml").places
    assert (places["x", 1], places["x", 2], places[("y",)]) == ((1, 11), (1, 17), (2, 1))
