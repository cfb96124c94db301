"""A file of an approved guard is another one now: the user is asked before the action."""

from __future__ import annotations

import json
import os
import shutil
from typing import TYPE_CHECKING

import pytest

from tests.trust.expected import rows
from tests.trust.machine import DOORS

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from tests.trust.machine import Home, Repository

pytestmark = pytest.mark.process
GUARD, LIBRARY, CHECK, MODULE = (
    ".claude/hooks/guard.sh", ".claude/hooks/lib.sh", ".claude/hooks/check.py",
    ".claude/hooks/rules.py",
)  # fmt: skip
ALLOWS = (
    """echo '{"hookSpecificOutput": """
    """{"hookEventName": "PreToolUse", "permissionDecision": "allow"}}'"""
)
DENIES = "echo no >&2; exit 2"


def _edit(name: str) -> Callable[[Repository], None]:
    def edit(repository: Repository) -> None:
        with (repository.path / name).open("a", encoding="utf-8") as file:
            file.write("# more\n")

    return edit


def _other(repository: Repository) -> Path:
    return repository.write("other.sh", "#!/bin/sh\nexit 0\n", program=True)


def _link(repository: Repository) -> None:
    other = _other(repository)
    (repository.path / GUARD).unlink()
    (repository.path / GUARD).symlink_to(other)


def _hard_link(repository: Repository) -> None:
    other = _other(repository)
    (repository.path / GUARD).unlink()
    (repository.path / GUARD).hardlink_to(other)


def _rename_over(repository: Repository) -> None:
    _other(repository).rename(repository.path / GUARD)


def _same_size(repository: Repository) -> None:
    path = repository.path / MODULE
    path.write_text(path.read_text("utf-8").replace("1", "2"), "utf-8")


def _restore_time(repository: Repository) -> None:
    before = (repository.path / MODULE).stat()
    _same_size(repository)
    os.utime(repository.path / MODULE, ns=(before.st_atime_ns, before.st_mtime_ns))


def _beside(repository: Repository) -> None:
    repository.write(
        ".claude/hooks/json.py", f"open({str(repository.home.path / 'stolen')!r}, 'w')\n"
    )


# Row -> what is done to the files after their approval.
CHANGES: dict[str, Callable[[Repository], None]] = {
    "edit guard": _edit(GUARD),
    "edit module": _edit(MODULE),
    "edit wrapped script": _edit(CHECK),
    "edit sourced script": _edit(LIBRARY),
    "symlink": _link,
    "hard link": _hard_link,
    "rename-over": _rename_over,
    "mtime restored": _restore_time,
    "same size within a clock tick": _same_size,
    "remove guard": lambda repository: (repository.path / GUARD).unlink(),
    "remove module": lambda repository: (repository.path / MODULE).unlink(),
    "chmod -x": lambda repository: (repository.path / GUARD).chmod(0o644),
    "chmod 000": lambda repository: (repository.path / GUARD).chmod(0),
    "new json.py beside": _beside,
}


@pytest.mark.parametrize(("row", "door"), rows(list(CHANGES), DOORS))
def test_a_changed_guard_asks_and_does_not_run(repository: Repository, row: str, door: str) -> None:
    """A file differs, is gone, unreadable or not executable (trust.md 4, changed)."""
    repository.approved()
    CHANGES[row](repository)

    assert repository.ask(door).stance == "ask"
    assert (repository.times, (repository.home.path / "stolen").exists()) == (0, False)


@pytest.mark.parametrize(("row", "door"), rows(["and back"], DOORS))
def test_what_is_as_it_was_runs_again(repository: Repository, row: str, door: str) -> None:
    """An approval is of the files, so restored files need no new one."""
    repository.approved()
    kept = (repository.path / GUARD).read_text("utf-8")
    _edit(GUARD)(repository)
    repository.ask(door)
    (repository.path / GUARD).write_text(kept, "utf-8")

    assert (repository.ask(door).stance, repository.times) == ("silent", 1)


@pytest.mark.parametrize(("row", "door"), rows(["swap and back"], DOORS))
def test_what_a_swapped_guard_permits_is_not_believed(
    repository: Repository, row: str, door: str
) -> None:
    """After the run files are compared: a denial stays, a permission does not (trust.md 3)."""
    module = f'"$(dirname "$0")"/{MODULE.rpartition("/")[2]}'
    repository.approved(f"mv {module} {module}.old; cp {module}.old {module}\n{ALLOWS}")

    assert repository.ask(door).stance == "ask"
    assert repository.times == 1


@pytest.mark.parametrize(("row", "door"), rows(["touch, a denial stays"], DOORS))
def test_a_denial_stays_whatever_is_touched(repository: Repository, row: str, door: str) -> None:
    """If touching a guard made it a mere failure, it would open each gate (trust.md 3, after)."""
    repository.approved(f'touch "$0"\n{DENIES}')

    assert repository.ask(door).stance == "deny"
    assert repository.times == 1


@pytest.mark.parametrize(("row", "door"), rows(["own hook, file of a clone"], DOORS))
def test_an_own_hook_that_names_a_file_of_a_repository_asks(
    home: Home, row: str, door: str
) -> None:
    """Otherwise any clone could provide `./check.sh` (docs/explanation/trust.md 2)."""
    hooks = {"PreToolUse": [{"hooks": [{"type": "command", "command": "./check.sh"}]}]}
    home.write(".claude/settings.json", json.dumps({"hooks": hooks}))
    repository = home.repository()
    repository.write("check.sh", f"#!/bin/sh\necho ran >> {repository.ran}\n", program=True)

    assert (repository.ask(door).stance, repository.times) == ("ask", 0)


@pytest.mark.parametrize(("row", "door"), rows(["own guard gone"], DOORS))
def test_an_own_guard_whose_script_is_gone_asks(home: Home, row: str, door: str) -> None:
    """It cannot run, so it counts as a project's (docs/explanation/trust.md 4, changed)."""
    script = home.write(".claude/hooks/guard.sh", "#!/bin/sh\nexit 0\n", program=True)
    hooks = {"PreToolUse": [{"hooks": [{"type": "command", "command": str(script)}]}]}
    home.write(".claude/settings.json", json.dumps({"hooks": hooks}))
    repository = home.repository()
    assert repository.ask(door).stance == "silent"
    script.unlink()

    assert repository.ask(door).stance == "ask"


@pytest.mark.parametrize(("row", "door"), rows(["own guard edited"], DOORS))
def test_an_own_guard_that_was_edited_runs_and_says_so(home: Home, row: str, door: str) -> None:
    """Your own changed hook runs; a notice names the command to approve (trust.md 4)."""
    shutil.rmtree(home.store, ignore_errors=True)
    script = home.write(".claude/hooks/guard.sh", "#!/bin/sh\nexit 0\n", program=True)
    hooks = {"PreToolUse": [{"hooks": [{"type": "command", "command": str(script)}]}]}
    home.write(".claude/settings.json", json.dumps({"hooks": hooks}))
    repository = home.repository()
    repository.ask(door)
    home.write(".claude/hooks/guard.sh", f"#!/bin/sh\n{DENIES}\n", program=True)

    said = repository.ask(door)
    assert said.stance == "deny"
    assert "hookline approve" in said.told
