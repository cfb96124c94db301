"""The bound on how deep flow collections nest, and nothing else changed of how ruamel reads."""

from __future__ import annotations

import pytest

from hookline.wire.yaml_reader import FaultyYamlError, read_yaml


@pytest.mark.parametrize("brackets", ["[]", "{}"])
def test_flow_collections_nest_up_to_a_bound(brackets: str) -> None:
    """32 levels are read, 33 are not."""
    opening, closing = brackets
    inner = "x" if opening == "[" else "x: "
    text = (
        [opening * depth + inner + closing * depth for depth in (31, 33)]
        if opening == "["
        else ["{a: " * depth + "1" + "}" * depth for depth in (31, 33)]
    )

    assert read_yaml(text[0])
    with pytest.raises(FaultyYamlError, match="nested too deeply"):
        read_yaml(text[1])


def test_many_collections_side_by_side_are_read() -> None:
    """Only nesting is bounded."""
    assert read_yaml("[" + "[], " * 200 + "[]]")[0] == [[]] * 201
