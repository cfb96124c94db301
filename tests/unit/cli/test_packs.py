"""`hookline add`, `update` and `remove` with packs, and what the other commands say of them."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from tests.unit.cli.support import Desk, asked
from tests.unit.cli.test_schema import check

if TYPE_CHECKING:
    from pathlib import Path

HOOKS = "version: 1\nhooks:\n  - {on: tool.before, name: guard, run: ./guard.sh}\n"
DIFFERS = "HKL8003 the pack `my-pack` is not as it was installed: `files/guard.sh` changed"


@pytest.fixture(autouse=True)
def _pack(desk: Desk) -> None:
    """A folder with a pack."""
    desk.file("my-pack/hookline.yaml", HOOKS)
    write_guard(desk, "exit 0\n")


def write_guard(desk: Desk, text: str) -> None:
    desk.file("my-pack/guard.sh", f"#!/bin/sh\n{text}")
    (desk.folder / "my-pack/guard.sh").chmod(0o755)


def find_installed(desk: Desk) -> Path:
    """Return the installed program."""
    return desk.folder.parent / "home/.local/share/hookline/packs/my-pack/files/guard.sh"


def test_each_document_holds_to_its_schema(desk: Desk) -> None:
    """Of a plan, an installation, an update and a removal."""
    words = (
        ("add", "./my-pack", "--dry-run"), ("add", "./my-pack"), ("update",),
        ("update", "--yes"), ("remove", "./my-pack", "--dry-run"), ("remove", "my-pack"),
        ("update",),
    )  # fmt: skip
    did = []
    for at, each in enumerate(words):
        if at == 3:
            write_guard(desk, "exit 2\n")
        document = desk.type(*each, "--json").document
        check(document, "packs")
        did += [pack["did"] for pack in document["packs"]] or ["none"]

    assert did == ["planned", "added", "nothing", "updated", "planned", "removed", "none"]


@pytest.mark.parametrize(("typed", "code", "text"), [("y\n", 0, "exit 2"), ("n\n", 1, "exit 0")])
def test_an_update_asks(desk: Desk, typed: str, code: int, text: str) -> None:
    """After showing the difference; without a yes everything stays."""
    desk.type("add", "./my-pack")
    write_guard(desk, "exit 2\n")
    told = asked(desk, "update", typed=typed)

    assert told.code == code
    assert "+exit 2\n" in told.err
    assert told.err.endswith("install this version of my-pack? [y/N] ")
    assert text in find_installed(desk).read_text()


def test_a_damaged_pack_is_named_with_its_remedy(desk: Desk) -> None:
    """By `list`, `doctor` and `approve`, which approves nothing of it."""
    desk.type("add", "./my-pack")
    find_installed(desk).write_text("#!/bin/sh\nexit 2\n")
    told = {
        "list": desk.type("list").err,
        "doctor": desk.type("doctor").out,
        "approve": desk.type("approve", "--all", "--yes").err,
        "one": desk.type("approve", "guard", "--yes").err,
    }

    assert [name for name, text in told.items() if DIFFERS not in text] == []
    assert [name for name, text in told.items() if "hookline update my-pack" not in text] == []
    (hook,) = desk.type("list", "--json").document["hooks"]
    assert hook["standing"] == "new"


def test_a_pack_that_is_gone_asks_and_says_how_to_go_on(desk: Desk) -> None:
    """Its guards count as failed; `list` is not whole; `remove` takes the entry out."""
    desk.type("add", "./my-pack")
    (desk.folder.parent / "home/.local/share/hookline/packs/my-pack").unlink()
    call = {"hook_event_name": "PreToolUse", "session_id": "s", "tool_name": "Bash"}
    answer = desk.type("answer", "claude-code", stdin=call | {"tool_input": {"command": "ls"}})
    told = desk.type("list")

    assert '"ask"' in answer.out
    assert "hookline remove my-pack" in answer.out
    assert (told.code, told.err.count("HKL8003")) == (2, 1)
    assert desk.type("remove", "my-pack").code == 0
    assert desk.type("list").code == 0


def test_one_damaged_pack_stops_no_other_update(desk: Desk) -> None:
    """It has its own error."""
    desk.type("add", "./my-pack")
    desk.file("a-pack/hookline.yaml", "version: 1\nhooks: [{on: stop, context: x}]\n")
    desk.type("add", "./a-pack")
    (find_installed(desk).parents[2] / "a-pack/pack.lock").write_text("{}")
    told = desk.type("update")

    assert told.code == 2
    assert "its lock file changed" in told.err
    assert "my-pack 0+" in told.out


def test_a_pack_is_named_as_a_whole(desk: Desk) -> None:
    """By its name, its hooks are approved, switched off and revoked."""
    desk.type("add", "./my-pack")
    words = (
        ("approve", "my-pack", "--yes"),
        ("off", "my-pack"),
        ("on", "my-pack"),
        ("revoke", "my-pack"),
    )
    states = []
    for each in words:
        assert desk.type(*each).code == 0
        (hook,) = desk.type("list", "--json").document["hooks"]
        states.append((hook["standing"], hook["state"]))

    assert states == [
        ("approved", "ready"), ("approved", "off"), ("approved", "ready"), ("revoked", "revoked"),
    ]  # fmt: skip


def test_an_installation_approves_no_pack(desk: Desk) -> None:
    """It records your own hooks; those of a pack wait for a review of their own."""
    (desk.folder.parent / "home/.codex").mkdir()
    desk.type("add", "./my-pack")
    desk.type("install", "codex", "--yes")
    hooks = desk.type("list", "--json").document["hooks"]

    standings = {hook["name"]: hook["standing"] for hook in hooks}
    assert standings.pop("own_config.tool.before") == "approved"
    assert set(standings.values()) == {"new"}


def test_a_shell_completes_the_names_of_packs(desk: Desk) -> None:
    """Of those that are installed."""
    desk.type("add", "./my-pack")

    assert desk.type("__complete", "update", "").out.split() == ["my-pack"]
