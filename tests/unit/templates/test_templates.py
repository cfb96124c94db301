"""The templates of hooks, copied and run by an engine as a user would."""

import os
import shutil
import sys
from pathlib import Path

import pytest

import hookline

TEMPLATES = Path(hookline.__file__).parent / "templates"
pytestmark = pytest.mark.process


@pytest.fixture
def project(tmp_path):
    """A project whose programs are the test's."""

    class Project:
        folder = tmp_path / "shop"
        bin = tmp_path / "bin"

        def load(self, name):
            self.folder.mkdir()
            self.bin.mkdir()
            shutil.copytree(TEMPLATES / name, tmp_path / name)
            path = os.pathsep.join((str(self.bin), os.path.dirname(sys.executable), "/bin"))
            self.engine = hookline.Engine.load(
                tmp_path / name / "hookline.yaml",
                trust="all",
                cwd=self.folder,
                environ={"HOME": str(tmp_path), "PATH": path},
            )
            assert self.engine.problems == ()

        def add_program(self, name, script):
            program = self.bin / name
            program.write_text(f"#!/bin/sh\n{script}\n")
            program.chmod(0o755)

        def fire(self, event, **payload):
            given = {"session_id": "s1", "cwd": str(self.folder), **payload}
            decision = self.engine.fire(event, given)
            assert [each.fault for each in decision.verdicts if each.fault] == []
            return decision

        def edit(self, path="a.py"):
            payload = {"tool": "edit", "input": {"path": path, "new_string": "x"}, "result": "ok"}
            return self.fire("tool.after", **payload)

    return Project()


def test_every_template_is_tested():
    """Each folder is one of those below."""
    folders = [each.name for each in TEMPLATES.iterdir() if (each / "hookline.yaml").exists()]
    assert sorted(folders) == ["auto_formatter", "completion_gate"]


@pytest.fixture
def gate(project):
    project.load("completion_gate")
    project.add_program("make", "echo run >> runs; echo two failures; test -e works")
    return project


def count_runs(project):
    runs = project.folder / "runs"
    return len(runs.read_text().split()) if runs.exists() else 0


def test_a_stop_without_edits_runs_nothing(gate):
    """A question is answered without the tests of the project."""
    assert gate.fire("stop").stance is hookline.Stance.SILENT
    assert count_runs(gate) == 0


def test_the_agent_mends_what_fails(gate):
    """It is sent back with the output; after a success the command rests until the next edit."""
    gate.edit()
    decision = gate.fire("stop")
    assert decision.redo
    assert "`make test` failed" in decision.reason
    assert "two failures" in decision.reason
    (gate.folder / "works").touch()
    assert not gate.fire("stop", stop_hook_active=True).redo
    assert not gate.fire("stop").redo
    assert count_runs(gate) == 2
    gate.edit()
    assert not gate.fire("stop").redo
    assert count_runs(gate) == 3


def test_the_agent_is_sent_back_twice(gate):
    """Then the user gets a note, and the agent stops."""
    gate.edit()
    decisions = [gate.fire("stop", stop_hook_active=at > 0) for at in range(3)]
    assert [each.redo for each in decisions] == [True, True, False]
    assert decisions[2].for_user == ("`make test` still fails; the agent has given up",)


def test_a_claim_is_checked_like_a_stop(gate):
    """And the edits of another session are not this one's."""
    gate.edit()
    assert not gate.fire("stop", session_id="s2").redo
    assert gate.fire("completion.claim", goal="g", summary="s").redo


@pytest.fixture
def formatter(project):
    project.load("auto_formatter")
    (project.folder / "a.py").write_text("x=1\n")
    return project


def test_a_file_is_formatted_and_the_agent_told(formatter):
    """Only if the formatter changed it."""
    formatter.add_program("ruff", 'echo "x = 1" > "$4"')
    decision = formatter.edit()
    assert (formatter.folder / "a.py").read_text() == "x = 1\n"
    assert decision.for_agent == ("`ruff` formatted a.py. Read it again before you edit it.",)
    assert formatter.edit().for_agent == ()


def test_a_formatter_that_fails_tells_the_agent_why(formatter):
    """A syntax error is for the agent, and refuses nothing."""
    formatter.add_program("ruff", "echo 'a.py:1: unexpected end' >&2; exit 2")
    decision = formatter.edit()
    assert decision.stance is hookline.Stance.SILENT
    assert decision.for_agent == ("`ruff` cannot format a.py: a.py:1: unexpected end",)


def test_a_formatter_that_is_missing_is_left_out(formatter):
    """The next of the row takes its place; without any, nothing happens."""
    formatter.add_program("black", 'echo "x = 2" > "$2"')
    shown = formatter.edit().for_agent
    assert shown
    assert "`black` formatted" in shown[0] or "`ruff` formatted" in shown[0]
    (formatter.folder / "a.unknown").touch()
    assert formatter.edit("a.unknown").for_agent == ()


@pytest.mark.parametrize("path", ["../b.py", "link.py", "gone.py", ""])
def test_only_files_of_the_project_are_formatted(formatter, path):
    """A path or a link that leads out of it stays alone."""
    outside = formatter.folder.parent / "b.py"
    outside.write_text("x=1\n")
    (formatter.folder / "link.py").symlink_to(outside)
    formatter.add_program("ruff", 'echo changed > "$4"')
    assert formatter.edit(path).for_agent == ()
    assert outside.read_text() == "x=1\n"
