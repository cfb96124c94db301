"""Project environment: variables that a repository sets are left out."""

from __future__ import annotations

import json
import os
from typing import TYPE_CHECKING, Any

import pytest

from hookline.config import project_env
from hookline.config.project_env import HOMES, SYSTEM_PATH, account_home, drop_project_env

if TYPE_CHECKING:
    from pathlib import Path

SETTINGS, LOCAL = ".claude/settings.json", ".claude/settings.local.json"
GUARDED = (
    "CODEX_HOME", "XDG_STATE_HOME", "XDG_DATA_DIRS", "HOOKLINE", "HOOKLINE_MODEL", "BASH_ENV",
    "ENV", "NODE_OPTIONS", "PYTHONPATH",
    "LD_PRELOAD", "DYLD_INSERT_LIBRARIES", "PERL5LIB", "RUBYOPT", "GIT_DIR",
)  # fmt: skip


class Clone:
    """The account's home, and a repository in it."""

    def __init__(self, folder: Path) -> None:
        self.home, self.root = folder / "home", folder / "home/code/clone"
        (self.root / ".git").mkdir(parents=True)
        (self.root / "sub").mkdir()

    def settings(self, text: str, name: str = SETTINGS) -> str:
        """Write settings of the repository, and return their path."""
        path = self.root / name
        path.parent.mkdir(exist_ok=True)
        path.write_text(text, "utf-8", "surrogateescape")
        return str(path)

    def env(self, name: str = SETTINGS, **variables: Any) -> str:
        """Write settings that set these variables."""
        return self.settings(json.dumps({"env": variables}), name)

    def dropped(self, folder: str = "", home: str = "", **environ: str) -> dict[str, str]:
        """What is left out of an environment in the repository."""
        given = {"HOME": str(self.home), **environ}
        return dict(drop_project_env(given, str(self.root / folder), home).dropped)


@pytest.fixture
def clone(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Clone:
    """A repository that sets nothing."""
    made = Clone(tmp_path.resolve())
    monkeypatch.setattr(project_env, "account_home", lambda: str(made.home))
    return made


@pytest.mark.parametrize("name", [SETTINGS, LOCAL])
@pytest.mark.parametrize("variable", GUARDED)
def test_what_settings_of_the_repository_set_is_left_out(
    variable: str, name: str, clone: Clone
) -> None:
    """The report names the file, and all other variables stay."""
    file = clone.env(name, **{variable: "x", "OTHER": "x"})
    given = {"HOME": str(clone.home), variable: "x", "OTHER": "x"}

    found = drop_project_env(given, str(clone.root))

    assert found.environ == {"HOME": str(clone.home), "OTHER": "x"}
    assert found.dropped == {variable: file}
    assert found.problem is not None
    assert found.problem.code == "HKL3023"
    assert (found.problem.origin.file, f"`{variable}`" in found.problem.message) == (file, True)
    assert "--home" in found.problem.hint


def test_instead_of_home_and_path_those_of_the_system_count(clone: Clone) -> None:
    """Programs are found, and the user's files are where they were."""
    clone.env(HOME="/evil", PATH="/evil/bin")

    found = drop_project_env({"HOME": "/evil", "PATH": "/evil/bin"}, str(clone.root))

    assert found.environ == {"HOME": str(clone.home), "PATH": SYSTEM_PATH}


def test_a_home_that_was_named_counts(clone: Clone, tmp_path: Path) -> None:
    """It wins over settings and environment."""
    clone.env(HOME="/evil")

    found = drop_project_env({"HOME": "/evil"}, str(clone.root), str(tmp_path))

    assert (found.environ, found.dropped) == ({"HOME": str(tmp_path)}, {})


@pytest.mark.parametrize("variable", sorted(HOMES - {"HOME"}))
@pytest.mark.parametrize("value", ["{root}", "{root}/.mine", "./.mine"])
def test_a_variable_that_leads_into_the_repository_does_not_count(
    variable: str, value: str, clone: Clone, monkeypatch: pytest.MonkeyPatch
) -> None:
    """As `CODEX_HOME=./.codex`, also below the top of the repository."""
    monkeypatch.chdir(clone.root / "sub")

    assert clone.dropped("sub", **{variable: value.format(root=clone.root)}) == {variable: ""}
    assert clone.dropped("sub", **{variable: str(clone.root.parent)}) == {}


@pytest.mark.parametrize("home", ["{root}", "{root}/fake", "{root}/sub/.."])
def test_a_home_in_the_repository_does_not_count(home: str, clone: Clone) -> None:
    """That of the account counts."""
    given = {"HOME": home.format(root=clone.root)}

    assert drop_project_env(given, str(clone.root)).environ == {"HOME": str(clone.home)}


def test_another_home_than_the_accounts_counts(clone: Clone, tmp_path: Path) -> None:
    """Its own settings are no repository's, but for what they say of the home itself."""
    home = tmp_path / "other"
    (home / ".claude").mkdir(parents=True)
    own = home / SETTINGS
    own.write_text('{"env": {"PATH": "/mine"}}', "utf-8")
    given = {"HOME": str(home), "PATH": "/mine"}

    assert drop_project_env(given, str(home)).dropped == {}
    assert drop_project_env(given, str(home / "code")).dropped == {}
    assert drop_project_env({**given, "CODEX_HOME": str(home)}, str(clone.root)).dropped == {}
    own.write_text('{"env": {"HOME": "/x"}}', "utf-8")
    assert drop_project_env(given, str(home)).dropped == {"HOME": str(own)}


@pytest.mark.parametrize(
    "text",
    [
        '\ufeff{"env": {"ENV": "x"}}',
        '{"env": {"\\u0045NV": "x"}}',
        '{"env": {"ENV": ["x"]}}',
        '{"env": {"ENV": "\udcff"}}',
        '{"env": {"ENV": "x" /* a comment */}}',
        '{"env": {"ENV": "x"}, "deep": ' + "[" * 100_000,
        '{"padding": "' + "x" * (1 << 20) + '"}',
    ],
    ids=["BOM", "escape", "list", "no UTF-8", "comment", "deep", "large"],
)
def test_however_a_host_may_read_the_file(text: str, clone: Clone) -> None:
    """A key of any reader sets the variable."""
    file = clone.settings(text)

    assert clone.dropped(ENV="x") == {"ENV": file}


@pytest.mark.parametrize(
    "text",
    [
        "",
        "[",
        "[1]",
        '{"hooks": {',
        '{"env": ["ENV"]}',
        '{"env": {"OTHER": "$ENV"}, "hooks": {"ENV": 1}}',
    ],
)
def test_what_sets_no_such_variable_drops_nothing(text: str, clone: Clone) -> None:
    """The environment is the very same object."""
    clone.settings(text)
    given = {"HOME": str(clone.home), "ENV": "x"}

    assert drop_project_env(given, str(clone.root)).environ is given


@pytest.mark.parametrize("what", ["pipe", "device", "closed", "loop"])
def test_a_file_that_cannot_be_read_sets_all(what: str, clone: Clone) -> None:
    """No command waits for it."""
    path = clone.root / SETTINGS
    path.parent.mkdir()
    if what == "pipe":
        os.mkfifo(path)
    elif what == "device":
        path.symlink_to("/dev/zero")
    elif what == "loop":
        path.symlink_to(path.name)
    else:
        path.write_text("{}", "utf-8")
        path.chmod(0)
        if os.access(path, os.R_OK):
            pytest.skip("root reads every file")

    assert clone.dropped(ENV="x", OTHER="x", HOOKLINE="0") == {
        "ENV": str(path),
        "HOOKLINE": str(path),
    }


def test_a_folder_in_the_place_of_the_file_sets_nothing(clone: Clone) -> None:
    """No host reads it."""
    (clone.root / SETTINGS).mkdir(parents=True)

    assert clone.dropped(ENV="x") == {}


def test_settings_are_looked_for_where_a_host_may_have_been_started(
    clone: Clone, tmp_path: Path
) -> None:
    """From the folder up to the outermost repository, and in the project that the host names.

    Never in the home.
    """
    file = clone.env(ENV="x")
    (clone.root / "sub/.git").mkdir()
    (clone.home / ".claude").mkdir()
    (clone.home / SETTINGS).write_text('{"env": {"ENV": "x"}}', "utf-8")

    assert clone.dropped("sub", ENV="x") == {"ENV": file}
    outside = {"HOME": str(clone.home), "ENV": "x"}
    assert drop_project_env(outside, str(tmp_path)).dropped == {}
    named = {**outside, "CLAUDE_PROJECT_DIR": str(clone.root)}
    assert drop_project_env(named, str(tmp_path)).dropped == {"ENV": file}


def test_the_account_has_a_home() -> None:
    """Or there is the root of the file system."""
    assert os.path.isabs(account_home())
