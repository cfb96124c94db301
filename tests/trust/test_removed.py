"""An approved guard without a definition: the user gets a notice at each action (removed)."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import pytest

from tests.trust.expected import rows
from tests.trust.machine import DOORS

if TYPE_CHECKING:
    from collections.abc import Callable

    from tests.trust.machine import Repository

pytestmark = pytest.mark.process
SETTINGS = ".claude/settings.json"


def _folder(repository: Repository) -> None:
    (repository.path / SETTINGS).unlink()
    (repository.path / SETTINGS).mkdir()


# Row -> what is done to the definition after its approval.
REMOVALS: dict[str, Callable[[Repository], object]] = {
    "entry gone": lambda repository: repository.write(
        SETTINGS, json.dumps({"hooks": {"PreToolUse": []}})
    ),
    "narrowed": lambda repository: repository.declare(matcher="Bash|Nothing"),
    "narrowed away": lambda repository: repository.declare(matcher="Nothing"),
    "exit 0": lambda repository: repository.declare("exit 0"),
    "timeout 0.001": lambda repository: repository.declare(timeout=0.001),
    "async": lambda repository: repository.declare(**{"async": True}),
    "settings emptied": lambda repository: repository.write(SETTINGS, ""),
    "settings deleted": lambda repository: (repository.path / SETTINGS).unlink(),
    "settings a folder": _folder,
}


@pytest.mark.parametrize(("row", "door"), rows(list(REMOVALS), DOORS))
def test_a_removed_guard_is_missed_at_each_action(
    repository: Repository, row: str, door: str
) -> None:
    """The notice names the command that ends it (docs/explanation/trust.md 4)."""
    repository.approved()
    REMOVALS[row](repository)

    for _ in range(2):
        said = repository.ask(door)
        assert said.stance == "silent"
        assert "hookline approve" in said.told
    assert repository.times == 0


@pytest.mark.parametrize(("row", "door"), rows(list(REMOVALS), DOORS))
def test_in_strict_mode_a_removed_guard_asks(repository: Repository, row: str, door: str) -> None:
    """It is `ask` in strict mode (docs/explanation/trust.md 4, removed)."""
    repository.approved()
    REMOVALS[row](repository)

    assert repository.ask(door, mode="strict").stance == "ask"
    assert repository.times == 0
