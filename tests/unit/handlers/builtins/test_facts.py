"""What do the builtin hooks tell a model about the day, the machine and the project's instructions?"""

from __future__ import annotations

import datetime as dt
import platform

import pytest

from hookline.handlers.builtins import REGISTRY, facts
from hookline.model.event import Event

TYPE_CHECKING = False
if TYPE_CHECKING:
    from pathlib import Path

NESTED = "Further instruction files, to be read when working there:\n"


def told(name: str, event: Event, *args: str, **environ: str) -> str | None:
    """The context that a builtin adds; None where it says nothing."""
    output = REGISTRY[name](event, args, environ)
    return None if output is None else output["hook_specific_output"]["additional_context"]


def turn(cwd: Path | str) -> Event:
    return Event(kind="turn.start", cwd=str(cwd))


@pytest.mark.parametrize("name", ["add_date", "add_environment_info", "add_prompt_files"])
def test_another_event_is_no_error(name, tmp_path):
    """On an event that is not its own a builtin says nothing."""
    assert told(name, Event(kind="tool.before", cwd=str(tmp_path)), "x") is None


def test_the_date_is_today_s():
    """The date is told in the local time zone, in ISO form."""
    before = dt.datetime.now().astimezone().date()
    text = told("add_date", turn("/"))
    after = dt.datetime.now().astimezone().date()

    assert text in {f"Today's date: {day.isoformat()}" for day in (before, after)}


@pytest.mark.parametrize(("folder", "answer"), [("plain", "No"), ("repo", "Yes"), ("repo/deep/down", "Yes"), ("worktree", "Yes")])
def test_the_environment_is_told(folder, answer, tmp_path):
    """Directory, repository (from below and as a linked worktree, too), system and architecture, a line each."""
    for path in ("plain", "repo/.git", "repo/deep/down", "worktree"):
        (tmp_path / path).mkdir(parents=True)
    (tmp_path / "worktree/.git").write_text("gitdir: elsewhere\n", encoding="utf-8")
    cwd = str(tmp_path / folder)

    assert told("add_environment_info", Event(kind="session.start", cwd=cwd)) == (
        f"Working directory: {cwd}\nIs directory a git repo: {answer}\nOperating System: {platform.system()}\nCPU Architecture: {platform.machine()}"
    )


def test_no_directory_is_no_environment():
    """Without a working directory there is nothing to tell."""
    assert told("add_environment_info", Event(kind="session.start")) is None


@pytest.fixture
def project(tmp_path: Path) -> Path:
    """A project with instructions above, at home, beside it and below it."""
    files = {
        "AGENTS.md": "above",
        "home/AGENTS.md": "at home",
        "repo/RULES.md": "rules\n\n",
        "repo/EMPTY.md": " \n",
        "repo/a/AGENTS.md": "a",
        "repo/a/b/AGENTS.md": "b",
        "repo/a/b/c/AGENTS.md": "c",
    }
    for name, text in files.items():
        path = tmp_path / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
    return tmp_path


def _instructions(path: Path, text: str) -> str:
    return f"Instructions from: {path}\n{text}"


def test_the_nearest_file_and_the_one_at_home_are_added(project):
    """Each name is looked for upwards from the directory, and at home where that is another file."""
    text = told("add_prompt_files", turn(project / "repo"), "AGENTS.md", "RULES.md", HOME=str(project / "home"))

    assert text == "\n\n".join(
        [
            _instructions(project / "AGENTS.md", "above"),
            _instructions(project / "home/AGENTS.md", "at home"),
            _instructions(project / "repo/RULES.md", "rules"),
        ]
    )


def test_a_file_is_added_once(project):
    """Where the nearest file is the one at home it is told once."""
    text = told("add_prompt_files", turn(project / "home"), "AGENTS.md", HOME=str(project / "home"))

    assert text == _instructions(project / "home/AGENTS.md", "at home")


@pytest.mark.parametrize(
    "args", [(), ("MISSING.md",), ("EMPTY.md",), ("a",), ("--depth=2", "MISSING.md"), ("x" * 300,), ("a\0b",), ("--depth=2",)]
)
def test_nothing_to_add_is_nothing_said(args, project):
    """Missing, empty and impossible files, and no names at all, are passed over."""
    assert told("add_prompt_files", turn(project / "repo"), *args) is None


def test_no_directory_is_no_instruction(project):
    """Without a working directory nothing is looked for."""
    assert told("add_prompt_files", turn(""), "AGENTS.md", HOME=str(project / "home")) is None


@pytest.mark.parametrize(
    ("depth", "found"),
    [
        ("0", []),
        ("1", ["a"]),
        ("2", ["a", "a/b"]),
        ("9", ["a", "a/b", "a/b/c"]),
        ("9" * 5000, ["a", "a/b", "a/b/c"]),
        ("x", []),
        ("-1", []),
        ("", []),
    ],
)
def test_nested_files_are_listed_unread(depth, found, project):
    """Files below are listed down to the depth asked for, without their text; a bad depth is ignored, a huge one ends."""
    (project / "repo/a/b/loop").symlink_to(project / "repo")
    text = told("add_prompt_files", turn(project / "repo"), f"--depth={depth}", "AGENTS.md")
    nested = NESTED + "\n".join(str(project / "repo" / folder / "AGENTS.md") for folder in found)

    assert text == "\n\n".join([_instructions(project / "AGENTS.md", "above"), *([nested] if found else [])])


def test_the_list_of_nested_files_is_bounded(tmp_path):
    """At most 200 nested files are listed."""
    for number in range(210):
        (tmp_path / str(number)).mkdir()
        (tmp_path / str(number) / "A.md").touch()
    text = told("add_prompt_files", turn(tmp_path), "A.md", "--depth=1")

    assert text.removeprefix(NESTED).count("\n") == facts._NESTED_LIMIT - 1


def test_text_that_is_no_text_is_replaced(tmp_path):
    """Bytes that are not UTF-8 do not keep the rest from the model."""
    (tmp_path / "A.md").write_bytes(b"be \xff kind")

    assert told("add_prompt_files", turn(tmp_path), "A.md") == _instructions(tmp_path / "A.md", "be \ufffd kind")
