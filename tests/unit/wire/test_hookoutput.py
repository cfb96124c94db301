"""What a hook printed: one object, in any spelling of its keys, of the types that they want."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import pytest

from hookline.wire.hookoutput import (
    UnreadableError,
    has_object_start,
    normalise_keys,
    parse_object,
    select_typed,
    split_lines,
    to_json_line,
)

if TYPE_CHECKING:
    from typing import Any


@pytest.mark.parametrize(
    "text", ["{}", ' \n{"a": 1}\n', '\ufeff{"a": 1}', '{"a": 1, "a": 2}', '{"a": "\\ud800"}']
)
def test_one_object_is_read(text: str) -> None:
    """Blanks and a byte order mark are ignored; the last of repeated keys counts."""
    assert parse_object(text) == json.loads(text.removeprefix("\ufeff"))


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("", "not one JSON object"),
        ("{", "not one JSON object"),
        ("{} {}", "extra data at line 1"),
        ("{}\nnoise", "extra data at line 2"),
        ("noise\n{}", "at line 1"),
        ("[]", "no object"),
        ("null", "no object"),
        ('"x"', "no object"),
        ('{"a": NaN}', "`NaN` is no JSON"),
        ('{"a": -Infinity}', "`-Infinity` is no JSON"),
        ('{"a": ' + "1" * 5000 + "}", "not one JSON object"),
        ('{"a":' * 5000, "not one JSON object"),
        ("{'a': 1}", "not one JSON object"),
    ],
)
def test_anything_else_is_unreadable_and_says_why(text: str, words: str) -> None:
    """One class of error, with a text for the author of the hook."""
    with pytest.raises(UnreadableError) as caught:
        parse_object(text)
    assert words in str(caught.value)


def test_keys_are_read_in_any_letter_case() -> None:
    """Underscores matter unless camel case is read."""
    given = {"Permission_Decision": 1, "updatedInput": 2, "nonsense": 3}

    wanted = {"permission_decision": int, "updated_input": int}

    assert normalise_keys(given, wanted, camel=False) == (
        {"permission_decision": 1},
        ["updatedInput", "nonsense"],
    )
    assert normalise_keys(given, wanted, camel=True) == (
        {"permission_decision": 1, "updated_input": 2},
        ["nonsense"],
    )


def test_of_two_spellings_the_last_wins() -> None:
    """As with a key that is repeated."""
    assert normalise_keys(
        {"updated_input": 1, "updatedInput": 2}, {"updated_input": int}, camel=True
    ) == (
        {"updated_input": 2},
        [],
    )


@pytest.mark.parametrize(
    ("read", "checked"),
    [
        ({"a": "x", "b": True, "c": {}, "d": 1.5}, {"a": "x", "b": True, "c": {}, "d": 1.5}),
        ({"a": None, "b": None}, {}),
        ({"other": [1]}, {"other": [1]}),
        ({"other": False}, {"other": False}),
    ],
)
def test_values_of_the_wanted_types_are_taken(
    read: dict[str, Any], checked: dict[str, Any]
) -> None:
    """Null is as good as absent; a key without a wish may have anything."""
    assert select_typed(read, {"a": str, "b": bool, "c": dict, "d": (int, float)}) == checked


@pytest.mark.parametrize(
    "read", [{"a": 1}, {"a": ["x"]}, {"b": "true"}, {"b": 1}, {"c": []}, {"d": True}, {"d": "1"}]
)
def test_values_of_other_types_are_unreadable(read: dict[str, Any]) -> None:
    """A boolean is no number, and a text no boolean."""
    with pytest.raises(UnreadableError, match="wrong type"):
        select_typed(read, {"a": str, "b": bool, "c": dict, "d": (int, float)})


def test_an_output_object_is_one_line_and_an_empty_one_is_nothing() -> None:
    """What a host reads as no opinion is no output at all."""
    assert to_json_line({"a": "é\n"}) == '{"a": "é\\n"}\n'
    assert to_json_line({}) == ""


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("a\nb", ["a", "b"]),
        ("a\r\nb", ["a", "", "b"]),
        ("a\rb", ["a", "b"]),
        ("a\u2028b\x85c\x0bd", ["a\u2028b\x85c\x0bd"]),
        ("", [""]),
    ],
)
def test_lines_end_where_a_program_ends_them(text: str, expected: list[str]) -> None:
    """And not at a character that a text in JSON may hold as it is."""
    assert split_lines(text) == expected


@pytest.mark.parametrize(
    ("text", "begins"),
    [
        ("log\n {", True),
        ("50%\r{", True),
        ("{", True),
        ("log {", False),
        ("log\u2028{", False),
        ("", False),
    ],
)
def test_an_object_begins_a_line(text: str, *, begins: bool) -> None:
    """With noise before it; a brace inside of a line is none."""
    assert has_object_start(text) is begins
