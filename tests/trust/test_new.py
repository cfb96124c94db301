"""What looks like an approved repository and is another one: its hooks are new, and do not run."""

from __future__ import annotations

import shutil
from typing import TYPE_CHECKING

import pytest

from tests.trust.expected import rows
from tests.trust.machine import DOORS, Repository

if TYPE_CHECKING:
    from collections.abc import Callable

pytestmark = pytest.mark.process


def _beside(repository: Repository, name: str) -> Repository:
    """A folder with the guard's files and settings, and nothing of git."""
    other = Repository(repository.home, repository.path.parent / name)
    shutil.copytree(repository.path, other.path, ignore=shutil.ignore_patterns(".git"))
    return other


def _clone(repository: Repository) -> Repository:
    other = Repository(repository.home, repository.path.parent / "clone")
    repository.git("clone", "-q", ".", str(other.path))
    return other


def _submodule(repository: Repository) -> Repository:
    outer = repository.home.repository("code/outer")
    outer.git(
        "-c", "protocol.file.allow=always", "submodule", "add", "-q", str(repository.path), "inner"
    )
    return Repository(repository.home, outer.path / "inner")


def _forged(repository: Repository) -> Repository:
    """A `.git` file that leads to a worktree's entry which does not point back."""
    (repository.path / ".git/worktrees/x").mkdir(parents=True)
    (repository.path / ".git/worktrees/x/gitdir").write_text("/nowhere/.git\n", "utf-8")
    other = _beside(repository, "forged")
    other.write(".git", f"gitdir: {repository.path}/.git/worktrees/x\n")
    return other


def _linked(repository: Repository) -> Repository:
    other = _beside(repository, "linked")
    (other.path / ".git").symlink_to(repository.path / ".git")
    return other


def _inside(repository: Repository) -> Repository:
    other = Repository(repository.home, repository.path / "packages/other")
    shutil.copytree(repository.path / ".claude", other.path / ".claude")
    return other


COPIES: dict[str, Callable[[Repository], Repository]] = {
    "second clone": _clone,
    "submodule": _submodule,
    "forged .git": _forged,
    "linked .git": _linked,
    "another project of the monorepo": _inside,
}


@pytest.mark.parametrize(("row", "door"), rows(list(COPIES), DOORS))
def test_another_repository_inherits_no_approval(
    repository: Repository, row: str, door: str
) -> None:
    """A clone, fork, submodule, moved folder is new.

    A tarball must inherit no approval (docs/explanation/trust.md 2, the owner).
    """
    repository.approved()
    other = COPIES[row](repository)

    assert other.ask(door).stance == "silent"
    assert repository.times == 0
