"""An approved hook runs wherever it is the same, and an unchanged one is never `changed`."""

from __future__ import annotations

import json
import subprocess
import sys
from typing import TYPE_CHECKING

import pytest

import hookline
from tests.trust.expected import rows
from tests.trust.machine import DOORS, Repository

if TYPE_CHECKING:
    from tests.trust.machine import Home

pytestmark = pytest.mark.process
LIBRARY = ".claude/hooks/lib.sh"


def _worktree(repository: Repository, branch: str) -> Repository:
    other = Repository(repository.home, repository.path.parent / branch)
    repository.git("worktree", "add", "-q", "-b", branch, str(other.path))
    return other


@pytest.mark.parametrize(("row", "door"), rows(["runs"], DOORS))
def test_an_approved_guard_runs(repository: Repository, row: str, door: str) -> None:
    """Every door has the same rules (docs/explanation/trust.md 4)."""
    repository.approved("echo no >&2; exit 2")

    assert (repository.ask(door).stance, repository.times) == ("deny", 1)


@pytest.mark.parametrize(("row", "door"), rows(["git worktree add"], DOORS))
def test_linked_worktrees_share_an_approval(repository: Repository, row: str, door: str) -> None:
    """Linked worktrees share.

    They are the same repository (docs/explanation/trust.md 2, the owner).
    """
    repository.approved()
    other = _worktree(repository, "feature")

    assert (other.ask(door).stance, repository.times) == ("silent", 1)


@pytest.mark.parametrize(("row", "door"), rows(["two worktrees, two versions"], DOORS))
def test_two_worktrees_hold_two_approved_versions(
    repository: Repository, row: str, door: str
) -> None:
    """Two branches or worktrees must not fight over one hash (docs/explanation/trust.md 6)."""
    repository.approved()
    other = _worktree(repository, "feature")
    other.write(LIBRARY, "NAME=other\n")
    other.approve()

    assert (repository.ask(door).stance, other.ask(door).stance) == ("silent", "silent")
    assert repository.times == 2


@pytest.mark.parametrize(("row", "door"), rows(["a branch and back"], DOORS))
def test_a_branch_and_back_needs_no_second_approval(
    repository: Repository, row: str, door: str
) -> None:
    """The last versions of the files stay approved (docs/explanation/trust.md 6)."""
    repository.approved()
    repository.git("checkout", "-q", "-b", "feature")
    repository.write(LIBRARY, "NAME=other\n")
    repository.commit()
    repository.approve()
    repository.git("checkout", "-q", "-")

    assert (repository.ask(door).stance, repository.times) == ("silent", 1)


@pytest.mark.parametrize(("row", "door"), rows(["interpreter moved"], DOORS))
def test_an_interpreter_that_moves_disarms_nothing(
    repository: Repository, row: str, door: str
) -> None:
    """An upgrade of a program on PATH must not disable guards (docs/explanation/trust.md 2)."""
    repository.approved("echo no >&2; exit 2")
    folder = repository.home.path / "bin"
    folder.mkdir()
    (folder / "python3").symlink_to(sys.executable)

    path = f"{folder}:{repository.home.environ['PATH']}"
    assert (repository.ask(door, PATH=path).stance, repository.times) == ("deny", 1)


@pytest.mark.parametrize(("row", "door"), rows(["honest hooks"], DOORS))
def test_a_hook_that_logs_beside_itself_never_changes(
    repository: Repository, row: str, door: str
) -> None:
    """A new entry in a folder changes no covered file (docs/explanation/trust.md 3, after)."""
    repository.approved('echo "$NAME" >> "$(dirname "$0")/guard.log"')
    said = [repository.ask(door) for _ in range(3)]

    assert [each.stance for each in said] == ["silent"] * 3
    assert "changed" not in "".join(each.told for each in said)
    assert repository.times == 3


def test_two_processes_approve_at_once(repository: Repository) -> None:
    """Every order and every kill is safe without a lock (docs/explanation/trust.md 6)."""
    repository.guard().commit()
    words = (sys.executable, "-I", "-m", "hookline", "approve", "--all", "--yes")
    both = [
        subprocess.Popen(
            words, cwd=repository.path, env=repository.home.environ, stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
        )
        for _ in range(2)
    ]  # fmt: skip
    for each in both:
        each.wait(60)

    assert (repository.ask("answer").stance, repository.times) == ("silent", 1)


def test_revoked_wins(repository: Repository) -> None:
    """A revoked hook runs only after a new approval (docs/explanation/trust.md 4)."""
    repository.approved()
    assert repository.hookline("revoke", ".claude/settings.json").returncode == 0
    assert (repository.ask("answer").stance, repository.times) == ("silent", 0)
    repository.hookline("approve", ".claude/settings.json", "--yes")

    assert (repository.ask("answer").stance, repository.times) == ("silent", 1)


def test_approvals_count_in_python(repository: Repository, monkeypatch: pytest.MonkeyPatch) -> None:
    """`Engine.discover(trust="approved")` runs approved hooks only (trust.md 5)."""
    repository.approved("echo no >&2; exit 2")
    for name, value in repository.home.environ.items():
        monkeypatch.setenv(name, value)
    for name in ("XDG_STATE_HOME", "XDG_CONFIG_HOME"):
        monkeypatch.delenv(name, raising=False)
    with hookline.Engine.discover(repository.path, trust="approved") as engine:
        decision = engine.fire("PreToolUse", repository.call(), dialect="claude-code")

    assert decision.stance.name == "DENY"


@pytest.mark.parametrize(("row", "door"), rows(["damaged", "a folder for each file"], DOORS))
def test_a_store_that_cannot_be_read_asks(repository: Repository, row: str, door: str) -> None:
    """Hooks of an unreadable store count as changed, never as new (docs/explanation/trust.md 4)."""
    repository.approved()
    for path in [path for path in repository.home.store.rglob("*") if path.is_file()]:
        if row == "damaged":
            path.write_bytes(b"\0garbage\xff")
        else:
            path.unlink()
            path.mkdir()

    assert repository.ask(door).stance == "ask"
    assert repository.times == 0


@pytest.mark.parametrize(("row", "door"), rows(["first use that cannot be recorded"], DOORS))
def test_a_first_use_that_cannot_be_recorded_runs_with_a_notice(
    home: Home, row: str, door: str
) -> None:
    """A file stands where the store's folder belongs; a full disk is alike (trust.md 6)."""
    script = home.write(".claude/hooks/own.sh", "#!/bin/sh\necho no >&2\nexit 2\n", program=True)
    hooks = {"PreToolUse": [{"hooks": [{"type": "command", "command": str(script)}]}]}
    home.write(".claude/settings.json", json.dumps({"hooks": hooks}))
    home.write(".local/state/hookline", "")
    repository = home.repository()

    said = repository.ask(door)
    assert said.stance == "deny"
    assert "hookline" in said.told.removeprefix("no")
