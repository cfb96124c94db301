"""The state of a hook before a run."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

import pytest

from hookline.engine.approval_service import approve
from hookline.model.spec import Broken, Http, InProcess
from hookline.trust.state import (
    APPROVED,
    CHANGED,
    NEW,
    OWN,
    PROJECT,
    REVOKED,
    is_of_root,
    list_differences,
)
from tests.unit.trust.support import World, hook

if TYPE_CHECKING:
    from hookline.model.spec import HookSpec


def approved(world: World, spec: HookSpec) -> HookSpec:
    """Approve a hook as it is now."""
    gate = world.gate()
    approve(gate, [world.state(spec, gate)])
    return spec


def test_a_projects_hook_is_new_then_approved_then_changed(world: World) -> None:
    """It is approved again once its file is restored."""
    guard = world.script("a")
    spec = hook("./guard.sh")
    assert (world.state(spec).state, world.state(spec).column) == (NEW, PROJECT)
    approved(world, spec)
    assert world.state(spec).state == APPROVED
    world.script("b")
    found = world.state(spec)
    assert (found.state, found.reason) == (CHANGED, "`guard.sh` changed")
    world.script("a")
    assert world.state(spec).state == APPROVED
    guard.chmod(0o644)

    found = world.state(spec)
    assert (found.state, found.can_run) == (CHANGED, False)
    assert "not executable" in found.reason


def test_an_edited_definition_is_new(world: World) -> None:
    """The former one is removed; pairing them is a guess that the editor steers."""
    world.script("a")
    spec = approved(world, hook("./guard.sh"))

    assert world.state(spec.replace(timeout=1.0)).state == NEW
    assert world.state(spec.replace(name="other", rank=3)).state == APPROVED


def test_two_versions_are_approved_at_once(world: World) -> None:
    """Two branches must not fight over one approval."""
    world.script("a")
    spec = approved(world, hook("./guard.sh"))
    world.script("b")
    approved(world, spec)
    world.script("a")

    assert world.state(spec).state == APPROVED


def test_an_own_hook_has_its_own_column(world: World) -> None:
    """Unless its dialect asks for consent (docs/explanation/trust.md 2)."""
    script = world.script("a", path=world.home / "guard.sh")
    spec = hook(str(script), scope="user", file=f"{world.home}/.claude/settings.json")

    assert world.state(spec).column == OWN
    assert world.state(spec.replace(dialect="hermes")).column == PROJECT


def test_an_own_hook_that_runs_a_projects_file_is_changed_there(world: World) -> None:
    """Otherwise any clone could provide `./guard.sh`, until it is approved there."""
    world.script("a")
    spec = hook("./guard.sh", scope="user", file=f"{world.home}/.claude/settings.json")
    found = world.state(spec)
    assert (found.state, found.column) == (CHANGED, PROJECT)
    assert "guard.sh" in found.reason
    approved(world, spec)

    assert world.state(spec).state == APPROVED
    (other := world.folder / "other").mkdir()
    world.project = other
    world.script("a")
    assert world.state(spec).state == CHANGED


def test_a_missing_program_is_changed(world: World) -> None:
    """A guard that cannot start guards nothing."""
    world.script("a")
    spec = approved(world, hook("./guard.sh"))
    os.unlink(world.project / "guard.sh")
    found = world.state(spec)

    assert (found.state, found.can_run) == (CHANGED, False)
    assert "guard.sh" in found.reason


@pytest.mark.parametrize(
    "spec",
    [
        hook("./guard.sh", scope="explicit"),
        hook(scope="process", handler=InProcess(call=print)),
        hook("./guard.sh", scope="process"),
    ],
)
def test_what_the_user_named_needs_no_approval(world: World, spec: HookSpec) -> None:
    """Also where nothing of it is there."""
    found = world.state(spec)

    assert (found.state, found.column) == (APPROVED, "")


def test_a_named_file_can_ask_for_approvals(world: World) -> None:
    """With `trust="approved"` it has the project's column."""
    world.script("a")
    spec = hook("./guard.sh", scope="explicit", gated=True)
    assert (world.state(spec).state, world.state(spec).column) == (NEW, PROJECT)

    assert world.state(approved(world, spec)).state == APPROVED


def test_a_hook_that_cannot_be_loaded_is_new(world: World) -> None:
    """A project's decides nothing; the user's own fails as its failure rule says."""
    broken = Broken(reason="no such key")

    assert (world.state(hook(handler=broken)).state, world.state(hook(handler=broken)).column) == (
        NEW, PROJECT,
    )  # fmt: skip
    assert world.state(hook(handler=broken, scope="user")).column == ""


def test_an_address_is_approved_by_its_definition(world: World) -> None:
    """It has no files."""
    spec = approved(world, hook(handler=Http(url="https://a.example")))

    assert world.state(spec).state == APPROVED
    assert world.state(spec.replace(handler=Http(url="https://b.example"))).state == NEW


def test_a_store_that_cannot_be_read_is_changed(world: World) -> None:
    """Never new."""
    world.script("a")
    spec = approved(world, hook("./guard.sh"))
    for path in (world.store / "approvals").rglob("*.json"):
        path.write_bytes(b"\0")
    found = world.state(spec)

    assert found.state == CHANGED


def test_revoked_is_a_state_of_its_own(world: World) -> None:
    """Whatever its files are."""
    world.script("a")
    spec = approved(world, hook("./guard.sh"))
    gate = world.gate()
    gate.store.revoke([gate.to_approval(world.state(spec, gate), how="test")])
    world.script("b")

    assert world.state(spec).state == REVOKED


def test_differences_are_told_by_file(world: World) -> None:
    """Changed, new, gone, and the bits that count."""
    world.script("a")
    (world.project / "guard.sh").write_text("#!/bin/sh\n. ./lib.sh\n")
    world.script("lib", path=world.project / "lib.sh")
    spec = hook("./guard.sh")
    gate = world.gate()
    before = gate.to_approval(world.state(spec, gate), how="test")
    assert list_differences(before, world.state(spec).inspection) == []
    (world.project / "lib.sh").chmod(0o777)
    assert list_differences(before, world.state(spec).inspection) == [
        "`lib.sh` is writable by all users now"
    ]
    (world.project / "guard.sh").write_text("#!/bin/sh\n. ./other.sh\n")
    world.script("lib", path=world.project / "other.sh")

    assert sorted(list_differences(before, world.state(spec).inspection)) == [
        "`guard.sh` changed", "`lib.sh` is gone", "`other.sh` is new",
    ]  # fmt: skip


def test_which_files_are_roots(world: World) -> None:
    """A file that others may write to is not, nor is a missing one."""
    world.project.chmod(0o777)
    file = world.script("a")

    assert not is_of_root(str(file))
    assert not is_of_root(str(world.project / "none"))
    world.project.chmod(0o755)
    assert is_of_root(str(file)) is (os.geteuid() == 0)


def test_an_own_python_hook_is_the_same_from_each_folder(
    world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Its files have no root, and the working folder stands for none."""
    script = world.home / "hooks/guard.py"
    script.parent.mkdir()
    script.write_text("import rules\n", encoding="utf-8")
    (script.parent / "rules.py").write_text("LIMIT = 1\n", encoding="utf-8")
    spec = hook("python3", str(script), scope="user", file=f"{world.home}/.claude/settings.json")
    found = []
    for folder in (world.project, world.home, script.parent):
        monkeypatch.chdir(folder)
        found.append([each.key for each in world.state(spec).inspection.files])

    assert found == [[str(script), str(script.parent / "rules.py")]] * 3
