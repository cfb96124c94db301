"""The token's file is made once, and used only if nobody else may read it."""

from __future__ import annotations

import os
import stat
from typing import TYPE_CHECKING

import pytest

from hookline.errors import ConfigError
from hookline.server.auth import copy_token_beside, default_token_path, read_token

if TYPE_CHECKING:
    from pathlib import Path


def test_a_missing_file_is_made_with_a_new_token(tmp_path: Path) -> None:
    """For its user only, folders included; the next start finds the same one."""
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
    """Links are not followed, and nothing is waited for."""
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
def test_it_lies_beside_the_state(environ: dict[str, str], place: str) -> None:
    """As the XDG rules say."""
    assert default_token_path(environ) == place


# -- beside a socket -------------------------------------------------------------------------------

SECRET = "a-token-of-tests-0123456789"  # noqa: S105 - of tests


def test_the_token_lies_beside_the_socket(tmp_path: Path) -> None:
    """For its user only, each time as it is now."""
    environ = {"HOME": str(tmp_path / "home")}
    path = tmp_path / "s.sock.token"

    assert copy_token_beside(str(tmp_path / "s.sock"), "an-older-token-0123456789", environ) == str(
        path
    )
    assert copy_token_beside(str(tmp_path / "s.sock"), SECRET, environ) == str(path)
    assert (path.read_text(encoding="ascii"), stat.S_IMODE(path.stat().st_mode)) == (
        f"{SECRET}\n",
        0o600,
    )
    assert os.listdir(tmp_path) == ["s.sock.token"]


def test_in_the_folder_of_the_state_it_lies_there_already(tmp_path: Path) -> None:
    """Nothing is written twice."""
    environ = {"XDG_STATE_HOME": str(tmp_path)}
    (tmp_path / "hookline").mkdir()

    assert copy_token_beside(
        str(tmp_path / "hookline/s.sock"), SECRET, environ
    ) == default_token_path(environ)
    assert os.listdir(tmp_path / "hookline") == []


@pytest.mark.parametrize("there", ["a link", "a folder", "no folder to lie in"])
def test_what_is_there_already_is_not_overwritten(there: str, tmp_path: Path) -> None:
    """Neither what it points at is written, nor is anything left behind."""
    elsewhere, folder = tmp_path / "elsewhere", tmp_path / "run"
    elsewhere.write_text("mine", encoding="ascii")
    if there != "no folder to lie in":
        folder.mkdir()
        (folder / "s.token").symlink_to(elsewhere) if there == "a link" else (
            folder / "s.token"
        ).mkdir()
    else:
        folder.write_text("", encoding="ascii")

    with pytest.raises(ConfigError) as raised:
        copy_token_beside(str(folder / "s"), SECRET, {"HOME": str(tmp_path)})

    assert raised.value.name == "serve.token"
    assert elsewhere.read_text(encoding="ascii") == "mine"
    assert not list(tmp_path.rglob("*.new"))
