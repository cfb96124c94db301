"""`hookline snapshots`: lists snapshots and goes back to one."""

from __future__ import annotations

import json
import os
from typing import TYPE_CHECKING, Any

import jsonschema
import pytest

from hookline.cli.app import app_main
from hookline.cli.schema import read_schema
from hookline.model.event import Event
from tests.unit.handlers.builtins.support import asked
from tests.unit.handlers.builtins.test_git import HERMETIC, git

if TYPE_CHECKING:
    from pathlib import Path

pytestmark = pytest.mark.process


@pytest.fixture
def repo(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A repository with the snapshots of two turns, in which the command is started."""
    environ = {"HOME": str(tmp_path), "XDG_DATA_HOME": str(tmp_path / "data"), **HERMETIC}
    for name, value in environ.items():
        monkeypatch.setenv(name, value)
    folder = tmp_path / "repo"
    folder.mkdir()
    monkeypatch.chdir(folder)
    git(folder, "init")
    for number in (1, 2):
        for kind, native in (("turn.start", "turn_start"), ("turn.end", "turn_end")):
            event = Event(kind=kind, native_name=native, session_id="s", cwd=str(folder))
            asked("snapshot", event, environ=environ)
            (folder / "a.txt").write_text(str(number), encoding="utf-8")
    return folder


def run(capfd: pytest.CaptureFixture[str], *words: str) -> tuple[int, Any]:
    """The exit code, and the document."""
    code = app_main(["snapshots", *words, "--json"])
    document = json.loads(capfd.readouterr().out)
    jsonschema.validate(document, read_schema("snapshots"))
    return code, document


@pytest.mark.usefixtures("repo")
def test_snapshots_are_listed(capfd: pytest.CaptureFixture[str]) -> None:
    """With what a person needs to choose one."""
    code = app_main(["snapshots"])
    lines = capfd.readouterr().out.splitlines()

    assert code == 0
    assert [line.split()[0] for line in lines] == ["1", "2"]
    assert all(line.endswith("turn  1 file  s") for line in lines)
    assert len(run(capfd, "--session", "s")[1]["snapshots"]) == 2
    assert run(capfd, "--session", "t")[1]["snapshots"] == []


def test_the_last_one_is_undone(repo: Path, capfd: pytest.CaptureFixture[str]) -> None:
    """Its files are as they were."""
    code, document = run(capfd, "undo")

    assert (code, document["did"], document["files"]) == (0, "undo", ["a.txt"])
    assert (repo / "a.txt").read_text(encoding="utf-8") == "1"


def test_a_name_that_is_no_text_is_printed(repo: Path, capfd: pytest.CaptureFixture[str]) -> None:
    """On the page and in the document."""
    for kind, native in (("turn.start", "turn_start"), ("turn.end", "turn_end")):
        event = Event(kind=kind, native_name=native, session_id="s", cwd=str(repo))
        asked("snapshot", event, environ=dict(os.environ))
        (repo / os.fsdecode(b"\xff")).write_text("x", encoding="utf-8")

    assert run(capfd, "undo")[1]["files"]
    assert not (repo / os.fsdecode(b"\xff")).exists()


def test_all_from_a_number_on_are_undone(repo: Path, capfd: pytest.CaptureFixture[str]) -> None:
    """And there is nothing left to undo."""
    run(capfd, "reset", "1")
    app_main(["snapshots", "undo"])

    assert not (repo / "a.txt").exists()
    assert capfd.readouterr().out == "nothing to undo\n"


@pytest.mark.usefixtures("repo")
@pytest.mark.parametrize(
    ("words", "said"),
    [
        (("redo",), "`snapshots redo` is nothing"),
        (("reset",), "hookline snapshots reset NUMBER"),
        (("reset", "x"), "hookline snapshots reset NUMBER"),
        (("undo", "1"), "is nothing"),
        (("reset", "9"), "there is no snapshot 9; there are: 1, 2"),
    ],
)
def test_other_words_are_refused(
    words: tuple[str, ...], said: str, capfd: pytest.CaptureFixture[str]
) -> None:
    """With what to type instead."""
    assert app_main(["snapshots", *words]) == 2
    assert said in capfd.readouterr().err


def test_a_folder_without_a_repository_is_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    """The message says how to begin one."""
    monkeypatch.setenv("GIT_CEILING_DIRECTORIES", os.path.dirname(tmp_path))

    assert app_main(["snapshots", "-C", str(tmp_path)]) == 2
    assert "git init" in capfd.readouterr().err
