"""What can a person see, approve, take back and switch?"""

from __future__ import annotations

from typing import Any

import pytest

from hookline.errors import TrustError
from hookline.model.handler import Http, InProcess
from hookline.trust import approve, chosen, revoke, survey, turn
from tests.unit.trust.support import World, hook

TYPE_CHECKING = False
if TYPE_CHECKING:
    from pathlib import Path


@pytest.fixture
def world(tmp_path: Path) -> World:
    """A home and a project."""
    return World(tmp_path)


def states(world: World, *specs: Any) -> list[tuple[str, str]]:
    """How hooks stand, and why."""
    return [(standing.state, standing.reason) for standing in survey(world.gate(), specs)]


def test_every_state_can_be_seen_with_its_reason(world: World) -> None:
    """Nothing is written by looking."""
    assert not world.database.exists()
    world.script("a")
    world.script("b", path=world.project / "b.sh")
    approve(world.gate(), [hook("./guard.sh"), hook("./b.sh")])
    revoke(world.gate(), [hook("./b.sh")])
    own = world.script("c", path=world.home / "c.sh")
    specs = [
        hook("./guard.sh"),
        hook("./b.sh"),
        hook("./none.sh"),
        hook(str(own), scope="user"),
        hook("x", scope="explicit"),
    ]

    assert states(world, *specs) == [
        ("trusted", ""),
        ("revoked", "its approval was taken back"),
        ("missing", "`./none.sh` was not found"),
        ("unknown", "nobody approved it"),
        ("trusted", "somebody named its file"),
    ]

    world.script("changed")

    assert states(world, specs[0]) == [
        ("changed", f"`{world.project}/guard.sh` changed since it was approved")
    ]
    assert states(world, hook(handler=InProcess(call=print), scope="process")) == [
        ("trusted", "a function of the program itself")
    ]


def test_hooks_are_meant_by_command_event_or_id() -> None:
    """Each narrows; a command is meant as it is shown, or as it was written."""
    one, two = (
        hook("./a", "b c", id="one"),
        hook(handler=Http(url="https://x/"), id="two", native_event="Stop", kind="turn.end"),
    )

    assert chosen([one, two]) == [one, two]
    assert (
        chosen([one, two], command="./a 'b c'")
        == chosen([one, two], command="./a b c")
        == chosen([one, two], event="PreToolUse")
        == [one]
    )
    assert chosen([one, two], command="https://x/", event="turn.end", hook="two") == [two]


def test_what_nobody_declared_cannot_be_approved() -> None:
    """Approval lets a declared hook run."""
    with pytest.raises(TrustError, match="no hook is declared with command `y`, event `Stop`"):
        chosen([hook("x")], command="y", event="Stop")


def test_of_several_hooks_all_are_approved_or_none(world: World) -> None:
    """Where one of them is not there."""
    world.script("a")

    with pytest.raises(TrustError):
        approve(world.gate(), [hook("./guard.sh"), hook("./none.sh")])
    assert states(world, hook("./guard.sh"))[0][0] == "unknown"


def test_a_journal_is_told_of_everything(world: World) -> None:
    """Who did what to which hook, and how."""
    records: list[dict[str, Any]] = []
    world.script("a")
    gate, spec = world.gate(tell=records.append), hook("./guard.sh", file="/f.json")
    approve(gate, [spec], who="bob", how="chat")
    revoke(gate, [spec])
    turn(gate, on=False, everywhere=True, who="bob")
    turn(gate, on=True)

    assert [
        (record["what"], record["who"], record.get("command"), record["root"]) for record in records
    ] == [
        ("approved", "bob", "./guard.sh", str(world.project)),
        ("revoked", "ada", "./guard.sh", str(world.project)),
        ("off", "bob", None, ""),
        ("on", "", None, str(world.project)),
    ]
    assert (records[0]["how"], records[0]["file"], len(records[0]["identity"])) == (
        "chat",
        "/f.json",
        64,
    )


def test_an_approval_says_what_it_covers(world: World) -> None:
    """And what not, for whoever reads it later."""
    path = world.script("a")
    approve(world.gate(), [hook("./guard.sh")])
    (written,) = world.gate().store.approvals()

    assert f"program {path}" in written.covers
    assert written.covers[-1].startswith("not: what these files import")
