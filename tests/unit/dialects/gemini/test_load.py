"""What loading makes of handlers, beyond what the vectors can see."""

from __future__ import annotations

from typing import Any

from hookline.core.dialect import Source
from hookline.dialects.gemini import Gemini
from hookline.model.spec import Command

DIALECT = Gemini()


def command(*, mode: str = "fidelity", names: dict[str, str] | None = None, **hook: Any) -> Command:
    """The command of the one hook of a file."""
    tree = {"hooks": {"AfterTool": [{"hooks": [{"type": "command", "command": "./x", **hook}]}]}}
    (spec,) = DIALECT.load(Source(tree=tree, mode=mode, names=names or {})).specs
    assert isinstance(spec.handler, Command)
    return spec.handler


def test_a_hook_finds_its_project_and_session_in_the_environment() -> None:
    """Under Gemini's names, and under Claude Code's for older scripts (comparison.md 11)."""
    assert command().env == {
        "GEMINI_PROJECT_DIR": "${event.project}",
        "GEMINI_SESSION_ID": "${event.session_id}",
        "GEMINI_CWD": "${event.cwd}",
        "CLAUDE_PROJECT_DIR": "${event.project}",
    }


def test_a_hooks_own_variables_stand_above_those() -> None:
    """The file's values win, and numbers become texts."""
    env = command(env={"LEVEL": 2, "GEMINI_CWD": "/elsewhere"}).env

    assert (env["LEVEL"], env["GEMINI_CWD"]) == ("2", "/elsewhere")


def test_a_command_is_a_line_for_bash_where_there_is_one() -> None:
    """It is one text, whatever it is made of."""
    assert (command().script, command().shell, command().argv) == ("./x", ("bash", "sh"), ())


def test_an_extension_finds_its_own_folder() -> None:
    """As a placeholder in the text, and as a variable if a shell could misread the value."""
    handler = command(names={"plugin_root": "/ext/audit"})

    assert handler.substitute == {
        "${extensionPath}": "/ext/audit",
        "${workspacePath}": "${event.cwd}",
        "${/}": "/",
        "${pathSeparator}": "/",
    }
    assert handler.env["extensionPath"] == "/ext/audit"


def test_what_a_hook_leaves_running_dies_in_strict_mode_only() -> None:
    """Fidelity leaves it alone, as the host does."""
    assert (command().kill_leftovers, command(mode="strict").kill_leftovers) == (False, True)


def test_a_description_is_kept() -> None:
    """It is for people, and tells hooks apart nowhere."""
    tree = {
        "hooks": {
            "AfterTool": [
                {
                    "hooks": [
                        {"type": "command", "command": "x", "description": "logs", "name": "log"}
                    ]
                }
            ]
        }
    }
    (spec,) = DIALECT.load(Source(tree=tree)).specs

    assert spec.facts == {"called": "log", "description": "logs"}
    assert spec.identity == "log:x"
