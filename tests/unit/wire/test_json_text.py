"""JSON inside a text."""

from __future__ import annotations

from typing import Any

import pytest

from hookline.wire.json_reader import close_json, open_json


@pytest.mark.parametrize(
    ("text", "value"),
    [('{"a": 1}', {"a": 1}), (" [1]", [1]), ("{oops", "{oops"), ("5", "5"), ("", ""), (None, None)],
)
def test_objects_and_lists_are_opened(text: Any, value: Any) -> None:
    """Any other text is itself, and so is what is no text."""
    assert open_json(text) == value


@pytest.mark.parametrize(
    ("value", "sent", "text"),
    [
        ({"a": 1}, '{ "a": 1 }', '{ "a": 1 }'),
        ({"a": 2}, '{ "a": 1 }', '{"a":2}'),
        ({"a": "é"}, None, '{"a":"é"}'),
        ("plain", '{"a": 1}', "plain"),
    ],
)
def test_an_unchanged_value_goes_back_as_it_was_sent(value: Any, sent: Any, text: str) -> None:
    """A new one is JSON without blanks."""
    assert close_json(value, sent) == text


def test_a_value_that_json_cannot_express_is_an_error() -> None:
    """The caller makes a failure of the hook."""
    with pytest.raises(ValueError, match="JSON"):
        close_json({"a": float("nan")})
