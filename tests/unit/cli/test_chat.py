"""`hookline chat`: the answer of a chat, and who may approve by it."""

from __future__ import annotations

import io
import sys
from typing import TYPE_CHECKING

import pytest

from hookline.cli.app import app_main
from tests.unit.engine.workspaces import Workspace

if TYPE_CHECKING:
    from pathlib import Path


@pytest.fixture
def place(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Workspace:
    """A workspace in which the command is started."""
    made = Workspace(tmp_path / "person")
    for name, value in made.environ.items():
        monkeypatch.setenv(name, value)
    monkeypatch.setenv("HOME", made.environ["HOME"])
    monkeypatch.setattr(sys, "stdin", io.StringIO())
    monkeypatch.chdir(made.root)
    return made


def test_the_words_of_a_command_may_stand_apart(
    place: Workspace, capfd: pytest.CaptureFixture[str]
) -> None:
    """In one argument or in several."""
    codes = [app_main(["chat", "/hooks list"]), app_main(["chat", "/hooks", "list"])]
    lines = capfd.readouterr().out.splitlines()

    assert codes == [0, 0]
    assert lines.count("hooks: ON") == 2
    assert any(str(place.guard) in line for line in lines)


def test_a_hook_is_approved_by_a_person_or_by_yes(
    place: Workspace, capfd: pytest.CaptureFixture[str]
) -> None:
    """Without a terminal only `--yes` does."""
    refused = app_main(["chat", f"/hooks approve {place.guard}"])
    said = capfd.readouterr()
    approved = app_main(["chat", "--yes", f"/hooks approve {place.guard}"])

    assert (refused, approved) == (2, 0)
    assert "no person is at the terminal" in said.err
    assert capfd.readouterr().out.startswith("✓ approved: ")


@pytest.mark.usefixtures("place")
def test_a_refusal_is_a_finding() -> None:
    """A command that matches no hook exits with 1."""
    assert app_main(["chat", "/hooks revoke no-such-thing"]) == 1
