"""Owners: which project, folder or plugin a hook belongs to."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from hookline.model.spec import Command, Origin
from hookline.model.verdict import Stance
from hookline.paths import is_below
from hookline.trust.owner import Owner, digest_definition, find_owner, find_project
from tests.unit.trust.support import World, hook

if TYPE_CHECKING:
    from pathlib import Path


def project(world: World, folder: Path) -> Owner:
    """Return the project of a folder."""
    found = find_project(str(folder), world.environ)
    assert found is not None
    return found


def test_linked_worktrees_share_an_owner_and_forged_ones_do_not(world: World) -> None:
    """The repository has to point back at the worktree (docs/explanation/trust.md 2)."""
    entry = world.project / ".git/worktrees/w"
    entry.mkdir(parents=True)
    (tree := world.folder / "tree").mkdir()
    (tree / ".git").write_text(f"gitdir: {entry}\n")
    key = project(world, world.project).key

    assert project(world, tree).key != key
    (entry / "gitdir").write_text(f"{tree}/.git\n")
    assert project(world, tree).key == key
    assert project(world, tree).root == str(tree)
    (entry / "gitdir").write_text(f"{world.folder}/other/.git\n")
    assert project(world, tree).key != key


def test_a_linked_git_folder_is_no_repository(world: World) -> None:
    """A tarball would inherit approvals."""
    (world.project / ".git").mkdir()
    (tree := world.folder / "tree").mkdir()
    (tree / ".git").symlink_to(world.project / ".git")

    assert project(world, tree).key != project(world, world.project).key


def test_projects_of_one_repository_have_owners_of_their_own(world: World) -> None:
    """A monorepo has several projects; a link to one is that one."""
    (world.project / ".git").mkdir()
    (inner := world.project / "packages/a").mkdir(parents=True)
    (link := world.folder / "link").symlink_to(inner)

    assert project(world, inner).key != project(world, world.project).key
    assert project(world, link).key == project(world, inner).key
    assert project(world, inner).root == str(world.project)


def test_the_home_is_no_project(world: World) -> None:
    """Folders around it are none either, and a repository of the home does not own its files."""
    (world.home / ".git").mkdir()
    (inner := world.home / "code").mkdir()

    assert find_project(str(world.home), world.environ) is None
    assert find_project(str(world.folder), world.environ) is None
    assert project(world, inner).root == str(inner)


@pytest.mark.parametrize(
    ("one", "other", "same"),
    [
        ("/h/.claude/plugins/cache/m/p/1.0", "/h/.claude/plugins/cache/m/p/2.0", True),
        ("/h/.claude/plugins/cache/m/p/1.0", "/h/.claude/plugins/cache/m/q/1.0", False),
    ],
)
def test_a_plugin_is_its_name_without_version(one: str, other: str, *, same: bool) -> None:
    """An update asks for no new approval of what did not change."""
    keys = [
        find_owner(hook(scope="user", facts={"plugin": each}), None).key for each in (one, other)
    ]

    assert (keys[0] == keys[1]) is same


def test_an_own_hook_belongs_to_its_folder(world: World) -> None:
    """Hooks of one settings folder have one owner, whatever the project is."""
    found = project(world, world.project)
    here = find_owner(hook(scope="user", file=f"{world.home}/.claude/settings.json"), found)
    there = find_owner(hook(scope="user", file=f"{world.home}/.codex/hooks.json"), None)

    assert here.key.startswith("own-")
    assert here.key != there.key
    assert find_owner(hook(), found) is found


def test_below_is_by_whole_names() -> None:
    """A folder lies in itself."""
    assert is_below("/a/b", "/a")
    assert is_below("/a", "/a")
    assert not is_below("/ab", "/a")
    assert is_below("/a", "/")


SPEC = hook("./guard.sh")


@pytest.mark.parametrize(
    "change",
    [
        {"dialect": "codex"},
        {"native_event": "PostToolUse"},
        {"handler": Command(argv=("./other.sh",))},
        {"handler": Command(argv=("./guard.sh",), env={"A": "1"})},
        {"timeout": 0.001},
        {"detached": True},
        {"once": True},
        {"shadow": True},
        {"sworn": {"role": "guard"}},
        {"facts": {"fail_closed": True}},
        {"facts": {"on_error": "block"}},
    ],
)
def test_what_an_entry_does_is_part_of_it(change: dict[str, Any]) -> None:
    """A limit of 1 ms and `async` disarm a guard (docs/explanation/trust.md 2)."""
    assert digest_definition(SPEC.replace(**change)) != digest_definition(SPEC)


@pytest.mark.parametrize(
    "change",
    [
        {"id": "other"},
        {"name": "other"},
        {"rank": 5},
        {"strict": True},
        {"match_tools": "canonical"},
        {"on_failure": Stance.DENY},
        {"facts": {"fail_closed": False, "directory": "guard", "description": "denies"}},
        {"origin": Origin(file="/elsewhere", line=9, scope="project")},
        {"handler": Command(argv=("./guard.sh",), kill_leftovers=True, host_env={"A": "1"})},
    ],
)
def test_names_places_and_options_are_no_part_of_it(change: dict[str, Any]) -> None:
    """They ask for no new approval."""
    assert digest_definition(SPEC.replace(**change)) == digest_definition(SPEC)


def test_the_folder_of_the_owner_stands_for_itself() -> None:
    """A linked worktree, or a plugin of another version, has the same definition."""
    here, there = hook("/a/guard.sh", "/a"), hook("/b/c/guard.sh", "/b/c")

    assert digest_definition(here, ["/a"]) == digest_definition(there, ["/b/c"])
    assert digest_definition(here, ["/a"]) != digest_definition(there, ["/b"])
    assert digest_definition(here, ["/", ""]) == digest_definition(here)
