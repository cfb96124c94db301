"""Was a variable there when the host was started, or did the host add it?"""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from hookline.config import lineage
from hookline.config.lineage import HOST, OUTSIDE, UNKNOWN, Line, Process

if TYPE_CHECKING:
    from collections.abc import Mapping

SOURCE = str(Path(__file__).parents[3] / "src")
SET: Mapping[str, str] = {"X": "1"}
HOOK: Mapping[str, str] = {"X": "1", "CLAUDE_PROJECT_DIR": "/p"}
_ASKS = f"import sys; sys.path.insert(0, {SOURCE!r}); from hookline.config.lineage import line; print(line().origin('X', '1'))"


def row(*processes: tuple[str, Mapping[str, str]], whole: bool = True) -> Line:
    """A line of processes, each by its command line and what it was started with; of `-bash` a terminal was opened."""
    made = (
        Process(words=tuple(words.split()), environ=environ, leads=words.startswith("-"))
        for words, environ in processes
    )
    return Line(processes=tuple(made), whole=whole)


@pytest.mark.parametrize(
    ("line", "origin"),
    [
        # `export X=1; claude`: the shell was started without it, and its host with it
        (row(("python hookline answer", HOOK), ("sh -c hookline", HOOK), ("claude", SET), ("-bash", {})), OUTSIDE),
        (row(("python hookline answer", HOOK), ("sh", HOOK), ("node /usr/bin/gemini", SET), ("node make.js", {}), ("-bash", {})), OUTSIDE),
        # the settings of a project
        (row(("python hookline answer", HOOK), ("sh", HOOK), ("claude", {}), ("-bash", {})), HOST),
        (row(("python hookline answer", HOOK), ("sh", HOOK), ("claude", {"X": "2"}), ("-bash", {"X": "1"})), HOST),
        (row(("hookline", HOOK), ("sh", HOOK), ("node /x/@anthropic-ai/claude-code/cli.js", {})), HOST),
        # a host that starts itself anew, with what it read
        (
            row(
                ("hookline", HOOK), ("sh", HOOK), ("node --max-old-space-size=1 /usr/bin/gemini", {"X": "1", "GEMINI_CLI_NO_RELAUNCH": "true"}),
                ("node /usr/bin/gemini", {}), ("-bash", {}),
            ),
            HOST,
        ),
        # an agent that was started by another one
        (row(("hookline", HOOK), ("claude", {"X": "1", "CLAUDECODE": "1"}), ("bash", {"X": "1", "CLAUDECODE": "1"}), ("claude", {})), HOST),
        (row(("hookline", HOOK), ("claude", {"X": "1", "CLAUDECODE": "1"}), ("bash", {"X": "1", "CLAUDECODE": "1"}), ("claude", SET)), OUTSIDE),
        (row(("hookline", HOOK), ("claude", {"X": "1", "CLAUDECODE": "1"})), UNKNOWN),
        # a host that nobody knows by its name
        (row(("hookline", HOOK), ("sh", HOOK), ("agent", SET), ("-bash", {})), OUTSIDE),
        (row(("hookline", HOOK), ("sh", HOOK), ("agent", {}), ("-bash", {})), UNKNOWN),
        # typed in a terminal, where there is no host
        (row(("python hookline list", SET), ("-bash", {}), ("tmux", {})), OUTSIDE),
        (row(("python hookline list", SET), ("-bash", SET), ("tmux", {})), UNKNOWN),
        (row(("python hookline list", SET), ("bash", {}), ("claude", {})), UNKNOWN),
        # a container that was started with it
        (row(("python hookline serve", SET), ("init", SET)), OUTSIDE),
        (row(("python hookline serve", SET), ("init", SET), whole=False), UNKNOWN),
        # a hook that hookline itself started is told what a host would tell it
        (row(("hookline list", HOOK), ("sh", HOOK), ("python /usr/bin/hookline answer codex", SET), ("codex", SET), ("-bash", {})), OUTSIDE),
        (row(("hookline list", HOOK), ("sh", HOOK), ("python -I -m hookline answer codex", SET)), OUTSIDE),
        # set in this process, and a system that tells nothing
        (row(("python agent.py", {}), ("-bash", {})), UNKNOWN),
        (Line(), UNKNOWN),
    ],
)  # fmt: skip
def test_where_a_value_came_from(line: Line, origin: str) -> None:
    """What the outermost host was started with is from outside; what a host added is not."""
    assert line.origin("X", "1") == origin


@pytest.mark.parametrize(
    ("words", "host"),
    [
        ("claude --resume", True), ("/opt/claude/bin/claude", True), ("/usr/bin/gemini", True), ("node -r x /usr/lib/gemini.js", True),
        ("bun /x/@google/gemini-cli/dist/index.js", True), ("claude-desktop", False), ("/home/ann/claude/run", False),
        ("node /home/ann/claude/run.js", False), ("python claude.py", False), ("", False),
    ],
)  # fmt: skip
def test_a_host_is_known_by_its_program(words: str, host: bool) -> None:
    """With or without a runtime before it."""
    assert Process(words=tuple(words.split()), environ={}).is_host() is host


@pytest.mark.process
@pytest.mark.skipif(
    not os.path.exists("/proc/self/environ"),
    reason="the system tells nobody what a process was started with",
)
@pytest.mark.parametrize(
    ("given", "text", "origin"),
    [
        ({"X": "1"}, '"$0" -S -c "$1"; true', OUTSIDE),
        ({}, 'X=1 "$0" -S -c "$1"; true', HOST),
        ({}, 'X=1 sh -c \'"$0" -S -c "$1"; true\' "$0" "$1"; true', HOST),
        ({"X": "2"}, 'X=1 "$0" -S -c "$1"; true', HOST),
    ],
)
def test_a_host_adds_what_it_was_not_started_with(
    given: dict[str, str], text: str, origin: str
) -> None:
    """As the system remembers it, whatever the host has become since."""
    clean = {"PATH": os.environ["PATH"], **given}
    words = ["claude", "-c", text, sys.executable, _ASKS]
    asked = subprocess.run(
        words, executable="/bin/bash", env=clean, capture_output=True, text=True, check=True
    )

    assert asked.stdout.strip() == origin


def test_where_nobody_tells_nothing_is_known(monkeypatch: pytest.MonkeyPatch) -> None:
    """Not every system has /proc."""
    monkeypatch.setattr(lineage, "_PROC", "/nowhere")

    assert lineage.line() == Line()


def test_a_line_ends_where_another_user_begins(monkeypatch: pytest.MonkeyPatch) -> None:
    """What somebody else was started with is not looked at."""
    monkeypatch.setattr("os.getuid", lambda: -1)

    assert lineage.line() == Line(whole=True) if os.path.exists("/proc/self") else Line()
