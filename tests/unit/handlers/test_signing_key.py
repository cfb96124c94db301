"""Does nobody but its user have the key, and does everybody with it find the same seal?"""

from __future__ import annotations

import hashlib
import os
import subprocess
import sys
from pathlib import Path

import pytest

from hookline.handlers.signing_key import is_signed, load_key, sign
from hookline.paths import state_folder

SOURCE = str(Path(__file__).parents[3] / "src")


@pytest.fixture
def environ(tmp_path: Path) -> dict[str, str]:
    """Of somebody who has no key yet."""
    return {"HOME": str(tmp_path)}


def path_of(environ: dict[str, str]) -> Path:
    return Path(state_folder(environ)) / "firing.key"


def test_a_key_is_made_when_it_is_first_needed_and_then_stays(environ: dict[str, str]) -> None:
    """Only its user may read it."""
    assert load_key(environ) == b""
    key = load_key(environ, make=True)

    assert (len(key), load_key(environ, make=True), load_key(environ)) == (32, key, key)
    assert path_of(environ).stat().st_mode & 0o777 == 0o600
    assert path_of(environ).parent.stat().st_mode & 0o777 == 0o700
    assert os.listdir(path_of(environ).parent) == ["firing.key"]


@pytest.mark.parametrize(
    ("environ", "folder"),
    [
        ({"HOME": "/h"}, "/h/.local/state/hookline"),
        ({"HOME": "/h", "XDG_STATE_HOME": "/s"}, "/s/hookline"),
        ({"HOME": "/h", "XDG_STATE_HOME": "s"}, "/h/.local/state/hookline"),
        ({}, os.path.expanduser("~/.local/state/hookline")),
    ],
)
def test_what_lasts_is_below_the_home(environ: dict[str, str], folder: str) -> None:
    """Or where the user has it."""
    assert state_folder(environ) == folder


@pytest.mark.parametrize(
    "what",
    [
        "read by others",
        "written by others",
        "short",
        "long",
        "empty",
        "link",
        "folder",
        "pipe",
        "somebody else's",
    ],
)
def test_what_is_no_secret_is_no_key(
    what: str, environ: dict[str, str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Nor is it replaced."""
    load_key(environ, make=True)
    path = path_of(environ)
    if what.endswith("others"):
        path.chmod(0o640 if what.startswith("read") else 0o602)
    elif what in ("short", "long", "empty"):
        path.write_bytes(b"x" * {"short": 31, "long": 33, "empty": 0}[what])
    elif what == "somebody else's":
        mine = os.geteuid()
        monkeypatch.setattr("os.geteuid", lambda: mine + 1)
    else:
        path.rename(tmp_path / "key")
        {
            "link": lambda: path.symlink_to(tmp_path / "key"),
            "folder": path.mkdir,
            "pipe": lambda: os.mkfifo(path, 0o600),
        }[what]()
    before = path.lstat()

    assert load_key(environ, make=True) == b""
    assert path.lstat() == before


@pytest.mark.parametrize(
    "environ",
    [{}, {"HOME": "/no/such/home"}, {"HOME": "/dev/null"}, {"XDG_STATE_HOME": "/dev/null/state"}],
)
def test_where_nothing_can_be_kept_there_is_no_key(
    environ: dict[str, str], monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    """And no home is made for it."""
    monkeypatch.setenv("HOME", str(tmp_path))

    assert load_key(environ, make=True) == b""
    assert not os.path.exists("/no/such/home")
    assert os.listdir(tmp_path) == []


@pytest.mark.process
def test_of_many_who_make_a_key_at_once_all_have_one(environ: dict[str, str]) -> None:
    """That of whoever was the first."""
    code = f"import sys; sys.path.insert(0, {SOURCE!r}); from hookline.handlers.signing_key import load_key; print(load_key({environ!r}, make=True).hex())"
    running = [
        subprocess.Popen([sys.executable, "-S", "-c", code], stdout=subprocess.PIPE, text=True)
        for _ in range(6)
    ]

    assert {each.communicate()[0].strip() for each in running} == {load_key(environ).hex()}
    assert os.listdir(path_of(environ).parent) == ["firing.key"]


@pytest.mark.parametrize("text", ["", "tool.before:1:2:x", "\u00fc\ud800" * 100])
def test_a_seal_is_made_with_the_key(text: str) -> None:
    """A keyed BLAKE2s, as the standard library has it."""
    key = bytes(range(32))

    assert (
        sign(key, text)
        == hashlib.blake2s(
            text.encode("utf-8", "surrogatepass"), key=key, digest_size=16
        ).hexdigest()
    )
    assert is_signed(key, text, sign(key, text))
    for wrong in ("", sign(key, text)[:-1], sign(key, f"{text}x"), sign(key[:-1], text), "\ud800"):
        assert not is_signed(key, text, wrong)
    assert not is_signed(b"", text, sign(b"", text))
