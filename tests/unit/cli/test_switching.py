"""`hookline on` and `hookline off`: which hooks still run, and what is said."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from tests.unit.cli.support import SUDO
from tests.unit.cli.test_contracts import check

if TYPE_CHECKING:
    from tests.unit.cli.support import Desk

GUARD = '{"hooks": {"PreToolUse": [{"hooks": [{"type": "command", "command": "echo no >&2; exit 2"}]}]}}'
CALL = SUDO | {"hook_event_name": "PreToolUse", "tool_name": "Bash"}


@pytest.fixture
def place(desk: Desk) -> Desk:
    """A desk whose person has a guard."""
    desk.file("../home/.claude/settings.json", GUARD)
    return desk


def stance(place: Desk) -> str:
    """What the guard says."""
    said: str = place.type("fire", "PreToolUse", "--dialect", "claude-code", "--json", stdin=CALL).document["stance"]
    return said


ROWS: list[tuple[list[tuple[str, ...]], str, list[str]]] = [
    ([], "deny", []),
    ([("off",)], "silent", ["hooks are switched off in this project (hookline on)"]),
    ([("off",), ("on",)], "deny", []),
    ([("off", "--global")], "silent", ["hooks are switched off everywhere (hookline on --global)"]),
    ([("off", "--global"), ("on",)], "silent", ["hooks are switched off everywhere (hookline on --global)"]),
    ([("off", "--global"), ("on", "--global")], "deny", []),
    ([("off", "-n")], "deny", []),
]


@pytest.mark.parametrize(
    ("typed", "said", "why"), ROWS, ids=[", then ".join(" ".join(words) for words in row[0]) or "nothing" for row in ROWS]
)
def test_off_anywhere_is_off(typed: list[tuple[str, ...]], said: str, why: list[str], place: Desk) -> None:
    """A dry run changes nothing, and tells how it is."""
    for words in typed:
        assert place.type(*words).code == 0

    now = place.type("on", "--dry-run").out.splitlines()

    assert stance(place) == said
    assert now == ["hooks are off" if why else "hooks are on", *(f"  {line}" for line in why)]


def test_a_variable_is_stronger_than_the_command(place: Desk, monkeypatch: pytest.MonkeyPatch) -> None:
    """Which is said."""
    monkeypatch.setenv("HOOKLINE", "0")

    assert place.type("on").out == "hooks are off\n  the variable HOOKLINE switches hooks off (unset HOOKLINE)\n"


def test_a_list_says_what_is_off(place: Desk) -> None:
    """Of each hook, with the reason."""
    place.type("off")
    (hook,) = place.type("list", "--json").document["hooks"]

    assert (hook["state"], hook["why"]) == ("off", "`hookline off` in this project")
    assert "off: `hookline off` in this project" in place.type("list").out


@pytest.mark.parametrize("words", [("on",), ("off",), ("off", "--global"), ("on", "--dry-run")], ids=" ".join)
def test_the_document_holds_to_its_schema(words: tuple[str, ...], place: Desk) -> None:
    """One document."""
    document: dict[str, Any] = place.type(*words, "--json").document

    assert document["schema"] == "hookline.switches/1"
    assert document["root"] == ("" if "--global" in words else str(place.folder))
    check(document, "switches")


def test_a_command_in_a_sub_folder_is_of_the_project(place: Desk, monkeypatch: pytest.MonkeyPatch) -> None:
    """A project that is a repository, or has files of its own; off there is off in all of it."""
    (place.folder / ".git").mkdir()
    (place.folder / "sub/deep").mkdir(parents=True)
    monkeypatch.chdir(place.folder / "sub/deep")

    assert place.type("off", "--json").document["root"] == str(place.folder)
    assert place.type("off", "-C", "..", "--json").document["root"] == str(place.folder)
    assert stance(place) == "silent"
    monkeypatch.chdir(place.folder)
    assert place.type("on", "--json").document["on"]


def test_what_is_off_above_stays_off_and_is_told(place: Desk, monkeypatch: pytest.MonkeyPatch) -> None:
    """With where it can be turned on."""
    place.type("off")
    (place.folder / "inner/.git").mkdir(parents=True)
    monkeypatch.chdir(place.folder / "inner")
    told = place.type("on")

    assert told.out.startswith("hooks are off\n")
    assert f"hookline on -C {place.folder}" in told.err
    assert stance(place) == "silent"
