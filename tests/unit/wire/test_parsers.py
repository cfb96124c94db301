"""Trees: values that know on which line they stand, and texts that are refused with their place."""

from __future__ import annotations

import json
import time
import warnings
from typing import TYPE_CHECKING

import pytest

from hookline.errors import ConfigError
from hookline.wire.parsers import parse, parse_json, parse_yaml

if TYPE_CHECKING:
    from typing import Any

JSON = """{
  "hooks": {
    "Stop": [
\t  {"type": "command", "command": "a \\"quoted\\" \\u00e9"},
      [1, 2.5, null, true]
    ]
  }
}
"""
YAML = """# a comment
hooks:
  stop:
    - type: command
      command: |
        first
        second
    - {type: builtin, args: [a, b]}
"""


def refused(text: str, file: str = "x.yaml") -> ConfigError:
    """The error that a text is refused with."""
    with pytest.raises(ConfigError) as caught:
        parse(text, file)
    return caught.value


@pytest.mark.parametrize(
    ("path", "place"),
    [
        ((), (1, 1)),
        (("hooks",), (2, 3)),
        (("hooks", "Stop"), (3, 5)),
        (("hooks", "Stop", 0), (4, 4)),
        (("hooks", "Stop", 0, "command"), (4, 24)),
        (("hooks", "Stop", 1, 3), (5, 22)),
        (("hooks", "Stop", 0, "nonsense"), (4, 4)),
        (("hooks", "nonsense", 3), (2, 3)),
    ],
)
def test_a_part_of_json_knows_its_place(
    path: tuple[str | int, ...], place: tuple[int, int]
) -> None:
    """Keys and items where they begin, a tab as one column.

    What is not there as the nearest part above it.
    """
    assert parse_json(JSON).place(path) == place


@pytest.mark.parametrize(
    ("path", "place"),
    [
        ((), (1, 1)),
        (("hooks",), (2, 1)),
        (("hooks", "stop", 0), (4, 7)),
        (("hooks", "stop", 0, "command"), (5, 7)),
        (("hooks", "stop", 1), (8, 7)),
        (("hooks", "stop", 1, "args"), (8, 23)),
        (("hooks", "stop", 1, "args", 1), (8, 33)),
        (("hooks", "stop", 7), (3, 3)),
    ],
)
def test_a_part_of_yaml_knows_its_place(
    path: tuple[str | int, ...], place: tuple[int, int]
) -> None:
    """The same, in block and in flow style."""
    assert parse_yaml(YAML).place(path) == place


def test_a_text_inside_a_file_knows_its_lines_in_the_file() -> None:
    """Front matter begins on the second line."""
    assert parse_yaml("name: x\n", first_line=2).place(("name",)) == (2, 1)
    with pytest.raises(ConfigError) as caught:
        parse_yaml("a: 1\na: 2\n", "HOOK.md", first_line=2)
    assert caught.value.place == "HOOK.md:3:1"


def test_without_places_nothing_knows_where_it_stands() -> None:
    """The fast path gives the same value and no lines."""
    tree = parse_json(JSON, placed=False)

    assert tree.value == parse_json(JSON).value == json.loads(JSON)
    assert tree.place(("hooks", "Stop")) == (0, 0)


@pytest.mark.parametrize(
    "text",
    [
        "{}",
        "[]",
        '"x"',
        "3",
        "null",
        " \n\t[ ]\r\n",
        '{"a":{},"b":[[],[{}]],"":-1e5}',
        '"\\u0041\\n\\\\\\""',
    ],
)
def test_json_of_every_shape_is_placed(text: str) -> None:
    """Finding places reads every text that `json` reads."""
    assert parse_json(text).value == json.loads(text)
    assert parse_json(text).place(())[0] >= 1


@pytest.mark.parametrize(
    ("file", "text"), [("x.json", '\ufeff{\n "a": 1}'), ("x.yaml", "\ufeff\na: 1")]
)
def test_a_byte_order_mark_is_no_text(file: str, text: str) -> None:
    """Editors put one there; it moves nothing."""
    tree = parse(text, file)

    assert tree.value == {"a": 1}
    assert tree.place(("a",))[0] == 2


@pytest.mark.parametrize(
    ("text", "place", "words"),
    [
        ('{"a": }', "x.json:1:7", "not JSON"),
        ('{\n  "a" 1\n}', "x.json:2:7", "not JSON: expecting ':' delimiter"),
        ("", "x.json:1:1", "not JSON"),
        ("{} {}", "x.json:1:4", "not JSON: extra data"),
        ("{'a': 1}", "x.json:1:2", "not JSON"),
        ('{"a": "\t"}', "x.json:1:8", "not JSON: invalid control character"),
    ],
)
def test_what_is_no_json_is_refused_with_its_place(text: str, place: str, words: str) -> None:
    """File, line and column, and what was expected there."""
    error = refused(text, "x.json")

    assert (error.name, error.place) == ("config.syntax", place)
    assert words in error.message


@pytest.mark.parametrize(
    ("text", "place", "words"),
    [
        ("a:\n\t- b\n", "x.yaml:2:1", "cannot start any token"),
        ("a: b: c\n", "x.yaml:1:5", "mapping values are not allowed here"),
        ("a: [1, 2\n", "x.yaml:2:1", "not YAML"),
        ("a: *unknown\n", "x.yaml:1:4", "undefined alias"),
        ("a: 1\n---\nb: 2\n", "x.yaml:2:1", "single document"),
        ('a: "\\q"\n', "x.yaml:1:6", "unknown escape"),
        ("a: \x07\n", "x.yaml", "not YAML"),
    ],
)
def test_what_is_no_yaml_is_refused_with_its_place(text: str, place: str, words: str) -> None:
    """File, line and column, as far as the parser knows them."""
    error = refused(text)

    assert (error.name, error.place) == ("config.syntax", place)
    assert words in error.message


@pytest.mark.parametrize(
    "text",
    [
        "!!float ''",
        "!!int ''",
        "!!int 0b",
        "!!bool foo",
        "!!set x",
        "!!timestamp 2020-99-99",
        "!!int foo",
    ],
)
def test_what_the_parser_itself_trips_over_is_refused(text: str) -> None:
    """An IndexError or KeyError of the library becomes an error of ours."""
    assert refused(text).name == "config.syntax"


@pytest.mark.parametrize(
    ("text", "place", "key"),
    [
        ("a: 1\nb: 2\na: 3\n", "x.yaml:3:1", "a"),
        ("a:\n  b: 1\n  b: 2\n", "x.yaml:3:3", "b"),
        ('1: a\n"1": b\n', "x.yaml:1:1", "1"),
        ("{a: 1, a: 2}", "x.yaml:1:8", "a"),
    ],
)
def test_a_key_that_stands_twice_is_refused(text: str, place: str, key: str) -> None:
    """One of the two blocks would be lost, and it may be the guard."""
    error = refused(text)

    assert (error.name, error.place, error.message) == (
        "config.duplicate-key",
        place,
        f"the key `{key}` stands twice",
    )


def test_a_key_that_stands_twice_in_json_is_known() -> None:
    """Hosts and hookline take the last one, but a guard may be in the other."""
    tree = parse_json('{"a": {"b": 1, "b": 2},\n "a": {"c": {"b": 3}}}')

    assert tree.value == {"a": {"c": {"b": 3}}}
    assert tree.repeated == (("a", "b"), ("a",))
    assert tree.place(("a",)) == (2, 2)


def test_equal_keys_of_different_objects_are_not_repeated() -> None:
    """Only inside one object is one of them lost."""
    assert parse_json('{"a": {"b": 1}, "c": {"b": 1}, "d": [{"b": 1}, {"b": 1}]}').repeated == ()


def test_a_number_that_is_too_long_is_refused() -> None:
    """Python does not convert numbers of thousands of digits.

    That is no exception of ours either.
    """
    assert refused("1" * 5000, "x.json").name == "config.syntax"
    assert refused("a: " + "1" * 5000).name == "config.syntax"


@pytest.mark.parametrize("depth", [201, 400, 600, 990, 5000, 100_000])
@pytest.mark.parametrize("file", ["x.json", "x.yaml"])
def test_bottomless_nesting_is_refused_at_once(file: str, depth: int) -> None:
    """Brackets neither overflow the stack nor keep the parser busy."""
    began = time.process_time()
    error = refused("[" * depth + "]" * depth, file)

    assert error.name == "config.too-large"
    assert time.process_time() - began < 2


@pytest.mark.parametrize("depth", [600, 990])
def test_bottomless_nesting_is_refused_without_places_too(depth: int) -> None:
    """A value that passes the parser must not stop the code that works with it."""
    with pytest.raises(ConfigError):
        parse_json('{"a":' * depth + "1" + "}" * depth, placed=False)


def test_brackets_in_texts_are_not_nesting() -> None:
    """Only what nests is counted."""
    text = json.dumps({"script": "[" * 5000, "list": [[]] * 300})

    assert parse_json(text).value == json.loads(text)
    assert (
        parse_yaml(f"script: {json.dumps('[{' * 500)}\nlist: {[[]] * 300}\n").value["list"]
        == [[]] * 300
    )


def test_deep_block_style_is_refused() -> None:
    """Indentation nests as well."""
    assert refused("\n".join("  " * at + "a:" for at in range(250))).name in (
        "config.too-large",
        "config.syntax",
    )


def test_an_alias_bomb_is_refused() -> None:
    """Nine aliases of nine aliases of nine ... would be billions of parts."""
    lines = ["a0: &a0 [x, x, x, x, x, x, x, x, x]"]
    lines += [f"a{at}: &a{at} [{', '.join([f'*a{at - 1}'] * 9)}]" for at in range(1, 12)]

    assert refused("\n".join(lines)).name == "config.too-large"


@pytest.mark.parametrize("text", ["&a [*a]", "&a {x: *a}"])
def test_a_part_that_holds_itself_is_refused(text: str) -> None:
    """An alias of what it stands in has no end."""
    assert refused(text).name == "config.too-large"


def test_a_text_longer_than_people_write_is_refused() -> None:
    """YAML is read a hundred kilobytes a second."""
    assert refused("# " + "x" * (1 << 20)).name == "config.too-large"


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("a: &x true\nb: *x", {"a": True, "b": True}),
        ("a: &x {p: 1}\nb:\n  <<: *x\n  q: 2", {"a": {"p": 1}, "b": {"p": 1, "q": 2}}),
        ("a: yes\nb: on\nc: off", {"a": "yes", "b": "on", "c": "off"}),
        ("a: 010\nb: 0x1f\nc: 1_000", {"a": 10, "b": 31, "c": 1000}),
        ("a: 2020-01-01", {"a": "2020-01-01"}),
        ("a: ~\nb:", {"a": None, "b": None}),
        ("true: 1\n~: 2\n3: 4", {"true": 1, "null": 2, "3": 4}),
        ("a: !custom x\nb: !!str 3", {"a": "x", "b": "3"}),
        ("a: 'it''s'\nb: \"\\u00e9\"", {"a": "it's", "b": "é"}),
        ("- !!pairs [a: 1]", [["('a', 1)"]]),
        ("", None),
        ("# nothing", None),
    ],
)
def test_yaml_becomes_plain_values(text: str, value: Any) -> None:
    """YAML 1.2: no `yes` that is a boolean.

    Dictionaries with texts as keys, and nothing of the parser's own classes.
    """
    found = parse_yaml(text).value

    assert found == value
    assert _classes(found) <= {dict, list, str, int, float, bool, type(None)}


def test_an_anchor_used_twice_gives_no_warning() -> None:
    """YAML allows it: no warning is printed, or raised where warnings are errors."""
    with warnings.catch_warnings():
        warnings.simplefilter("error")

        assert parse_yaml("a: &x 1\nb: &x 2\n").value == {"a": 1, "b": 2}


def test_the_name_of_the_file_decides_the_language() -> None:
    """`.json` is JSON and nothing else; anything else is YAML, of which JSON is a part."""
    assert parse('{"a": [1]}', "x.yaml").value == parse('{"a": [1]}', "x.json").value
    assert refused("a: 1", "x.json").name == "config.syntax"


def _classes(value: Any) -> set[type]:
    inner = value.values() if isinstance(value, dict) else value if isinstance(value, list) else ()
    return {type(value)} | {found for part in inner for found in _classes(part)}


def test_yaml_joins_surrogate_pairs() -> None:
    """JSON text in a YAML file, as `json.dumps` writes an emoji, in values and in keys."""
    text = json.dumps({"a😀": ["x😀y", "é"]})
    assert parse_yaml(text).value == {"a😀": ["x😀y", "é"]}


@pytest.mark.parametrize(
    ("text", "place"),
    [('a:\n  b: "x \\ud83d"', "f.yaml:2:3"), ('a:\n  "\\ude00": 1', "f.yaml:1:1")],
)
def test_half_of_a_surrogate_pair_is_an_error_with_a_place(text: str, place: str) -> None:
    """It is no character, and no text that holds it could be sent to a hook."""
    with pytest.raises(ConfigError, match="half of a surrogate pair") as caught:
        parse_yaml(text, "f.yaml")
    assert str(caught.value).startswith(place)


@pytest.mark.parametrize("file", ["a.yaml", "a.toml"])
def test_a_huge_number_is_an_error_with_a_place(file: str) -> None:
    """Python could not write it into a message."""
    sign = ":" if file == "a.yaml" else " ="
    with pytest.raises(ConfigError, match="3,000 digits"):
        parse(f"a{sign} 0x{'F' * 5_000}\n", file)
