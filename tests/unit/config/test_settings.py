"""Settings: what one person chose, read once, and a mistake in it named with its place."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from hookline.config.settings import TABLES, read_settings, settings_path
from hookline.errors import ConfigError
from hookline.journal.journal import default_folder
from hookline.journal.log_files import LogFiles
from hookline.journal.records import PayloadPolicy
from hookline.trust.state import Policy


@pytest.fixture
def environ(tmp_path: Path) -> dict[str, str]:
    """A home with a folder for settings."""
    (tmp_path / ".config" / "hookline").mkdir(parents=True)
    return {"HOME": str(tmp_path)}


def write(environ: dict[str, str], text: str | bytes) -> None:
    """Write the settings."""
    Path(settings_path(environ)).write_bytes(text if isinstance(text, bytes) else text.encode())


def test_without_a_file_nothing_is_set(environ: dict[str, str]) -> None:
    """A missing file is no mistake."""
    assert read_settings(environ) == {}


def test_what_is_set_is_read(environ: dict[str, str]) -> None:
    """And read again when the file changed."""
    write(
        environ,
        '[journal]\nenabled = true\npayload = "masked"\nkeep_days = 7\nkeep_mb = 0\nsync = false\n'
        'path = "/x"\n',
    )
    first = read_settings(environ)
    assert first["journal"] == {
        "enabled": True,
        "payload": "masked",
        "keep_days": 7,
        "keep_mb": 0,
        "sync": False,
        "path": "/x",
    }

    write(environ, "[journal]\nkeep_days = 8\n")
    assert read_settings(environ)["journal"] == {"keep_days": 8}


def test_it_lies_where_the_xdg_rules_say(tmp_path: Path) -> None:
    """A relative value is ignored."""
    assert settings_path({"HOME": "/h"}) == "/h/.config/hookline/settings.toml"
    assert (
        settings_path({"HOME": "/h", "XDG_CONFIG_HOME": str(tmp_path)})
        == f"{tmp_path}/hookline/settings.toml"
    )
    assert (
        settings_path({"HOME": "/h", "XDG_CONFIG_HOME": "x"}) == "/h/.config/hookline/settings.toml"
    )


MISTAKES = [
    ("[jurnal]\n", "1:2: HKL1101 unknown table `jurnal` (did you mean `journal`?)"),
    (
        "[journal]\nkeep_day = 3\n",
        "2:1: HKL1101 unknown key `keep_day` (did you mean `keep_days`?)",
    ),
    (
        '[journal]\npayload = "all"\n',
        "2:1: HKL1403 `journal.payload` is `all` (one of hash, masked, full)",
    ),
    (
        '\n[journal]\nkeep_days = "3"\n',
        "3:1: HKL1401 `journal.keep_days` is `3` (expected a whole number)",
    ),
    (
        "[journal]\nkeep_days = true\n",
        "2:1: HKL1401 `journal.keep_days` is `True` (expected a whole number)",
    ),
    ("[journal]\nkeep_days = -1\n", "2:1: HKL1402 `journal.keep_days` is `-1` (at least 0)"),
    ("journal = 3\n", "1:1: HKL1401 `journal` is no table (write `[journal]`)"),
    ("[journal\n", ": HKL1001 not TOML: "),
    (b"\xff\xfe", ":1:1: HKL1003 not UTF-8 text"),
]


@pytest.mark.parametrize(("text", "told"), MISTAKES)
def test_a_mistake_is_named_with_its_place(
    text: str | bytes, told: str, environ: dict[str, str]
) -> None:
    """File, line, column, code, and what to write instead."""
    write(environ, text)

    with pytest.raises(ConfigError) as caught:
        read_settings(environ)
    assert str(caught.value).startswith(settings_path(environ))
    assert told in str(caught.value)


def test_what_cannot_be_read_is_said(environ: dict[str, str]) -> None:
    """A folder in its place, or a file without an end."""
    os.mkdir(settings_path(environ))

    with pytest.raises(ConfigError, match="HKL1003"):
        read_settings(environ)


def test_the_defaults_that_are_told_are_those_of_the_journal(tmp_path: Path) -> None:
    """The default on the page is what happens without the key."""
    told = {key: row.default for key, row in TABLES["journal"].items()}
    trail = LogFiles(str(tmp_path))

    assert told == {
        "enabled": True,
        "payload": PayloadPolicy().how,
        "keep_days": trail.keep_days,
        "keep_mb": trail.keep_bytes >> 20,
        "sync": trail.sync,
        "path": default_folder({"HOME": str(tmp_path)}).replace(str(tmp_path), "~"),
    }


@pytest.mark.parametrize("key", Policy.__fields__)
def test_the_defaults_that_are_told_are_those_of_the_policy(key: str) -> None:
    """And each value that may be chosen is one of the policy's."""
    row = TABLES["trust"][key]

    assert row.default == getattr(Policy(), key)
    assert row.choices[0] == row.default


def test_every_key_of_the_policy_is_a_setting() -> None:
    """And beside those there is only who may approve without a token."""
    assert set(TABLES["trust"]) == {*Policy.__fields__, "self_approve"}


def test_settings_that_are_a_pipe_are_an_error_at_once(environ: dict[str, str]) -> None:
    """No command waits for a writer that may never come."""
    os.mkfifo(settings_path(environ))
    with pytest.raises(ConfigError, match="is no plain file"):
        read_settings(environ)
