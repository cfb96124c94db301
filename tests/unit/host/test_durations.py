"""Durations as docker-agent writes them."""

from __future__ import annotations

import pytest

from hookline.host.durations import read_duration
from hookline.wire.fields import Node
from hookline.wire.parsers import parse_yaml


@pytest.mark.parametrize(
    ("text", "seconds", "is_right"),
    [
        ("30s", 30.0, True),
        ("1h30m", 5400.0, True),
        ("250ms", 0.25, True),
        ("1.5h", 5400.0, True),
        ("90", 90.0, True),
        ("0", None, True),
        ("~", None, True),
        ("soon", None, False),
        ("-5", None, False),
        ("true", None, False),
        ("5 s", None, False),
    ],
)
def test_a_duration(text: str, seconds: float | None, *, is_right: bool) -> None:
    """None stands for no limit."""
    node = Node(parse_yaml(f"t: {text}"), "x.yaml", "user", [])

    assert read_duration(node, "t") == seconds
    assert (node.problems == []) is is_right
