"""A settings file that is a pipe or a device, and a locked store, hold up no answer."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from typing import TYPE_CHECKING, Any

import pytest

import hookline
from tests.unit.server.support import CALL, PATIENCE, Place

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path

GUARD = {"PreToolUse": [{"hooks": [{"type": "command", "command": "echo no >&2; exit 2"}]}]}


def write_guard(path: Path) -> None:
    """Write a settings file of Claude Code that refuses every call."""
    path.parent.mkdir(parents=True)
    path.write_text(json.dumps({"hooks": GUARD}), encoding="utf-8")


@pytest.fixture
def environ(tmp_path: Path) -> dict[str, str]:
    """The environment of a person whose home is empty."""
    found = {name: value for name, value in os.environ.items() if not name.startswith("XDG_")}
    return found | {"HOME": str(tmp_path / "home"), "XDG_STATE_HOME": str(tmp_path / "state")}


@pytest.fixture
def work(tmp_path: Path) -> Path:
    """A project without hooks."""
    made = tmp_path / "work"
    made.mkdir()
    return made


def make_pipe(path: Path) -> None:
    """Make a pipe to which no process writes."""
    os.mkfifo(path)


def link_device(path: Path) -> None:
    """Make a link to a device that never ends."""
    path.symlink_to("/dev/zero")


@pytest.fixture(params=[make_pipe, link_device])
def home(request: pytest.FixtureRequest, tmp_path: Path) -> Path:
    """A home whose files of several dialects block their readers, and that has one guard."""
    made: Callable[[Path], None] = request.param
    home = tmp_path / "home"
    write_guard(home / ".claude" / "settings.json")
    for name in (".codex/config.toml", ".cursor/hooks.json"):
        (home / name).parent.mkdir(parents=True)
        made(home / name)
    hooks = home / ".config" / "agents" / "hooks" / "slow"
    hooks.mkdir(parents=True)
    made(hooks / "HOOK.md")
    return home


def test_a_program_is_answered(home: Path, work: Path, environ: dict[str, str]) -> None:
    """An engine in this process reads what it can, and asks the guard."""
    engine = hookline.Engine.discover(str(work), environ=environ | {"HOME": str(home)})
    try:
        decision = engine.fire("PreToolUse", CALL, dialect="claude-code")
    finally:
        engine.close()

    assert (decision.stance.name, decision.reason) == ("DENY", "no")
    files = {problem.origin.file for problem in engine.problems}
    assert str(home / ".codex/config.toml") in files


def serving(work: Path, environ: dict[str, str], socket: Path) -> Iterator[Place]:
    """Start `hookline serve` on a unix socket, yield where it listens, and end it."""
    words = [sys.executable, "-m", "hookline", "serve", "--unix", str(socket)]
    with subprocess.Popen(
        words, cwd=work, env=environ, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL
    ) as process:
        assert process.stdout is not None
        assert process.stdout.readline()  # it says that it listens
        try:
            yield Place(str(socket))
        finally:
            process.terminate()
            process.wait(PATIENCE)


@pytest.mark.process
@pytest.mark.usefixtures("home")
def test_a_server_answers(work: Path, environ: dict[str, str], tmp_path: Path) -> None:
    """It starts although files block their readers, and asks the guard."""
    for place in serving(work, environ, tmp_path / "socket"):
        answer = place.ask("POST", "/v1/answer/claude-code", {**CALL, "cwd": str(work)})

        assert answer.document["hookSpecificOutput"]["permissionDecision"] == "deny"


@pytest.mark.process
def test_a_server_answers_while_the_store_cannot_be_read(
    work: Path, environ: dict[str, str], tmp_path: Path
) -> None:
    """Approved guards count as changed, and each answer says why (docs/explanation/trust.md 4)."""
    project: dict[str, Any] = {
        "PreToolUse": [{"hooks": [{"type": "command", "command": "echo yes"}]}]
    }
    settings = work / ".claude" / "settings.json"
    settings.parent.mkdir()
    settings.write_text(json.dumps({"hooks": project}), encoding="utf-8")
    approve = [sys.executable, "-m", "hookline", "approve", str(settings), "--yes"]
    subprocess.run(approve, cwd=work, env=environ, check=True, capture_output=True)
    (tmp_path / "state/hookline/approvals").chmod(0o777)
    for place in serving(work, environ, tmp_path / "socket"):
        for _ in range(3):
            answer = place.ask("POST", "/v1/answer/claude-code", {**CALL, "cwd": str(work)})
            said = answer.document["hookSpecificOutput"]

            assert said["permissionDecision"] == "ask"
            assert "others may write" in said["permissionDecisionReason"]
            assert place.ask("GET", "/v1/health").status == 200
