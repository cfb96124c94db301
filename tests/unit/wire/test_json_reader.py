"""JSON as hosts send it: read leniently, within bounds that each hook's own parser can bear."""

from __future__ import annotations

import json
from typing import Any

import pytest

from hookline.errors import CodecError
from hookline.wire.json_reader import DEEPEST, NESTED, is_complete_json, read_json


def nested(levels: int, inner: str = "1", opening: str = '{"a":', closing: str = "}") -> str:
    """A text with so many levels."""
    return opening * levels + inner + closing * levels


def depth_of(value: Any) -> int:
    """How many levels of a value are structure."""
    levels = 0
    while isinstance(value, dict | list):
        value = value["a"] if isinstance(value, dict) else value[0]
        levels += 1
    return levels


@pytest.mark.parametrize(
    ("sent", "value"),
    [
        (b'{"a": "\xff"}', {"a": "\udcff"}),
        (b'{"a": "\xed\xa0\x80"}', {"a": "\ud800"}),
        (b'\xef\xbb\xbf{"a": 1}', {"a": 1}),
        ('{"a": "ü"}'.encode("utf-16"), {"a": "ü"}),
        (b'{"a": "x\x00\n\ty"}', {"a": "x\x00\n\ty"}),
        (b'{"a": %s}' % (b"9" * 4300), {"a": int("9" * 4300)}),
        (b'{"a": -%s}' % (b"9" * 5000), {"a": f"-{'9' * 5000}"}),
        ('{"a": "}{][\\""}', {"a": '}{]["'}),
    ],
)
def test_what_can_be_read_is_read(sent: bytes | str, value: Any) -> None:
    """Invalid UTF-8, control characters, and integers too long for Python's `int`."""
    assert read_json(sent) == value


@pytest.mark.parametrize("brackets", [('{"a":', "}"), ("[", "]")])
@pytest.mark.parametrize("levels", [1, NESTED - 1, NESTED, NESTED + 1, 1000, DEEPEST])
def test_what_is_nested_too_deeply_is_a_text(levels: int, brackets: tuple[str, str]) -> None:
    """Up to 100 levels are structure; the rest is JSON as text, complete."""
    value = read_json(nested(levels, "7", *brackets))
    inner = value
    for _ in range(min(levels, NESTED)):
        inner = inner["a"] if isinstance(inner, dict) else inner[0]

    assert depth_of(value) == min(levels, NESTED)
    assert inner == (7 if levels <= NESTED else nested(levels - NESTED, "7", *brackets))


def test_what_stands_beside_a_deep_part_stays_as_it_is() -> None:
    """Only the part that is too deep becomes text, with its escapes decoded for expressions."""
    deep = nested(NESTED, '{"b": "rm \\u002drf \\" }"}')
    value = read_json(f'{{"tool": "Bash", "deep": {deep}, "list": [{deep}, 2], "n": 1}}')
    inner = value["deep"]
    while isinstance(inner, dict):
        inner = inner["a"]

    assert (value["tool"], value["list"][1], value["n"]) == ("Bash", 2, 1)
    assert inner == '{"a":{"b": "rm -rf \\" }"}}'
    assert json.loads(inner) == {"a": {"b": 'rm -rf " }'}}


@pytest.mark.parametrize(
    "sent",
    [
        b"",
        b"ls",
        b"{",
        b"{]",
        b'{"a": 1} x',
        b"\xff\xfe\x00",
        b"[" * 100_000,
        b"{]" * 100_000,
        nested(DEEPEST + 1).encode(),
        nested(DEEPEST + 5000, opening="[", closing="]").encode(),
        b'{"' * 50_000,
    ],
)
def test_what_is_no_json_is_an_error_with_its_name(sent: bytes) -> None:
    """Whatever it is, the error is typed and names what was read."""
    with pytest.raises(CodecError, match=r"^stdin is n"):
        read_json(sent, "stdin")


def test_no_number_is_an_error_only_where_it_is_refused() -> None:
    """A server takes strict JSON only; a host in Python may print NaN."""
    assert str(read_json('{"a": NaN}')["a"]) == "nan"
    with pytest.raises(CodecError, match="`NaN` is no number"):
        read_json('{"a": NaN}', constants=False)


@pytest.mark.parametrize(
    ("sent", "whole"),
    [
        (b'{"a": "}"}', True),
        (b' \n[{"a": 1}] \n', True),
        (b"\xef\xbb\xbf{}", True),
        (nested(DEEPEST).encode(), True),
        (b"", False),
        (b'{"a": {}', False),
        (b'{"a": "}', False),
        (b'{"a": "\\"}', False),
        (b'{"a": 1},', False),
        (b"12", False),
    ],
)
def test_brackets_tell_whether_a_text_is_whole(sent: bytes, *, whole: bool) -> None:
    """A bracket inside of a string is none."""
    assert is_complete_json(sent) is whole
