"""How does a hook stand, for whoever asks?"""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from hookline.handlers.sight.look import look
from hookline.model.handler import Builtin, Command, Http
from hookline.trust import Known
from hookline.trust.standing import Standings, is_roots, shown
from tests.unit.trust.support import World, hook, text

if TYPE_CHECKING:
    from pathlib import Path

    from hookline.model.spec import HookSpec


@pytest.fixture
def world(tmp_path: Path) -> World:
    """A home and a project."""
    return World(tmp_path)


def standings(world: World) -> Standings:
    """Those of an engine in the project."""
    return Standings(
        lambda run: look(run, world.environ),
        str(world.project),
        world.environ,
        lambda dialect: dialect == "hermes",
    )


def test_a_hook_stands_by_what_the_store_knows(world: World) -> None:
    """And by what its files are now."""
    stand, run = standings(world), world.run(hook("./guard.sh"))
    world.script("approved")
    new = stand.of(run, Known(approvals={}))
    known = Known(approvals={new.print.identity: {new.print.places: new.print.content}})

    assert (new.state, new.reason, new.approved) == ("unknown", "nobody approved it", False)
    assert (stand.of(run, known).state, stand.of(run, known).approved) == ("trusted", True)
    world.script("other")
    assert stand.of(run, known).state == "changed"
    assert (
        stand.of(run, Known(approvals={}, revoked=frozenset({new.print.identity}))).state
        == "revoked"
    )
    (world.project / "guard.sh").unlink()
    assert stand.of(run, known).state == "missing"


def test_where_the_store_cannot_be_read_nothing_is_known(world: World) -> None:
    """For that reason."""
    world.script("approved")

    found = standings(world).of(world.run(hook("./guard.sh")), None, "it is torn")
    assert (found.state, found.reason, found.approved) == ("unknown", "it is torn", False)


@pytest.mark.parametrize(
    ("spec", "group"),
    [
        (hook("/bin/true"), "project"),
        (hook("/bin/true", scope="user"), "user"),
        (hook("/bin/true", scope="user", dialect="hermes"), "project"),
        (hook("./guard.sh", scope="user"), "project"),
    ],
    ids=[
        "a clone's",
        "the user's",
        "of a dialect that demands an approval",
        "what runs the project's file",
    ],
)
def test_whose_policy_counts(spec: HookSpec, group: str, world: World) -> None:
    """Whoever brought what runs."""
    world.script("cloned")

    assert standings(world).of(world.run(spec), Known(approvals={})).group == group


def test_a_declaration_that_is_another_has_another_identity(world: World) -> None:
    """Although its id is the same, which is what was looked up before."""
    stand = standings(world)

    assert stand.identity(hook("a")) == stand.identity(hook("a")) != stand.identity(hook("b"))


def test_a_managed_file_is_roots_alone(tmp_path: Path) -> None:
    """So is its folder."""
    assert is_roots("/etc/passwd")
    assert not is_roots("/etc/no-such-file")
    (tmp_path / "open").mkdir(mode=0o777)
    (tmp_path / "open").chmod(0o777)
    (tmp_path / "open/file").write_text("", encoding="utf-8")
    assert not is_roots(str(tmp_path / "open/file"))


@pytest.mark.parametrize(
    ("spec", "said"),
    [
        (hook("a", "b c"), "a 'b c'"),
        (hook(handler=text("a | b")), "a | b"),
        (hook(handler=Http(url="https://policy.example/x")), "https://policy.example/x"),
        (hook(handler=Builtin(name="add_date")), "add_date"),
        (hook(handler=Command(argv=("x",))), "x"),
    ],
)
def test_a_hook_is_shown_by_what_it_runs(spec: HookSpec, said: str) -> None:
    """In one line, as it can be approved."""
    assert shown(spec) == said
