"""Which command lines run a program with certain flags, on certain paths."""

from __future__ import annotations

import pytest

from hookline.core.shell_commands import runs_command
from hookline.model.spec import ShellCommand

REMOVE = ShellCommand(
    names=frozenset({"rm"}), flags=("r|R|recursive", "f|force"), paths=("/", "~", "/srv/**")
)
PUSH = ShellCommand(names=frozenset({"git", "hg"}), flags=("force",))


@pytest.mark.parametrize(
    "line",
    [
        "rm -rf /",
        "rm -r -f -- /",
        "rm -Rf ~/",
        "/bin/rm --recursive --force '/'",
        "cd x && rm -fr ~/*",
        'rm -rf "$HOME"',
        "rm -rf ${HOME}/.",
        "rm -rf ../../srv/shop/data",
        "sudo -n rm -rf /",
        "env A=1 timeout 5 rm -rf /",
        "ls | xargs -n1 rm -rf /",
        "bash -lc 'true; rm -rf /'",
        "sh -c \"bash -c 'rm -rf /'\"",
        "r''m -rf /",
        "echo `rm -rf /`",
        "rm -rf / 'never closed",
    ],
)
def test_a_guard_sees(line: str) -> None:
    """Other spellings, other commands around it, launchers, shells, and what cannot be read."""
    assert runs_command(REMOVE, line, "/p/q")


@pytest.mark.parametrize(
    "line",
    [
        "",
        "rm -rf build",
        "rm -r /",
        "rm -- -rf /",
        "rm -rf /etc/passwd",
        "git rm -rf /",
        "echo rm -rf /",
        "grep -rf / rm",
        "sudo -n true",
        "bash script.sh -rf /",
        "true 'never closed",
    ],
)
def test_a_guard_leaves_out(line: str) -> None:
    """Other programs, other paths, missing flags, and words that are only data."""
    assert not runs_command(REMOVE, line, "/p/q")


@pytest.mark.parametrize(
    ("line", "found"),
    [
        ("git push --force", True),
        ("hg push --force=yes", True),
        ("git push -force", True),
        ("git push --force-with-lease", False),
        ("git push -f", False),
    ],
)
def test_a_long_flag_is_a_whole_word(line: str, found: bool) -> None:
    """Its value may follow; a longer flag is another one."""
    assert runs_command(PUSH, line, "") is found
