"""Keys last longer than the process, and are for nobody else."""

from __future__ import annotations

import os
import stat
from typing import TYPE_CHECKING

import pytest

from hookline import ConfigError
from hookline.remote.resume_keys import ResumeKeys

if TYPE_CHECKING:
    from pathlib import Path


def test_a_key_is_there_again(tmp_path: Path) -> None:
    """In a file that only its user can read."""
    path = tmp_path / "keys"
    ResumeKeys(str(path)).store("unix:/a", "secret")
    again = ResumeKeys(str(path))

    assert (again.find("unix:/a"), again.find("unix:/b")) == ("secret", "")
    assert stat.S_IMODE(path.stat().st_mode) == 0o600
    assert os.listdir(tmp_path) == ["keys"]


def test_without_a_file_keys_are_those_of_the_process() -> None:
    """They are known as long as it lives."""
    keys = ResumeKeys()
    keys.store("unix:/a", "secret")

    assert keys.find("unix:/a") == "secret"


WRONG = [
    ("no JSON", "{", 0o600, "holds no keys"),
    ("no keys", '{"a": 1}', 0o600, "holds no keys"),
    ("others may read it", "{}", 0o644, "may be read by others"),
]


@pytest.mark.parametrize(
    ("text", "mode", "said"), [row[1:] for row in WRONG], ids=[row[0] for row in WRONG]
)
def test_a_file_that_is_none_of_ours_is_refused(
    tmp_path: Path, text: str, mode: int, said: str
) -> None:
    """And left as it is."""
    path = tmp_path / "keys"
    path.write_text(text, encoding="utf-8")
    path.chmod(mode)

    with pytest.raises(ConfigError, match=said) as caught:
        ResumeKeys(str(path))
    assert caught.value.code == "HKL5108"
    assert path.read_text(encoding="utf-8") == text


def test_a_link_is_not_followed(tmp_path: Path) -> None:
    """It may lead to somebody else's file."""
    (tmp_path / "real").write_text("{}", encoding="utf-8")
    (tmp_path / "link").symlink_to(tmp_path / "real")

    with pytest.raises(ConfigError, match="cannot be read"):
        ResumeKeys(str(tmp_path / "link"))


def test_a_file_that_cannot_be_written_is_told(tmp_path: Path) -> None:
    """Whoever relies on it must know."""
    with pytest.raises(ConfigError, match="cannot be written"):
        ResumeKeys(str(tmp_path / "missing" / "keys")).store("a", "b")
