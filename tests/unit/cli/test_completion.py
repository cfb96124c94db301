"""What shells are given and answered to complete command lines."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from typing import TYPE_CHECKING

import pytest

from hookline.cli.completion import SHELLS
from tests.unit.cli.support import DOCKER, ROOT, Desk

if TYPE_CHECKING:
    from pathlib import Path


def completed(desk: Desk, line: str) -> list[str]:
    """The words that a shell is answered for a line that ends where the cursor is."""
    told = desk.type("__complete", *line.split(" ")[1:])
    assert (told.code, told.err) == (0, "")
    return [word.partition("\t")[0] for word in told.out.splitlines()]


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
        ("hookline show -C there .claude/settings.json#",
            [".claude/settings.json#PreToolUse.true-svdmtg"], []),
        ("hookline show -c .claude/settings.json -C there .claude/settings.json#",
            [".claude/settings.json#PreToolUse.true-svdmtg"], []),
        (f"hookline show -c {DOCKER} --dialect none x", [], []),
        ("hookline list --event sto", ["stop"], []),
        (f"hookline show -c {DOCKER} docker-agent/hooks.yaml#root.sto",
            ["docker-agent/hooks.yaml#root.stop.bnppnj"],
            ["docker-agent/hooks.yaml#root.turn_end.vrtpvn"]),
        (f"hookline show -c {DOCKER} sto", ["stop"], []),
        ("hookline off .claude/settings.json#", [".claude/settings.json#Stop.true-svdmtg"], []),
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


def test_a_value_may_come_after_an_equals_sign(desk: Desk) -> None:
    """In one word, and in three words as bash splits it."""
    assert completed(desk, "hookline log --stance=d") == ["--stance=deny"]
    assert completed(desk, "hookline log --stance = d") == ["deny"]
    assert "halt" in completed(desk, "hookline log --stance =")


def test_commands_and_options_have_a_description(desk: Desk) -> None:
    """It comes after a tab, for shells that show it; hidden options are not offered."""
    assert "list\tlist the hooks" in desk.type("__complete", "l").out
    assert "--json\tprint JSON\n" in desk.type("__complete", "list", "--").out
    assert "--relay" not in desk.type("__complete", "list", "--").out


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


@pytest.mark.parametrize("shell", SHELLS)
def test_each_shell_has_a_script(shell: str, desk: Desk) -> None:
    """It asks hookline itself."""
    told = desk.type("completion", shell)

    assert (told.code, told.err) == (0, "")
    assert "hookline __complete" in told.out


# How a shell is asked to complete `hookline appr`, without a terminal.
TYPED = {
    "bash": (
        "source <(hookline completion bash); COMP_WORDS=(hookline appr); COMP_CWORD=1; "
        '_hookline hookline; echo "${COMPREPLY[@]}"'
    ),
    "zsh": (
        "compdef() { :; }; _describe() { print -l -- $found }; source <(hookline completion zsh); "
        "words=(hookline appr); CURRENT=2; _hookline"
    ),
    "fish": "hookline completion fish | source; complete --do-complete 'hookline appr'",
}


@pytest.mark.process
@pytest.mark.parametrize("shell", TYPED)
def test_a_shell_completes_with_it(shell: str, tmp_path: Path) -> None:
    """It loads the printed script, and offers the right word."""
    found = shutil.which(shell)
    if found is None:
        pytest.skip(f"{shell} is not installed")
    (tmp_path / "hookline").write_text(
        f'#!/bin/sh\nexec {sys.executable} -m hookline "$@"\n', encoding="utf-8"
    )
    (tmp_path / "hookline").chmod(0o755)
    environ = {
        "PATH": f"{tmp_path}:{os.environ['PATH']}",
        "PYTHONPATH": str(ROOT / "src"),
        "HOME": str(tmp_path),
    }
    done = subprocess.run(
        [found, "-c", TYPED[shell]],
        env=environ, cwd=tmp_path, capture_output=True, text=True, timeout=60, check=False,
    )  # fmt: skip

    assert done.stderr == ""
    assert done.stdout.partition("\t")[0].partition(":")[0].strip() == "approve"
