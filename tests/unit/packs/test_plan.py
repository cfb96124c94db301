"""Packs are added, approved, updated and removed; none of their code runs before."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

import pytest

from hookline.engine.approval_service import approve, find_statuses, get_gate_for, list_removed
from hookline.engine.engine import Engine
from hookline.engine.reload import is_stale
from hookline.errors import ConfigError
from hookline.model.verdict import Stance
from hookline.packs.lock import check_pack, list_names, list_packs
from hookline.packs.plan import apply, discard, is_source, plan_add, plan_remove, plan_update
from tests.unit.packs.support import CALL, GUARD, list_modules

if TYPE_CHECKING:
    from tests.unit.packs.support import World

LINK = """\
version: 1
sources:
  - path: ~/.local/share/hookline/packs/my-pack/hookline.yaml
    dialect: hookline
"""


def find_states(world: World) -> list[str]:
    """Return the states of all hooks."""
    return [each.trust.state for each in find_statuses(world.engine()).values()]


def approve_all(world: World) -> None:
    engine = world.engine()
    states = [each.trust for each in find_statuses(engine).values()]
    approve(get_gate_for(engine), states)


def fire(world: World) -> Stance:
    with world.engine() as engine:
        return engine.fire("PreToolUse", CALL, dialect="claude-code").stance


@pytest.mark.parametrize("word", ["./x", "../x", "/x", "~/x", ".", "pkg:x"])
def test_a_source_is_a_path_or_a_package(word: str) -> None:
    """A bare word is a guard."""
    assert is_source(word)
    assert not is_source(word.strip("./~") or "commands") or word == "pkg:x"


def test_a_plan_changes_nothing_that_is_in_force(world: World) -> None:
    """Until it is applied; what it has built goes with it."""
    plan = plan_add(str(world.pack), world.environ)
    assert (plan.edit.after, world.config.exists()) == (LINK, False)
    assert (list_names(world.environ), [spec.name for spec in plan.hooks]) == ([], ["guard"])
    discard(plan)

    assert world.versions == []


@pytest.mark.process
def test_a_pack_runs_after_its_approval_only(world: World) -> None:
    """Unlike other hooks of your own files, it has no first use."""
    world.add()
    assert world.config.read_text() == LINK
    assert (find_states(world), fire(world), fire(world)) == (["new"], Stance.SILENT, Stance.SILENT)
    approve_all(world)

    assert (find_states(world), fire(world)) == (["approved"], Stance.DENY)
    (spec,) = world.engine().hooks
    assert spec.id == "my-pack/hookline.yaml#tool.before.guard"


@pytest.mark.process
def test_no_way_to_load_the_users_file_is_an_approval(world: World) -> None:
    """Neither without a gate, nor by naming the file that names the pack."""
    world.add()
    engines = (
        world.engine(trust="user"),
        Engine.load(world.config, environ=world.environ),
        world.engine(trust="all"),
    )
    found = [each.fire("PreToolUse", CALL, dialect="claude-code") for each in engines]

    assert [each.stance for each in found] == [Stance.ASK, Stance.ASK, Stance.DENY]
    assert [each.reason == "no" for each in found] == [False, False, True]


@pytest.mark.process
def test_an_edited_guard_of_a_pack_asks(world: World) -> None:
    """As that of a project; also where a file that it only reads changed."""
    (world.pack / "rules.json").write_text("{}")
    world.add()
    approve_all(world)
    (pack,) = list_packs(world.environ)
    with open(f"{pack.root}/files/rules.json", "w", encoding="utf-8") as file:
        file.write("[]")

    assert (find_states(world), fire(world)) == (["changed"], Stance.ASK)


@pytest.mark.process
def test_an_update_shows_what_differs_and_waits_again(world: World) -> None:
    """The old version stays until the plan is applied, and goes then."""
    world.add()
    approve_all(world)
    old = world.versions
    apply(plan_update("my-pack", world.environ), world.environ)
    assert (world.versions, find_states(world)) == (old, ["approved"])
    world.write_guard(GUARD.replace("no", "never"))
    plan = plan_update("my-pack", world.environ)
    assert "-echo 'no' >&2\n+echo 'never' >&2\n" in plan.diff
    assert (fire(world), len(world.versions)) == (Stance.DENY, 2)
    apply(plan, world.environ)

    assert (len(world.versions), world.versions == old) == (1, False)
    assert (find_states(world), fire(world)) == (["changed"], Stance.ASK)
    assert world.config.read_text() == LINK


def test_an_engine_that_runs_sees_an_update(world: World) -> None:
    """As that of a server: the link leads to other files."""
    world.add()
    engine = world.engine()
    assert not is_stale(engine.loader)
    world.write_guard(GUARD + "# new\n")
    apply(plan_update("my-pack", world.environ), world.environ)
    assert is_stale(engine.loader)
    engine.reload()

    (spec,) = engine.hooks
    assert os.path.exists(spec.handler.script.split()[0])


def test_an_installation_that_was_cut_off_is_made_again(world: World) -> None:
    """After the files are there, and before the user's file names them."""
    world.add()
    world.config.unlink()
    world.add()

    assert (find_states(world), world.config.read_text()) == (["new"], LINK)


def test_discarding_a_plan_without_news_removes_nothing(world: World) -> None:
    """What is in force stays."""
    world.add()
    discard(plan_update("my-pack", world.environ))

    assert check_pack("my-pack", world.environ) == []


def test_a_declined_update_leaves_everything(world: World) -> None:
    """And nothing behind."""
    world.add()
    approve_all(world)
    old = world.versions
    world.write_guard(GUARD + "# new\n")
    discard(plan_update("my-pack", world.environ))

    assert (world.versions, find_states(world)) == (old, ["approved"])


def test_a_damaged_pack_is_installed_again(world: World) -> None:
    """By an update, whose diff shows the damage."""
    world.add()
    (pack,) = list_packs(world.environ)
    with open(f"{pack.root}/files/guard.sh", "a", encoding="utf-8") as file:
        file.write("# edited\n")
    plan = plan_update("my-pack", world.environ)
    assert "\n-# edited\n" in plan.diff
    apply(plan, world.environ)

    assert check_pack("my-pack", world.environ) == []


def test_a_removed_pack_leaves_nothing(world: World) -> None:
    """Neither an entry, nor files, nor approvals that hookline would miss; others stay."""
    world.config.parent.mkdir(parents=True)
    before = "# mine\nversion: 1\nhooks:\n  - on: stop\n    context: x\n"
    world.config.write_text(before)
    world.config.chmod(0o640)
    world.add()
    approve_all(world)
    records: list[object] = []
    apply(plan_remove("./my-pack", world.environ), world.environ, records.append)

    assert (world.config.read_text(), world.config.stat().st_mode & 0o777) == (before, 0o640)
    assert (world.versions, list_names(world.environ)) == ([], [])
    assert (list_removed(world.engine()), len(records)) == ([], 1)
    world.add()
    assert "new" in find_states(world)


def test_a_pack_whose_files_are_gone_can_be_removed(world: World) -> None:
    """Until then its guards count as failed."""
    world.add()
    (world.home / ".local/share/hookline/packs/my-pack").unlink()
    assert {problem.code for problem in world.engine().problems} == {"HKL8003"}
    apply(plan_remove("my-pack", world.environ), world.environ)

    assert not world.config.exists()


def test_a_file_that_cannot_be_edited_keeps_its_bytes(world: World) -> None:
    """And the pack is not installed."""
    world.config.parent.mkdir(parents=True)
    world.config.write_text("version: 1\nsources: [{path: x}]\n")
    with pytest.raises(ConfigError, match="cannot be edited"):
        plan_add(str(world.pack), world.environ)

    assert (world.versions, list_names(world.environ)) == ([], [])


def test_names_that_mean_no_pack(world: World) -> None:
    """They have a hint; a pack that is there is updated, not added."""
    world.add()
    for plan in (plan_update, plan_remove):
        with pytest.raises(ConfigError, match="there is no pack `my-pac`") as caught:
            plan("my-pac", world.environ)
        assert caught.value.hint == "did you mean `my-pack`?"
    with pytest.raises(ConfigError, match="hookline update my-pack"):
        plan_add(str(world.pack), world.environ)


# -- packages ------------------------------------------------------------------------------------


@pytest.mark.process
def test_a_package_comes_with_what_it_needs_and_runs_nothing(world: World) -> None:
    """Each wheel and each file has its hash; a new version of what it needs is an update."""
    world.wheel("helper-of-pack", "1.0", {"helper_of_pack.py": "1 / 0\n"}, entry="", requires="")
    world.offer("1.2.0", requires="helper-of-pack")
    world.add("pkg:my-guards")
    (pack,) = list_packs(world.environ)
    assert (pack.version, pack.source) == ("1.2.0", "pkg:my-guards")
    assert [name.split("-")[0] for name in pack.wheels] == ["helper_of_pack", "my_guards"]
    assert "venv/bin/my-guard" in pack.files
    assert find_states(world) == ["new", "new"]
    world.wheel("helper-of-pack", "1.1", {"helper_of_pack.py": "2 / 0\n"}, entry="", requires="")
    plan = plan_update("my-guards", world.environ)
    assert "\n-helper_of_pack-1.0-py3-none-any.whl sha256:" in plan.diff
    assert (world.has_run(), list_modules()) == (False, set())
    discard(plan)
    approve_all(world)
    assert (fire(world), world.has_run()) == (Stance.SILENT, True)

    assert (check_pack("my-guards", world.environ), find_states(world)) == ([], ["approved"] * 2)
