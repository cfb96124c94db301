"""A host's file is replaced as a whole, through links, and keeps its mode."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from hookline.bridges.host_files import make_change, read_file, write_file
from hookline.errors import ConfigError

if TYPE_CHECKING:
    from pathlib import Path


def test_a_change_is_shown_as_a_diff(tmp_path: Path) -> None:
    """A new file comes from nothing, and a missing line end is named."""
    path = str(tmp_path / "a")

    assert make_change(path, b"a\n", b"a\nb\n").diff().splitlines()[-2:] == [" a", "+b"]
    new = make_change(path, None, b"a").diff()
    assert new.startswith("--- /dev/null\n")
    assert "no newline" in new


@pytest.mark.parametrize("mode", [0o600, 0o640, 0o755])
def test_the_mode_stays(tmp_path: Path, mode: int) -> None:
    """Settings may hold secrets."""
    path = tmp_path / "settings.json"
    path.write_bytes(b"{}")
    path.chmod(mode)

    write_file(str(path), b"[]", 0o644)

    assert (path.read_bytes(), path.stat().st_mode & 0o777) == (b"[]", mode)
    assert [each.name for each in tmp_path.iterdir()] == ["settings.json"]


def test_a_new_file_has_its_folders_and_its_mode(tmp_path: Path) -> None:
    """And nothing is left when it is removed again."""
    path = tmp_path / "a/b/script"

    write_file(str(path), b"x", 0o755)
    assert path.stat().st_mode & 0o777 == 0o755
    write_file(str(path), None, 0)
    write_file(str(path), None, 0)
    assert not path.exists()


def test_what_is_no_plain_file_is_an_error(tmp_path: Path) -> None:
    """A missing one is None."""
    assert read_file(str(tmp_path / "none")) is None
    with pytest.raises(ConfigError, match="no plain file"):
        read_file(str(tmp_path))
    (tmp_path / "large").write_bytes(bytes(9 << 20))
    with pytest.raises(ConfigError, match="8 MiB"):
        read_file(str(tmp_path / "large"))
