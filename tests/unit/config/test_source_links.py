"""The user's file links to a file of hooks, and does not any more."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from hookline.config.source_links import apply_edit, has_link, plan_link, plan_unlink
from hookline.errors import ConfigError

if TYPE_CHECKING:
    from pathlib import Path

LINK = "sources:\n  - path: ~/packs/a/hookline.yaml\n    dialect: hookline\n"


class Home:
    """A home, whose `hookline.yaml` is a link to a file elsewhere."""

    def __init__(self, folder: Path) -> None:
        self.environ = {"HOME": str(folder)}
        self.hooks = f"{folder}/packs/a/hookline.yaml"
        self.target = folder / "dotfiles/hookline.yaml"
        self.target.parent.mkdir()
        self.file = folder / ".config/hookline/hookline.yaml"
        self.file.parent.mkdir(parents=True)
        self.file.symlink_to(self.target)

    def link(self) -> None:
        apply_edit(plan_link(self.hooks, self.environ))

    def unlink(self) -> None:
        apply_edit(plan_unlink(self.hooks, self.environ))


@pytest.fixture
def home(tmp_path: Path) -> Home:
    """As above."""
    return Home(tmp_path)


def test_a_link_comes_and_goes_with_its_file(home: Home) -> None:
    """Through a link to the file; a new one is for the user alone."""
    assert not has_link(home.hooks, home.environ)
    home.link()
    assert (home.target.read_text(), home.target.stat().st_mode & 0o777) == (
        f"version: 1\n{LINK}",
        0o600,
    )
    assert has_link(home.hooks, home.environ)
    home.unlink()

    assert (home.target.exists(), home.file.is_symlink()) == (False, True)


def test_everything_else_stays(home: Home) -> None:
    """Each byte, and the mode."""
    text = "# mine\nversion: 1\nsources:\n  - path: b  # c\n\nhooks:\n  - on: stop\n    deny: x\n"
    home.target.write_text(text)
    home.target.chmod(0o644)
    home.link()
    assert home.target.read_text() != text
    home.unlink()

    assert (home.target.read_text(), home.target.stat().st_mode & 0o777) == (text, 0o644)


@pytest.mark.parametrize("path", ["~/packs/a/hookline.yaml", "{}", "../../packs/a/./hookline.yaml"])
def test_a_link_counts_however_it_is_written(home: Home, path: str) -> None:
    """From the home, as a whole, or from the folder of the file; it stays as it is."""
    text = f"version: 1\nsources:\n  - path: {path.format(home.hooks)}\n    mode: strict\n"
    home.target.write_text(text)
    assert has_link(home.hooks, home.environ)
    home.link()
    assert home.target.read_text() == text
    home.unlink()

    assert not home.target.exists()


@pytest.mark.parametrize("text", ["version: 1\nsources: [{path: x}]\n", "- x\n", "version: [\n"])
def test_a_file_that_cannot_be_edited_is_an_error(home: Home, text: str) -> None:
    """And keeps its bytes."""
    home.target.write_text(text)
    with pytest.raises(ConfigError, match="HKL1009 cannot be edited"):
        home.link()

    assert home.target.read_text() == text
