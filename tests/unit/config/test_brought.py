"""Whose word is a variable that a clone's files have the host set?"""

from __future__ import annotations

import json
import os
from typing import TYPE_CHECKING

import pytest

from hookline.config import brought as module
from hookline.config.brought import OWN, brought, disown

if TYPE_CHECKING:
    from pathlib import Path

CLAUDE, LOCAL, GEMINI, DOTENV = ".claude/settings.json", ".claude/settings.local.json", ".gemini/.env", ".env"


class Clone:
    """A home, and a repository in it."""

    def __init__(self, folder: Path) -> None:
        self.home, self.root = folder / "home", folder / "home/work/clone"
        (self.root / ".git").mkdir(parents=True)
        (self.root / "sub").mkdir()
        self.environ = {"HOME": str(self.home)}

    def write(self, path: str, text: str) -> str:
        file = self.root / path
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text, encoding="utf-8")
        return str(file)


@pytest.fixture
def clone(tmp_path: Path) -> Clone:
    """Nothing sets anything yet."""
    return Clone(tmp_path.resolve())


@pytest.mark.parametrize(
    ("path", "text", "value", "theirs"),
    [
        (CLAUDE, '{"env": {"HOOKLINE": "0"}}', "0", True),
        (CLAUDE, '{"env": {"HOOKLINE": 0}}', "0", True),
        (CLAUDE, '{"env": {"HOOKLINE": false}}', "false", True),
        (CLAUDE, '{"env": {"HOOKLINE": "${X:-0}"}}', "0", True),
        (CLAUDE, '{"env": {"HOOKLINE": "1"}}', "0", False),
        (CLAUDE, '{"env": {"OTHER": "0"}}', "0", False),
        (CLAUDE, '{"env": ["HOOKLINE"]}', "0", False),
        (CLAUDE, '["env"]', "0", False),
        (CLAUDE, "{", "0", False),
        (CLAUDE, "[" * 100_000, "0", False),
        (CLAUDE, "", "0", False),
        (LOCAL, '{"env": {"HOOKLINE": "off"}}', "off", True),
        (GEMINI, "HOOKLINE=0\n", "0", True),
        (DOTENV, "# one\nexport HOOKLINE = '0' # no hooks\n", "0", True),
        (DOTENV, 'A=1\nHOOKLINE="0"', "0", True),
        (DOTENV, "HOOKLINE=0 # no hooks", "0", True),
        (DOTENV, "#HOOKLINE=0", "0", False),
        (DOTENV, "HOOKLINE\nXHOOKLINE=0", "0", False),
        ("settings.json", '{"env": {"HOOKLINE": "0"}}', "0", False),
    ],
)
def test_what_a_projects_file_sets_is_its_word(path: str, text: str, value: str, theirs: bool, clone: Clone) -> None:  # noqa: FBT001 - a row
    """Where it is what is set; another value was set by somebody else."""
    file = clone.write(path, text)

    assert brought(["HOOKLINE", "HOOKLINE_SKIP"], [str(clone.root)], {**clone.environ, "HOOKLINE": value}) == (
        {"HOOKLINE": file} if theirs else {}
    )


def test_a_project_is_looked_for_where_its_host_says_it_is(clone: Clone, tmp_path: Path) -> None:
    """In a folder, above it as far as its repository, and in the variable of its host; never in the home."""
    environ = {**clone.environ, "HOOKLINE": "0"}
    file = clone.write(CLAUDE, '{"env": {"HOOKLINE": "0"}}')
    (clone.home / ".claude").mkdir()
    (clone.home / CLAUDE).write_text('{"env": {"HOOKLINE": "0"}}', encoding="utf-8")

    assert brought(["HOOKLINE"], [str(clone.root / "sub")], environ) == {"HOOKLINE": file}
    assert brought(["HOOKLINE"], [str(tmp_path)], {**environ, "CLAUDE_PROJECT_DIR": str(clone.root)}) == {"HOOKLINE": file}
    assert brought(["HOOKLINE"], [str(clone.home), str(clone.home / "work"), "", "/no/such"], environ) == {}
    (clone.root / "sub/.git").mkdir()
    assert brought(["HOOKLINE"], [str(clone.root / "sub")], environ) == {}


@pytest.mark.process
def test_a_pipe_is_not_waited_for(clone: Clone) -> None:
    """Only plain files are read."""
    (clone.root / ".claude").mkdir()
    os.mkfifo(clone.root / CLAUDE)

    assert brought(["HOOKLINE"], [str(clone.root)], {**clone.environ, "HOOKLINE": "0"}) == {}


def test_nothing_is_looked_up_where_nothing_is_set(clone: Clone, monkeypatch: pytest.MonkeyPatch) -> None:
    """Most people never set any of these."""
    monkeypatch.setattr(module, "_places", lambda *_: pytest.fail("looked"))
    monkeypatch.setattr(module, "_own_home", lambda: str(clone.home))

    assert brought(["HOOKLINE"], [str(clone.root)], clone.environ) == {}
    assert disown(dict(clone.environ)) == ()


@pytest.mark.parametrize("name", OWN)
def test_what_only_the_user_may_say_is_left_out(name: str, clone: Clone, monkeypatch: pytest.MonkeyPatch) -> None:
    """It is told by which file, and what else is set stays."""
    monkeypatch.setattr(module, "_own_home", lambda: str(clone.home))
    monkeypatch.chdir(clone.root / "sub")
    value = "/proc/self/cwd/.mine"
    file = clone.write(CLAUDE, json.dumps({"env": {name: value, "OTHER": "1"}}))
    environ = {**clone.environ, "OTHER": "1", name: value}

    told = disown(environ)

    assert environ == {**clone.environ, "OTHER": "1"}
    assert [(problem.code, problem.origin.file) for problem in told] == [("HKL3023", file)]
    assert told[0].message.startswith(f"`{name}` tells {OWN[name]};")
    own = {**clone.environ, name: "/the/users/own"}
    assert disown(own) == ()
    assert own[name] == "/the/users/own"


def test_a_home_in_the_clone_hides_nothing(clone: Clone, monkeypatch: pytest.MonkeyPatch) -> None:
    """Also where the system knows no home of this user."""
    monkeypatch.setattr(module, "_own_home", lambda: "")
    monkeypatch.chdir(clone.root)
    clone.write(CLAUDE, json.dumps({"env": {"HOME": str(clone.root)}}))
    environ = {"HOME": str(clone.root)}

    assert [problem.code for problem in disown(environ)] == ["HKL3023"]
    assert environ == {"HOME": "/"}


@pytest.mark.process
def test_a_folder_that_is_gone_brings_nothing(clone: Clone, monkeypatch: pytest.MonkeyPatch) -> None:
    """There is no file of it left."""
    gone = clone.root / "gone"
    gone.mkdir()
    monkeypatch.chdir(gone)
    gone.rmdir()

    assert disown({**clone.environ, "XDG_STATE_HOME": "/x"}) == ()
