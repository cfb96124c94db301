"""The help of a command, and what shells are given and answered to complete command lines."""

from __future__ import annotations

import os
import subprocess
import sys
from typing import TYPE_CHECKING

import pytest

from hookline.cli.app import app_main
from hookline.cli.commands import COMMANDS, COMPLETION_VARIABLE
from tests.unit.cli.support import DOCKER, ROOT, Desk

if TYPE_CHECKING:
    from pathlib import Path


def completed(desk: Desk, line: str) -> list[str]:
    """What a bash is answered for a line that ends where the cursor is."""
    words = line.split(" ")
    for name, value in {
        COMPLETION_VARIABLE: "complete_bash",
        "COMP_WORDS": "\n".join(words),
        "COMP_CWORD": str(len(words) - 1),
    }.items():
        desk.monkeypatch.setenv(name, value)
    assert app_main([]) == 0
    desk.monkeypatch.delenv(COMPLETION_VARIABLE)
    printed = desk.capfd.readouterr()
    assert printed.err == ""
    return [word for word in printed.out.splitlines() if word]


@pytest.mark.parametrize(
    ("line", "has", "lacks"),
    [
        ("hookline ", ["list", "fire", "answer", "completion"], []),
        ("hookline va", ["validate"], ["list"]),
        ("hookline answer ", ["claude-code", "docker-agent"], []),
        ("hookline answer claude-code --m", ["--mode", "--match-tools"], ["--json"]),
        ("hookline fire Pre", ["PreToolUse"], ["pre_tool_use"]),
        ("hookline fire --dialect docker-agent pre", ["pre_tool_use"], ["preToolUse"]),
        ("hookline fire tool.b", ["tool.before"], []),
        ("hookline fire --host docker-agent --dialect kimi pre", ["pre_tool_use"], ["preToolUse"]),
        ("hookline fire --dialect none tool.", ["tool.before"], []),
        ("hookline fire --json Pre", ["PreToolUse"], []),
        ("hookline show -C there settings.json#", ["settings.json#PreToolUse.0.0"], []),
        ("hookline show -c .claude/settings.json -C there settings.json#",
            ["settings.json#PreToolUse.0.0"], []),
        (f"hookline show -c {DOCKER} --dialect none x", [], []),
        ("hookline list --event sto", ["stop"], []),
        (f"hookline show -c {DOCKER} hooks.yaml#sto", ["hooks.yaml#stop.0"],
            ["hooks.yaml#turn_end.0"]),
        (f"hookline show -c {DOCKER} sto", ["stop"], []),
        ("hookline off settings.json#", ["settings.json#Stop.0.0"], []),
        ("hookline approve -c nowhere.yaml x", [], []),
        ("hookline explain HKL120", ["HKL1203"], ["HKL1001"]),
        ("hookline explain la", ["last"], []),
        ("hookline log --stance ", ["deny", "halt"], []),
        ("hookline convert --to cl", ["claude-code"], ["codex"]),
        ("hookline schema ho", ["hook", "hooks"], ["code"]),
        ("hookline completion ", ["bash", "zsh", "fish", "powershell"], []),
    ],
)  # fmt: skip
def test_a_line_goes_on_with_what_fits(
    line: str, has: list[str], lacks: list[str], desk: Desk
) -> None:
    """Commands, options, hosts, events, hooks, codes and documents; where nothing fits, nothing."""
    desk.file(
        ".claude/settings.json",
        '{"hooks": {"Stop": [{"hooks": [{"type": "command", "command": "true"}]}]}}',
    )
    desk.file(
        "there/.claude/settings.json",
        '{"hooks": {"PreToolUse": [{"hooks": [{"type": "command", "command": "true"}]}]}}',
    )
    offered = completed(desk, line)

    assert [word for word in has if word not in offered] == []
    assert [word for word in lacks if word in offered] == []
    assert all(word.startswith(line.rpartition(" ")[2]) for word in offered)
    assert has or not offered


def test_only_the_command_that_is_typed_is_loaded(desk: Desk) -> None:
    """Of the others only the names are loaded."""
    loaded = {
        name: sys.modules.pop(name) for name in [*sys.modules] if name == "hookline.cli.serve"
    }
    try:
        completed(desk, "hookline se")
        assert "hookline.cli.serve" not in sys.modules
    finally:
        sys.modules.update(loaded)


@pytest.mark.process
@pytest.mark.parametrize("shell", ["bash", "zsh", "fish", "powershell"])
def test_each_shell_has_a_script(shell: str, desk: Desk) -> None:
    """It asks hookline itself."""
    told = desk.type("completion", shell)

    assert (told.code, told.err) == (0, "")
    assert COMPLETION_VARIABLE in told.out
    assert "hookline" in told.out


@pytest.mark.process
def test_a_bash_completes_with_it(tmp_path: Path) -> None:
    """It loads the printed script, and offers the right words."""
    (tmp_path / "hookline").write_text(
        f'#!/bin/sh\nexec {sys.executable} -m hookline "$@"\n', encoding="utf-8"
    )
    (tmp_path / "hookline").chmod(0o755)
    typed = (
        "source <(hookline completion bash); COMP_WORDS=(hookline appr); COMP_CWORD=1; "
        '_hookline_completion hookline; echo "${COMPREPLY[@]}"'
    )
    environ = {
        "PATH": f"{tmp_path}:{os.environ['PATH']}",
        "PYTHONPATH": str(ROOT / "src"),
        "HOME": str(tmp_path),
    }
    done = subprocess.run(
        ["bash", "-c", typed],  # noqa: S607 - the bash on the user's PATH
        env=environ, cwd=tmp_path, capture_output=True, text=True, timeout=60, check=False,
    )  # fmt: skip

    assert (done.stdout, done.stderr) == ("approve\n", "")


def test_help_names_every_option(desk: Desk) -> None:
    """It has the examples of the table, too."""
    shown = desk.type("list", "--help").out

    assert COMMANDS["list"].examples[0] in shown
    assert all(name in shown for name in ("--config", "--event", "--json", "exit codes"))
    assert "--relay" not in shown
