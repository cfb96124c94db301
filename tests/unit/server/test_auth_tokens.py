"""The token's file is made once, and used only if no other user may read it."""

from __future__ import annotations

import os
import stat
from typing import TYPE_CHECKING

import pytest

from hookline.errors import ConfigError
from hookline.server.auth import default_token_path, read_token

if TYPE_CHECKING:
    from pathlib import Path


def test_a_missing_file_is_made_with_a_new_token(tmp_path: Path) -> None:
    """Only its user can read file and folders. The next start reads the same token."""
    path = tmp_path / "state" / "hookline" / "token"
    token = read_token(str(path))

    assert len(token) >= 32
    assert stat.S_IMODE(path.stat().st_mode) == 0o600
    assert stat.S_IMODE(path.parent.stat().st_mode) == 0o700
    assert read_token(str(path)) == token
    assert read_token(str(tmp_path / "another")) != token


@pytest.mark.parametrize(
    ("text", "mode", "why"),
    [
        ("0123456789abcdef", 0o644, "may be read by others"),
        ("0123456789abcdef", 0o620, "may be read by others"),
        ("", 0o600, "holds no token"),
        ("short", 0o600, "holds no token"),
        ("two words of a token", 0o600, "holds no token"),
        ("an old token\nand a new one", 0o600, "holds no token"),
        ("umläute-gehören-hier-nicht-hin", 0o600, "holds no token"),
    ],
)
def test_a_file_that_is_not_safe_is_not_used(
    text: str, mode: int, why: str, tmp_path: Path
) -> None:
    """It is an error with a hint, and the file stays as it is."""
    path = tmp_path / "token"
    path.write_text(text, encoding="utf-8")
    path.chmod(mode)

    with pytest.raises(ConfigError, match=why) as error:
        read_token(str(path))
    assert error.value.code == "HKL5003"
    assert path.read_text(encoding="utf-8") == text


@pytest.mark.parametrize(
    "make",
    [lambda path: path.mkdir(), lambda path: path.symlink_to("/etc/hostname"), os.mkfifo],
    ids=["dir", "link", "fifo"],
)
def test_what_is_no_file_is_not_used(make, tmp_path: Path) -> None:
    """Reading follows no link, and waits for no fifo."""
    make(tmp_path / "token")

    with pytest.raises(ConfigError, match="token file"):
        read_token(str(tmp_path / "token"))


@pytest.mark.parametrize(
    ("environ", "place"),
    [
        ({"HOME": "/h"}, "/h/.local/state/hookline/serve.token"),
        ({"HOME": "/h", "XDG_STATE_HOME": "/s"}, "/s/hookline/serve.token"),
        ({"HOME": "/h", "XDG_STATE_HOME": "relative"}, "/h/.local/state/hookline/serve.token"),
    ],
)
def test_it_is_in_the_state_folder(environ: dict[str, str], place: str) -> None:
    """The XDG rules name that folder."""
    assert default_token_path(environ) == place
