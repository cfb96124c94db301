"""Commands: where they run, with which environment, and which project a file belongs to."""

from __future__ import annotations

from typing import Any

import pytest

from hookline.core.dialect import Source
from hookline.dialects.copilot import Copilot
from hookline.model.spec import Command

DIALECT = Copilot()


def command(names: dict[str, str] | None = None, mode: str = "fidelity", **hook: Any) -> Command:
    """The handler of the one hook of a file."""
    (spec,) = DIALECT.load(
        Source(tree={"version": 1, "hooks": {"preToolUse": [hook]}}, names=names or {}, mode=mode)
    ).specs
    assert isinstance(spec.handler, Command)
    return spec.handler


@pytest.mark.parametrize(
    ("keys", "shell"),
    [
        ({"bash": "x"}, ("bash",)),
        ({"command": "x"}, ("bash", "sh")),
        ({"powershell": "x"}, ("pwsh", "powershell")),
        ({"powershell": "y", "command": "x"}, ("bash", "sh")),
    ],
)
def test_a_text_runs_with_the_shell_of_its_key(
    keys: dict[str, str], shell: tuple[str, ...]
) -> None:
    """`command` stands in for `bash`, and PowerShell is for where nothing else is said."""
    made = command(**keys)

    assert (made.script, made.shell) == ("x", shell)


@pytest.mark.parametrize(
    ("folder", "cwd", "expected"),
    [
        ("/srv/shop/.github/hooks", "scripts", "/srv/shop/scripts"),
        ("/srv/shop/.github/copilot", "scripts", "/srv/shop/scripts"),
        ("/srv/shop/.github/hooks", "/opt", "/opt"),
        ("/srv/shop/.github/hooks", "", ""),
        ("/home/me/.copilot/hooks", "scripts", "scripts"),
        ("", "scripts", "scripts"),
    ],
)
def test_a_folder_is_seen_from_the_project(folder: str, cwd: str, expected: str) -> None:
    """The project that the file belongs to.

    For a file of the user, the one in which the event happens.
    """
    assert command({"folder": folder}, bash="x", cwd=cwd).working_dir == expected


def test_the_environment_may_refer_to_variables() -> None:
    """They are filled in when the hook runs."""
    made = command(bash="x", env={"A": "$HOME/x", "N": 3})

    assert (dict(made.env), made.expand) == ({"A": "$HOME/x", "N": "3"}, "shell")


def test_strict_mode_kills_what_a_hook_leaves_behind() -> None:
    """As everywhere."""
    assert command(mode="strict", bash="x").kill_leftovers
    assert not command(bash="x").kill_leftovers
