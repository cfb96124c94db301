"""A desk to type at."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from tests.unit.cli.support import Desk

if TYPE_CHECKING:
    from pathlib import Path


@pytest.fixture
def desk(
    capfd: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> Desk:
    """An empty folder, an empty home, no colours."""
    for name in (
        "NO_COLOR",
        "FORCE_COLOR",
        "CLICOLOR_FORCE",
        "HOOKLINE_COLOR",
        "XDG_CONFIG_HOME",
        "XDG_STATE_HOME",
        "XDG_DATA_HOME",
        "CLAUDE_CONFIG_DIR",
    ):
        monkeypatch.delenv(name, raising=False)
    (tmp_path / "home").mkdir()
    (tmp_path / "here").mkdir()
    monkeypatch.setenv("HOME", str(tmp_path / "home"))
    monkeypatch.chdir(tmp_path / "here")
    return Desk(capfd, monkeypatch, tmp_path / "here")
