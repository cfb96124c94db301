"""Which project is an event of?"""

from __future__ import annotations

import os

import pytest

from hookline.engine.catalog import make_dialect
from hookline.engine.engine import Engine
from hookline.engine.projects import find_event_project, find_project

TYPE_CHECKING = False
if TYPE_CHECKING:
    from pathlib import Path

    from hookline.model.verdict import Decision

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
    """The variable, where the event is in that folder or in no project.

    Else the repository around it.
    """
    table, home = make_dialect(host).table, {"HOME": str(project.parents[1] / "home")}
    named = {**home, VARIABLES[host]: str(project / "sub")}

    assert find_project(f"{project}/sub", home, table) == str(project)
    assert find_project(f"{project}/sub", named, table) == f"{project}/sub"
    assert find_project(str(project), named, table) == str(project)
    assert find_project(str(project.parent), named, table) == f"{project}/sub"
    assert find_project(str(project.parent), home, table) == str(project.parent)


def test_an_engine_of_a_project_keeps_to_it(project: Path) -> None:
    """One that was started in a home is of no project."""
    environ, table = {"HOME": str(project.parents[1] / "home")}, make_dialect("claude-code").table

    assert find_event_project(f"{project}/sub", str(project.parent), environ, table) == str(
        project.parent
    )
    assert find_event_project(f"{project}/sub", str(project.parents[1]), environ, table) == str(
        project
    )
    assert find_event_project(f"{project}/sub", "/elsewhere", environ, table) == str(project)
    assert (
        find_event_project(
            f"{project}/sub", str(project), environ, make_dialect("agenthooks").table
        )
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
def test_a_hook_gets_the_project_wherever_the_agent_is(
    dialect: str, variable: str, tree: dict[str, object], project: Path
) -> None:
    """By the name that its host has for it."""
    command = f"echo ${variable} >&2; exit 2"
    given = _filled(tree, command)
    engine = Engine.from_config(
        given, dialect=dialect, environ={"HOME": "/nowhere", "PATH": "/usr/bin:/bin"}, cwd=project
    )

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


# -- folders that do not exist ---------------------------------------------------------------------

DOCKER = {
    "hooks": {
        "pre_tool_use": [
            {"matcher": "*", "hooks": [{"type": "command", "command": "pwd >&2; exit 2"}]}
        ]
    }
}
CLAUDE = {"hooks": {"PreToolUse": [{"hooks": [{"type": "command", "command": "pwd >&2; exit 2"}]}]}}
GONE = "does not exist, so hooks ran in"


def decide(dialect: str, tree: dict[str, object], own: Path, cwd: str, **environ: str) -> Decision:
    """The decision of one guard, which denies with the folder that it runs in."""
    engine = Engine(cwd=own, environ={"PATH": os.environ["PATH"], **environ})
    engine.add_source(tree, dialect=dialect)
    call = {"tool_name": "Bash", "tool_input": {}, "cwd": cwd, "session_id": "s"}
    native = "PreToolUse" if dialect == "claude-code" else "pre_tool_use"
    return engine.fire(native, call, dialect=dialect)


@pytest.mark.process
def test_hooks_of_docker_agent_run_in_the_engines_folder(tmp_path: Path) -> None:
    """They only read the payload's cwd, whether it exists or not."""
    here = str(tmp_path.resolve())
    for cwd in ("/", "/nowhere", "/\0"):
        decision = decide("docker-agent", DOCKER, tmp_path, cwd)

        assert (decision.reason, decision.for_user) == (here, ())


@pytest.mark.process
def test_other_hooks_run_in_the_events_folder(tmp_path: Path) -> None:
    """As long as there is one."""
    decision = decide("claude-code", CLAUDE, tmp_path, "/usr")

    assert (decision.reason, decision.for_user) == ("/usr", ())


@pytest.mark.process
def test_hooks_of_a_folder_that_is_gone_run_in_its_project(tmp_path: Path) -> None:
    """The host's variable names it best, then the folders around.

    Then comes the engine's, and the user's home.
    """
    folders = project, named, own, home = [
        (tmp_path / name).resolve() for name in ("project", "named", "own", "home")
    ]
    for folder in folders:
        folder.mkdir()
    (project / ".git").mkdir()
    gone = str(project / "a/b")

    for cwd, engines, environ, where in (
        (gone, own, {"CLAUDE_PROJECT_DIR": str(named)}, named),
        (gone, own, {"CLAUDE_PROJECT_DIR": "/nowhere"}, project),
        ("/nowhere/x", own, {}, own),
        ("/nowhere/x", tmp_path / "none", {"HOME": str(home)}, home),
    ):
        decision = decide("claude-code", CLAUDE, engines, cwd, **environ)

        assert decision.reason == str(where)
        assert decision.for_user == (f"hookline: the working folder `{cwd}` {GONE} `{where}`",)
