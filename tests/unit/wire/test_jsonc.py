"""JSON with comments: what is blanked out, and what is not."""

from __future__ import annotations

import json

import pytest

from hookline.wire.json_reader import without_comments


@pytest.mark.parametrize(
    ("text", "bare"),
    [
        ('{"a": 1} // the end', '{"a": 1}           '),
        ('{"a": /* one */ 1}', '{"a":           1}'),
        ('{"a": "http://x", "b": "/* b */"}', '{"a": "http://x", "b": "/* b */"}'),
        ('{"a": "\\"// no"} // yes', '{"a": "\\"// no"}       '),
        ("/* one\ntwo */\n{}", "      \n      \n{}"),
        ("{} /* open", "{}        "),
        ('{"a": "open // text', '{"a": "open // text'),
        ("{}", "{}"),
    ],
)
def test_comments_become_blanks(text: str, bare: str) -> None:
    """Lines and columns stay as they are, and texts too."""
    assert without_comments(text) == bare


@pytest.mark.parametrize("value", [{"a": "//"}, ["/*", "*/"], "\\", {"//": {"/*": '"'}}])
def test_what_json_writes_has_no_comments(value: object) -> None:
    """Whatever its texts are."""
    assert without_comments(json.dumps(value)) == json.dumps(value)
