"""Start-up: what the commands that hosts start never load."""

from __future__ import annotations

import json
import re
import subprocess
import sys
from typing import TYPE_CHECKING

import pytest

from tests.unit.cli.support import DOCKER, ROOT

if TYPE_CHECKING:
    from pathlib import Path

pytestmark = pytest.mark.process
HEAVY = {"rich", "pydantic", "asyncio", "click", "starlette", "uvicorn"}
# What `answer` does without where a host's settings match tools by their exact names and no hook
# takes part.
UNNEEDED = HEAVY | {
    "ruamel",
    "re2",
    "dataclasses",
    "typing",
    "subprocess",
    "pathlib",
    "inspect",
    "argparse",
    "threading",
    "wcmatch",
    "tree_sitter",
}
_LINE = re.compile(r"import time:.*\|\s+(\S+)$")
SETTINGS = {
    "hooks": {
        "PreToolUse": [
            {"matcher": "Write|Edit", "hooks": [{"type": "command", "command": "exit 2"}]}
        ]
    }
}
READ = {
    "hook_event_name": "PreToolUse",
    "session_id": "s",
    "cwd": "/",
    "tool_name": "Read",
    "tool_input": {"file_path": "x"},
}


def loaded(*words: str, stdin: object, cwd: Path) -> set[str]:
    """The modules that a command loads, each by its first name.

    What Python and its site load anyway is not counted.
    """
    environ = {"HOME": str(cwd), "PATH": "/usr/bin:/bin", "PYTHONPATH": str(ROOT / "src")}
    done = subprocess.run(
        [sys.executable, "-X", "importtime", "-m", "hookline", *words],
        input=json.dumps(stdin),
        text=True,
        capture_output=True,
        cwd=cwd,
        env=environ,
        timeout=60,
        check=False,
    )
    names = [found.group(1) for line in done.stderr.splitlines() if (found := _LINE.match(line))]
    assert done.returncode in (0, 1), done.stderr
    return {name.partition(".")[0] for name in names[names.index("hookline") :]}


@pytest.mark.parametrize(
    "words",
    [
        ("--version",),
        ("answer", "docker-agent", "-c", DOCKER),
        ("fire", "pre_tool_use", "-c", DOCKER),
        ("answer", "agenthooks"),
    ],
    ids=lambda words: " ".join(words[:2]),
)
def test_nothing_heavy_is_loaded(words: tuple[str, ...], tmp_path: Path) -> None:
    """Neither the libraries of the typed commands, nor an event loop."""
    payload = READ | {
        "hook_event_name": "pre_tool_use",
        "event_type": "pre-tool-call",
        "tool_name": "shell",
        "tool_input": {"cmd": "ls"},
    }

    assert loaded(*words, stdin=payload, cwd=tmp_path) & HEAVY == set()


# Commands of people that need no engine: what none of them loads.
LIGHT = ("--help", "explain HKL1203", "schema decision", "completion bash", "show tool.before")


@pytest.mark.parametrize("line", LIGHT)
def test_a_command_without_hooks_loads_no_engine(line: str, tmp_path: Path) -> None:
    """Neither an engine nor a dialect, nor what reads or runs hooks."""
    environ = {"HOME": str(tmp_path), "PATH": "/usr/bin:/bin", "PYTHONPATH": str(ROOT / "src")}
    done = subprocess.run(
        [sys.executable, "-X", "importtime", "-m", "hookline", *line.split()],
        text=True, capture_output=True, cwd=tmp_path, env=environ, timeout=60, check=False,
    )  # fmt: skip
    unneeded = ("hookline.engine.engine", "hookline.dialects", "hookline.handlers.command")

    assert done.returncode == 0
    assert [name for name in unneeded if f" {name}\n" in done.stderr] == []


def test_a_host_pays_for_nothing_that_it_does_not_use(tmp_path: Path) -> None:
    """JSON settings and exact names need no YAML, no RE2, no processes."""
    settings = tmp_path / "settings.json"
    settings.write_text(json.dumps(SETTINGS), encoding="utf-8")

    assert (
        loaded("answer", "claude-code", "-c", str(settings), stdin=READ, cwd=tmp_path) & UNNEEDED
        == set()
    )


def test_what_a_project_brings_along_costs_no_more(tmp_path: Path) -> None:
    """The same holds for discovered settings."""
    (tmp_path / ".claude").mkdir()
    (tmp_path / ".claude" / "settings.json").write_text(json.dumps(SETTINGS), encoding="utf-8")

    assert (
        loaded("answer", "claude-code", stdin=READ | {"cwd": str(tmp_path)}, cwd=tmp_path)
        & UNNEEDED
        == set()
    )


# Without `select`, by which standard input is waited for.
NETWORK = {"socket", "ssl", "http", "urllib", "selectors", "email", "ipaddress"}


@pytest.mark.parametrize(
    "hook", ["command: cat /dev/null", "type: http\n    url: https://policy.example/"]
)
def test_nothing_of_the_network_is_loaded_before_an_address_is_called(
    hook: str, tmp_path: Path
) -> None:
    """Not even if a hook that does not match has an address."""
    config = tmp_path / "shell_hooks.yaml"
    config.write_text(
        f"hooks:\n  - event: pre_tool_call\n    matcher: nowhere\n    {hook}\n", encoding="utf-8"
    )
    payload = {"event": "pre_tool_call", "tool_name": "bash", "tool_input": {"command": "ls"}}
    allowed = {"urllib", "ipaddress"} if "http" in hook else set()  # by which its address was read

    assert (
        loaded("answer", "starchild", "-c", str(config), stdin=payload, cwd=tmp_path) & NETWORK
        <= allowed
    )


@pytest.mark.parametrize(
    "words", [("list",), ("schema",), ("show", "stop"), ("help",)], ids=" ".join
)
def test_typed_commands_do_not_load_rich(words: tuple[str, ...], tmp_path: Path) -> None:
    """Pages are plain text with a few colours."""
    assert "rich" not in loaded(*words, stdin={}, cwd=tmp_path)


@pytest.mark.parametrize("flags", [(), ("-P",)], ids=["as it is", "-P"])
@pytest.mark.parametrize("name", ["json.py", "gc.py", "argparse.py", "re.py"])
def test_no_module_of_the_folder_in_which_it_is_started_is_ours(
    name: str, flags: tuple[str, ...], tmp_path: Path
) -> None:
    """Also by `python -m hookline`, which puts the working folder first on sys.path."""
    (tmp_path / name).write_text("open('theirs', 'w')", encoding="utf-8")
    command = [sys.executable, *flags, "-m", "hookline", "answer", "claude-code"]
    environ = {"HOME": str(tmp_path), "PATH": "/usr/bin:/bin", "PYTHONPATH": str(ROOT / "src")}
    done = subprocess.run(
        command,
        input=json.dumps(READ),
        text=True,
        capture_output=True,
        cwd=tmp_path,
        env=environ,
        timeout=60,
        check=False,
    )

    assert (done.returncode, done.stdout, done.stderr) == (0, "", "")
    assert not (tmp_path / "theirs").exists()
