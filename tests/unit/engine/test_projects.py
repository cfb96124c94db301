"""Which project is an event of?"""

from __future__ import annotations

import pytest

from hookline.engine.catalog import make_dialect
from hookline.engine.engine import Engine
from hookline.engine.projects import asks_project, project_for, project_of

TYPE_CHECKING = False
if TYPE_CHECKING:
    from pathlib import Path

VARIABLES = {
    "claude-code": "CLAUDE_PROJECT_DIR",
    "gemini": "GEMINI_PROJECT_DIR",
    "cursor": "CURSOR_PROJECT_DIR",
}


@pytest.fixture
def project(tmp_path: Path) -> Path:
    """A repository with a folder in it, and a home beside."""
    made = tmp_path / "work/clone"
    (made / "sub").mkdir(parents=True)
    (made / ".git").mkdir()
    (tmp_path / "home").mkdir()
    return made


@pytest.mark.parametrize("host", VARIABLES)
def test_it_is_the_hosts_own_variable_or_what_is_found(host: str, project: Path) -> None:
    """The variable, where the event is in that folder or in no project; else the repository around it."""
    table, home = make_dialect(host).table, {"HOME": str(project.parents[1] / "home")}
    named = {**home, VARIABLES[host]: str(project / "sub")}

    assert project_of(f"{project}/sub", home, table) == str(project)
    assert project_of(f"{project}/sub", named, table) == f"{project}/sub"
    assert project_of(str(project), named, table) == str(project)
    assert project_of(str(project.parent), named, table) == f"{project}/sub"
    assert project_of(str(project.parent), home, table) == str(project.parent)


def test_an_engine_of_a_project_keeps_to_it(project: Path) -> None:
    """One that was started in a home is of no project."""
    environ, table = {"HOME": str(project.parents[1] / "home")}, make_dialect("claude-code").table

    assert project_for(f"{project}/sub", str(project.parent), environ, table) == str(project.parent)
    assert project_for(f"{project}/sub", str(project.parents[1]), environ, table) == str(project)
    assert project_for(f"{project}/sub", "/elsewhere", environ, table) == str(project)
    assert (
        project_for(f"{project}/sub", str(project), environ, make_dialect("agenthooks").table)
        == f"{project}/sub"
    )


@pytest.mark.process
@pytest.mark.parametrize(
    ("dialect", "variable", "tree"),
    [
        (
            "claude-code",
            "CLAUDE_PROJECT_DIR",
            {"hooks": {"PreToolUse": [{"hooks": [{"type": "command", "command": "C"}]}]}},
        ),
        (
            "gemini",
            "GEMINI_PROJECT_DIR",
            {"hooks": {"BeforeTool": [{"hooks": [{"type": "command", "command": "C"}]}]}},
        ),
        (
            "gemini",
            "CLAUDE_PROJECT_DIR",
            {"hooks": {"BeforeTool": [{"hooks": [{"type": "command", "command": "C"}]}]}},
        ),
        (
            "cursor",
            "CURSOR_PROJECT_DIR",
            {"version": 1, "hooks": {"preToolUse": [{"command": "C"}]}},
        ),
    ],
)
def test_a_hook_is_told_it_wherever_the_agent_is(
    dialect: str, variable: str, tree: dict[str, object], project: Path
) -> None:
    """By the name that its host has for it."""
    command = f"echo ${variable} >&2; exit 2"
    given = _filled(tree, command)
    engine = Engine.from_config(
        given, dialect=dialect, environ={"HOME": "/nowhere", "PATH": "/usr/bin:/bin"}, cwd=project
    )

    assert asks_project(engine.registry.entries())
    decision = engine.fire(
        "tool.before",
        {"tool": "Bash", "input": {"command": "ls"}, "cwd": f"{project}/sub", "session_id": "s"},
    )
    assert str(project) in decision.reason.split()


def _filled(value: object, command: str) -> object:
    if isinstance(value, dict):
        return {key: _filled(each, command) for key, each in value.items()}
    if isinstance(value, list):
        return [_filled(each, command) for each in value]
    return command if value == "C" else value
