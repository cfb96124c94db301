"""Whose word is a variable that a clone's files have the host set, or that they name?"""

from __future__ import annotations

import json
import os
from typing import TYPE_CHECKING

import pytest

from hookline.config import brought as module
from hookline.config.brought import OWN, brought, disown
from hookline.config.lineage import HOST, OUTSIDE, UNKNOWN

if TYPE_CHECKING:
    from pathlib import Path

CLAUDE, LOCAL, GEMINI, DOTENV = (
    ".claude/settings.json",
    ".claude/settings.local.json",
    ".gemini/.env",
    ".env",
)


class Clone:
    """A home, and a repository in it."""

    def __init__(self, folder: Path) -> None:
        self.home, self.root = folder / "home", folder / "home/code/clone"
        (self.root / ".git").mkdir(parents=True)
        (self.root / "sub").mkdir()
        self.environ = {"HOME": str(self.home)}

    def write(self, path: str, text: str) -> str:
        file = self.root / path
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text, encoding="utf-8")
        return str(file)


class Above:
    """The processes above, of which is known where all variables came from."""

    def __init__(self, origin: str) -> None:
        self._origin = origin

    def origin(self, name: str, value: str) -> str:
        assert name
        assert value
        return self._origin


@pytest.fixture
def clone(tmp_path: Path) -> Clone:
    """Nothing sets anything yet."""
    return Clone(tmp_path.resolve())


@pytest.mark.parametrize(
    ("path", "text", "value"),
    [
        (CLAUDE, '{"env": {"HOOKLINE": "0"}}', "0"),
        (CLAUDE, '{"env": {"HOOKLINE": 0}}', "0"),
        (CLAUDE, '{"env": {"HOOKLINE": false}}', "false"),
        (LOCAL, '{"env": {"HOOKLINE": "off"}}', "off"),
        (GEMINI, "HOOKLINE=0\n", "0"),
        (DOTENV, "# one\nexport HOOKLINE = '0' # no hooks\n", "0"),
        (DOTENV, 'A=1\nHOOKLINE="0"', "0"),
        (DOTENV, "HOOKLINE=0 # no hooks", "0"),
    ],
)
@pytest.mark.parametrize("origin", [OUTSIDE, HOST, UNKNOWN])
def test_what_a_projects_file_sets_is_its_word(
    path: str, text: str, value: str, origin: str, clone: Clone, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Whoever else may have set the same."""
    monkeypatch.setattr(module, "line", lambda: Above(origin))
    file = clone.write(path, text)

    assert brought(
        ["HOOKLINE", "HOOKLINE_SKIP"], [str(clone.root)], {**clone.environ, "HOOKLINE": value}
    ) == {"HOOKLINE": file}


@pytest.mark.parametrize(
    ("path", "text"),
    [
        (CLAUDE, '{"env": {"HOOKLINE": "${X:-0}"}}'),
        (CLAUDE, '{"env": {"HOOKLINE": "1"}}'),
        (CLAUDE, '{"env": {"HOOKLINE": ["0"]}}'),
        (CLAUDE, '{"env": {"HOOKLINE": 0.0, "X": "\udcff"}}'),
        (CLAUDE, '{"env": {"\\u0048OOK\\u004cINE": "1"}}'),
        (CLAUDE, '{"env": {"HOOKLINE": "0" /* a comment */}}'),
        (CLAUDE, '{"env": {"HOOKLINE": "0"}, "deep": ' + "[" * 100_000),
        (CLAUDE, '{"env": {"X": "' + "x" * (4 << 20) + '"}}'),
        (CLAUDE, "\0".join('{"env": {"HOOKLINE": "1"}}')),
        (GEMINI, "HOOKLINE: 0"),
        (DOTENV, "HOOKLINE=0#x"),
        (DOTENV, "export\tHOOKLINE=0"),
        (DOTENV, 'HOOKLINE=0\nX="\nHOOKLINE=1\n"'),
        (DOTENV, "HOOKLINE\n=0"),
    ],
)
def test_what_names_a_variable_may_set_it(
    path: str, text: str, clone: Clone, monkeypatch: pytest.MonkeyPatch
) -> None:
    """However its host reads it; unless the value came with whatever started that."""
    (clone.root / path).parent.mkdir(exist_ok=True)
    (clone.root / path).write_bytes(text.encode("utf-8", "surrogateescape"))
    told = {}
    for origin in (HOST, UNKNOWN, OUTSIDE):
        monkeypatch.setattr(module, "line", lambda origin=origin: Above(origin))
        told[origin] = brought(["HOOKLINE"], [str(clone.root)], {**clone.environ, "HOOKLINE": "0"})

    file = str(clone.root / path)
    assert told == {HOST: {"HOOKLINE": file}, UNKNOWN: {"HOOKLINE": file}, OUTSIDE: {}}


@pytest.mark.parametrize(
    ("path", "text"),
    [
        (
            CLAUDE,
            '{"env": {"OTHER": "0", "HOOKLINE_SKIP": "x"}, "hooks": {"Stop": "hookline answer; echo $HOOKLINE ${HOOKLINE:-1}"}}',
        ),
        (CLAUDE, "["),
        (CLAUDE, ""),
        (DOTENV, "XHOOKLINE=0\nX=$HOOKLINE"),
        ("settings.json", '{"env": {"HOOKLINE": "0"}}'),
    ],
)
def test_what_no_file_names_is_the_users(
    path: str, text: str, clone: Clone, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Unless its host was started without it: then it is of a file that said it then."""
    clone.write(path, text)
    told = {}
    for origin in (HOST, UNKNOWN, OUTSIDE):
        monkeypatch.setattr(module, "line", lambda origin=origin: Above(origin))
        told[origin] = brought(["HOOKLINE"], [str(clone.root)], {**clone.environ, "HOOKLINE": "0"})

    assert told == {HOST: {"HOOKLINE": ""}, UNKNOWN: {}, OUTSIDE: {}}


@pytest.mark.parametrize(
    "path",
    [
        ".claude/settings.json",
        ".claude/remote-settings.json",
        "own/settings.json",
        ".gemini/.env",
        ".env",
    ],
)
def test_what_the_users_own_settings_say_is_the_users(
    path: str, clone: Clone, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Their host adds it, too; only to just that value."""
    monkeypatch.setattr(module, "line", lambda: Above(HOST))
    file = clone.write(CLAUDE, '{"env": {"HOOKLINE": ["0"]}}')
    own = clone.home / path
    own.parent.mkdir(exist_ok=True)
    own.write_text(
        "HOOKLINE=0" if path.endswith(".env") else '{"env": {"HOOKLINE": "0"}}', encoding="utf-8"
    )
    environ = (
        {**clone.environ, "CLAUDE_CONFIG_DIR": str(clone.home / "own")}
        if path.startswith("own")
        else clone.environ
    )

    assert brought(["HOOKLINE"], [str(clone.root)], {**environ, "HOOKLINE": "0"}) == {}
    assert brought(["HOOKLINE"], [str(clone.root)], {**environ, "HOOKLINE": "off"}) == {
        "HOOKLINE": file
    }


def test_a_project_is_looked_for_where_its_host_says_it_is(clone: Clone, tmp_path: Path) -> None:
    """In a folder, in what that lies in, repository or not, and in the variable of its host; never in the home."""
    environ = {**clone.environ, "HOOKLINE": "0"}
    file = clone.write(CLAUDE, '{"env": {"HOOKLINE": "0"}}')
    (clone.home / ".claude").mkdir()
    (clone.home / CLAUDE).write_text('{"env": {"HOOKLINE": "1"}}', encoding="utf-8")
    (clone.root / "sub/.git").mkdir()

    assert brought(["HOOKLINE"], [str(clone.root / "sub")], environ) == {"HOOKLINE": file}
    assert brought(
        ["HOOKLINE"], [str(tmp_path)], {**environ, "CLAUDE_PROJECT_DIR": str(clone.root)}
    ) == {"HOOKLINE": file}
    assert (
        brought(["HOOKLINE"], [str(clone.home), str(clone.home / "work"), "", "/no/such"], environ)
        == {}
    )


@pytest.mark.process
@pytest.mark.parametrize("what", ["pipe", "link", "lost link", "linked folder", "closed"])
def test_what_cannot_be_looked_through_says_anything(what: str, clone: Clone) -> None:
    """Nor is it waited for. A link may lead a host to another file than us."""
    (clone.root / "other").mkdir()
    (clone.root / "other/settings.json").write_text("{}", encoding="utf-8")
    path = clone.root / CLAUDE
    if what == "linked folder":
        path.parent.symlink_to("other")
    else:
        path.parent.mkdir()
    if what == "pipe":
        os.mkfifo(path)
    elif what == "closed":
        path.write_text("{}", encoding="utf-8")
        path.chmod(0)
        if os.access(path, os.R_OK):
            pytest.skip("root reads every file")
    elif what.endswith("link"):
        path.symlink_to("../other/settings.json" if what == "link" else "/proc/self/cwd/none.json")

    assert brought(["HOOKLINE"], [str(clone.root)], {**clone.environ, "HOOKLINE": "0"}) == {
        "HOOKLINE": str(path)
    }


def test_a_folder_of_that_name_says_nothing(clone: Clone) -> None:
    """Python's environments are called so, too."""
    (clone.root / DOTENV).mkdir()

    assert brought(["HOOKLINE"], [str(clone.root)], {**clone.environ, "HOOKLINE": "0"}) == {}


def test_nothing_is_looked_up_where_nothing_is_set(
    clone: Clone, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Most people never set any of these."""
    monkeypatch.setattr(module, "_places", lambda *_: pytest.fail("looked"))
    monkeypatch.setattr(module, "_own_home", lambda: str(clone.home))

    assert brought(["HOOKLINE"], [str(clone.root)], clone.environ) == {}
    assert disown(dict(clone.environ)) == ()


@pytest.mark.parametrize("name", OWN)
def test_what_only_the_user_may_say_is_left_out(
    name: str, clone: Clone, monkeypatch: pytest.MonkeyPatch
) -> None:
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
    monkeypatch.setattr(module, "line", lambda: Above(OUTSIDE))
    own = {**clone.environ, name: "/the/users/own"}
    assert disown(own) == ()
    assert own[name] == "/the/users/own"


@pytest.mark.parametrize("name", OWN)
def test_what_a_host_added_and_no_file_sets_any_more_is_left_out(
    name: str, clone: Clone, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A file of another branch had it."""
    monkeypatch.setattr(module, "_own_home", lambda: str(clone.home))
    monkeypatch.setattr(module, "line", lambda: Above(HOST))
    monkeypatch.chdir(clone.root)
    environ = {**clone.environ, name: "/proc/self/cwd/.mine"}

    told = disown(environ)

    assert environ == clone.environ
    assert ["the host added it after it was started" in problem.message for problem in told] == [
        True
    ]


@pytest.mark.parametrize(
    "name",
    [
        "XDG_STATE_HOME",
        "XDG_CONFIG_HOME",
        "CLAUDE_CONFIG_DIR",
        "CODEX_HOME",
        "COPILOT_HOME",
        "HOME",
    ],
)
def test_what_is_so_anyway_is_not_looked_up(
    name: str, clone: Clone, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Many people's shells set the default itself."""
    usual = {"XDG_STATE_HOME": ".local/state", "XDG_CONFIG_HOME": ".config/", "HOME": ""}.get(
        name, f".{name.partition('_')[0].lower()}"
    )
    monkeypatch.setattr(module, "_own_home", lambda: str(clone.home))
    monkeypatch.setattr(module, "_places", lambda *_: pytest.fail("looked"))
    environ = {**clone.environ, name: str(clone.home / usual)}

    assert disown(environ) == ()
    assert name in environ


def test_a_home_in_the_clone_hides_nothing(clone: Clone, monkeypatch: pytest.MonkeyPatch) -> None:
    """Also where the system knows no home of this user."""
    monkeypatch.setattr(module, "_own_home", lambda: "")
    monkeypatch.chdir(clone.root)
    clone.write(CLAUDE, json.dumps({"env": {"HOME": str(clone.root)}}))
    environ = {"HOME": str(clone.root)}

    assert [problem.code for problem in disown(environ)] == ["HKL3023"]
    assert environ == {"HOME": "/"}


@pytest.mark.process
def test_a_folder_that_is_gone_brings_nothing(
    clone: Clone, monkeypatch: pytest.MonkeyPatch
) -> None:
    """There is no file of it left."""
    gone = clone.root / "gone"
    gone.mkdir()
    monkeypatch.chdir(gone)
    gone.rmdir()

    assert disown({**clone.environ, "XDG_STATE_HOME": "/x"}) == ()
