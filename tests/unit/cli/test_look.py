"""`hookline list` and `hookline show`."""

from __future__ import annotations

import pytest

from tests.unit.cli.support import AGENTHOOKS, DOCKER, Desk


@pytest.mark.parametrize(
    ("words", "count"),
    [
        ((), 22),
        (("--event", "pre_tool_use"), 2),
        (("--event", "tool.before"), 2),
        (("--source", "docker-agent"), 22),
        (("--source", "hooks.yaml", "--event", "stop"), 1),
        (("--source", "explicit"), 22),
        (("--source", "managed"), 0),
    ],
)
def test_a_list_can_be_narrowed(words: tuple[str, ...], count: int, desk: Desk) -> None:
    """By event and by source."""
    assert len(desk.type("list", "-c", DOCKER, *words, "--json").document["hooks"]) == count


def test_problems_are_told_beside_the_hooks(desk: Desk) -> None:
    """On standard error, a line each; a bad file never hides the good ones."""
    told = desk.type("list", "-c", desk.file("bad.yaml", "hooks: ["), "-c", DOCKER)

    assert told.code == 0
    assert told.err.startswith("bad.yaml:1:9: HKL1001 not YAML")
    assert "hooks.yaml#stop.0" in told.out


def test_a_file_cannot_command_the_terminal(desk: Desk) -> None:
    """Escapes in a hook's command, its keys and its faults are shown, not obeyed."""
    name = desk.file("evil.yaml", 'hooks: {stop: [{type: command, command: "\\e[2J\\a"}], "\\e]0;x\\a": []}\n')

    told = desk.type("list", "-c", name)

    assert "\\x1b[2J\\x07" in told.out
    assert "\x1b" not in told.out + told.err


def test_a_hook_is_shown_by_id_and_by_name(desk: Desk) -> None:
    """With the same result."""
    by_id = desk.type("show", "-c", DOCKER, "hooks.yaml#post_tool_use.0.0")

    assert by_id.code == 0
    assert by_id.out == desk.type("show", "-c", DOCKER, "summarize shell output").out


def test_a_name_that_several_hooks_have_is_not_enough(desk: Desk) -> None:
    """Their ids are told."""
    told = desk.type("show", "-c", DOCKER, "INPUT=$(cat)")

    assert told.code == 2
    assert "several hooks are called `INPUT=$(cat)`: `hooks.yaml#pre_tool_use.0.0`" in told.err


def test_the_times_of_a_hook_are_in_seconds(desk: Desk) -> None:
    """Whatever its dialect counts in."""
    assert desk.type("show", "-c", AGENTHOOKS, "tighten-timeout", "--json").document["timeout"] == 5.0


def test_an_event_is_shown_with_its_hooks(desk: Desk) -> None:
    """In firing order."""
    document = desk.type("show", "PreToolUse", "-c", DOCKER, "--json").document

    assert document["kind"] == "tool.before"
    assert document["hooks"] == ["hooks.yaml#pre_tool_use.0.0", "hooks.yaml#pre_tool_use.1.0"]
