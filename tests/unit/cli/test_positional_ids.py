"""Ids of version 0.1, which were positions, and the ends of ids, on the command line."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import pytest

from hookline import Engine
from hookline.cli.positional_ids import find_by_position

if TYPE_CHECKING:
    from tests.unit.cli.support import Desk

COMMANDS = ("./a.sh", "./b.sh", "./a.sh")
GROUPS = [{"hooks": [{"type": "command", "command": each} for each in COMMANDS]}]
SETTINGS = json.dumps({"hooks": {"PreToolUse": GROUPS}})


@pytest.fixture
def both(desk: Desk) -> list[str]:
    """A user's and a project's file with the same hooks; the ids."""
    desk.file("../home/.claude/settings.json", SETTINGS)
    desk.file(".claude/settings.json", SETTINGS)
    return [hook["hook"] for hook in desk.type("list", "--json").document["hooks"]]


def test_ids_of_a_users_and_a_projects_file_differ(both: list[str]) -> None:
    """Whatever else is loaded: the path of the file is part of the id."""
    assert len({*both}) == 6
    for first, second, third in (both[:3], both[3:]):
        assert third == f"{first}~2"
        assert second.partition(".b.sh-")[1]


@pytest.mark.parametrize(
    ("old", "at"),
    [
        ("settings.json#PreToolUse.0.0", 0),
        ("settings.json#PreToolUse.0.1", 1),
        ("settings.json#PreToolUse.0.1~2", 4),
    ],
)
def test_an_old_id_selects_its_hook_with_a_warning(
    old: str, at: int, both: list[str], desk: Desk
) -> None:
    """It names the id of today."""
    for words in (("show", old), ("off", old), ("on", old), ("approve", old, "--dry-run")):
        told = desk.type(*words)

        assert told.err.startswith(
            f"hookline: `{old}` is an id by position, which the next version"
        )
        assert told.err.splitlines()[0].endswith(f" Use `{both[at]}`")
        assert both[at] in told.out
        assert told.code == 0


@pytest.mark.parametrize(
    "word",
    ["settings.json#PreToolUse.0.3", "settings.json#PreToolUse.0.0~3", "other.json#PreToolUse.0.0",
     "settings.json#PreToolUse.0.0~0", "settings.json#PreToolUse.0.0~x", "settings.json#Stop.0.0"],
)  # fmt: skip
def test_an_old_id_of_no_hook_is_unknown(word: str, both: list[str], desk: Desk) -> None:
    """Like every other word."""
    assert both
    told = desk.type("off", word)

    assert (told.code, "HKL3011 no hook is declared with the id" in told.err) == (2, True)
    assert "by position" not in told.err


def test_agents_and_flat_events_had_positions_too() -> None:
    """Of several blocks, those of the agent."""
    one = [{"type": "command", "command": "one"}]
    tree = {"agents": {"root": {"hooks": {"stop": one}}, "scout": {"hooks": {"stop": one}}}}
    specs = Engine.from_config(tree, dialect="docker-agent").hooks

    for old, pointer in (
        ("config#root.stop.0", "agents.root.hooks.stop.0"),
        ("config#scout.stop.0", "agents.scout.hooks.stop.0"),
        ("config#stop.0", "agents.root.hooks.stop.0"),
        ("config#stop.0~2", "agents.scout.hooks.stop.0"),
    ):
        found = find_by_position(specs, old)
        assert found is not None
        assert found.origin.pointer == pointer


def test_the_end_of_an_id_is_enough_where_it_fits_one_hook(both: list[str], desk: Desk) -> None:
    """Otherwise the error lists those that it fits."""
    end = both[1].partition("#")[2]
    told = desk.type("off", end)
    shown = desk.type("show", end)

    assert (told.code, shown.code) == (2, 2)
    assert f"`{both[1]}`, `{both[4]}`" in told.err
    assert f"`{both[1]}`, `{both[4]}`" in shown.err
    assert desk.type("show", both[4].removeprefix(".claude/")).code == 2
    desk.file(".claude/settings.json", "{}")
    assert desk.type("show", end).out.startswith(f"{both[1]}\n")
    assert desk.type("off", end).code == 0


def test_the_shell_may_have_expanded_the_home(both: list[str], desk: Desk) -> None:
    """In an argument, and after the `=` of a variable."""
    whole = both[0].replace("~", str(desk.folder.parent / "home"), 1)
    assert desk.type("show", whole).out.startswith(f"{both[0]}\n")

    desk.monkeypatch.setenv("HOOKLINE_SKIP", f"{whole},{both[1]}")
    hooks = desk.type("list", "--json").document["hooks"]
    assert [hook["state"] == "off" for hook in hooks] == [True, True, *[False] * 4]


def test_a_skipped_hook_is_the_same_after_an_edit_above_it(desk: Desk) -> None:
    """That is what ids are for."""
    desk.file("../home/.claude/settings.json", SETTINGS)
    second = desk.type("list", "--json").document["hooks"][1]["hook"]
    desk.monkeypatch.setenv("HOOKLINE_SKIP", second)
    new = {"type": "command", "command": "new", "timeout": 3}
    groups = [{"matcher": "Edit", "hooks": [new]}, {"hooks": [new, *GROUPS[0]["hooks"]]}]
    desk.file("../home/.claude/settings.json", json.dumps({"hooks": {"PreToolUse": groups}}))

    hooks = desk.type("list", "--json").document["hooks"]
    assert {hook["hook"] for hook in hooks if hook["state"] == "off"} == {second}
    assert {hook["name"] for hook in hooks if hook["state"] == "off"} == {"./b.sh"}
