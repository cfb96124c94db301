"""What the how-to pages show is what happens."""

from __future__ import annotations

import os
import re
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from tests.unit.handlers.serving import closed_port

ROOT = Path(__file__).parents[1]
_FILE = re.compile(r"```\w+\n(?:#|//) (\w+\.\w+)\n(.*?)```", re.DOTALL)
_SHOWN = re.compile(r"```text\n(.*?)```", re.DOTALL)


def files(page: str, folder: Path, port: str = "", free: str = "") -> list[str]:
    """Write the files of a page into a folder, with a free port in place of the page's; return what it says that they print."""
    shown = (ROOT / "docs/how-to" / page).read_text(encoding="utf-8")
    found = _FILE.findall(shown)
    assert found
    for name, text in found:
        (folder / name).write_text(text.replace(port, free) if port else text, encoding="utf-8")
    return _SHOWN.findall(shown)


def started(program: str, folder: Path) -> subprocess.Popen[str]:
    environ = {**os.environ, "PYTHONPATH": str(ROOT / "src")}
    command = [sys.executable, "-X", "dev", program]
    return subprocess.Popen(
        command, cwd=folder, env=environ, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    )


def line(process: subprocess.Popen[str]) -> str:
    assert process.stdout is not None
    return process.stdout.readline().strip()


@pytest.mark.process
def test_remote_hooks(tmp_path: Path) -> None:
    """The policy decides, is killed, leaves its gate closed, and takes its place again by its key."""
    files("remote-hooks.md", tmp_path)
    host = started("host.py", tmp_path)
    assert line(host) == "open at unix:bridge.sock"
    said = []
    for _ in range(2):
        policy = started("policy.py", tmp_path)
        while "not `rm -rf build`" not in (told := asked(tmp_path)):
            assert "SILENT" in told or "not attached" in told, told
        policy.send_signal(signal.SIGKILL)
        policy.communicate()
        said += [told, asked(tmp_path)]
    _, errors = host.communicate("\n", timeout=60)

    assert (
        said
        == ["DENY not `rm -rf build`", "DENY Required hook 'guard' failed: could not be reached: the handlers `policy` are not attached"]
        * 2
    )
    assert (host.returncode, wrong(errors)) == (0, "")


def asked(folder: Path) -> str:
    """What the agent of the page prints."""
    agent = started("agent.py", folder)
    out, errors = agent.communicate(timeout=60)
    assert (agent.returncode, wrong(errors)) == (0, "")
    return out.strip()


def wrong(errors: str) -> str:
    """What a program said to its user; a loop that is debugged also says which steps took long, as all do on a busy machine."""
    return "".join(each for each in errors.splitlines(keepends=True) if not each.startswith("Executing <"))


@pytest.mark.process
def test_model_hooks(tmp_path: Path) -> None:
    """The judges decide as the page says, and fail as it says once nobody is there to be asked."""
    there, gone = files("model-hooks.md", tmp_path, "8099", str(closed_port()))
    provider = started("provider.py", tmp_path)
    try:
        assert line(provider) == "listening"
        assert asked(tmp_path) + "\n" == there
    finally:
        provider.kill()
        provider.communicate()

    assert asked(tmp_path) + "\n" == gone
