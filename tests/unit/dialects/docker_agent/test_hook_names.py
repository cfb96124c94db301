"""What is a hook called in messages that has no name of its own?"""

from __future__ import annotations

import pytest

from hookline.core.dialect import Source
from hookline.dialects.docker_agent import DockerAgent

READS = "INPUT=$(cat)\n"


def names(*hooks: dict[str, str], exact: bool = False) -> list[str]:
    """Those of hooks on one event."""
    tree = {"hooks": {"pre_tool_use": [{"hooks": [{"type": "command", **hook} for hook in hooks]}]}}
    return [
        spec.name
        for spec in DockerAgent(exact=exact).load(Source(tree=tree, file="hooks.yaml")).specs
    ]


@pytest.mark.parametrize(
    ("hooks", "called"),
    [
        ([{"command": f"{READS}exit 0"}], ["INPUT=$(cat)"]),
        (
            [{"command": f"{READS}exit 0"}, {"command": f"{READS}exit 2"}],
            ["INPUT=$(cat) (pre_tool_use.vsbnmr)", "INPUT=$(cat) (pre_tool_use.trkggr)"],
        ),
        (
            [{"command": f"{READS}exit 0"}, {"command": f"{READS}exit 2", "name": "guard"}],
            ["INPUT=$(cat)", "guard"],
        ),
        ([{"command": "true"}, {"command": "true"}], ["true", "true"]),
    ],
)
def test_hooks_that_begin_alike_have_different_names(
    hooks: list[dict[str, str]], called: list[str]
) -> None:
    """By its place in the file, unless it has a name or is one line."""
    assert names(*hooks) == called


def test_exactly_it_is_the_whole_script() -> None:
    """As upstream has it (X6)."""
    assert names({"command": f"{READS}exit 0"}, {"command": f"{READS}exit 2"}, exact=True) == [
        f"{READS}exit 0",
        f"{READS}exit 2",
    ]
