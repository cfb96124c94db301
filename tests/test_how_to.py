"""What the how-to pages show is what happens."""

from __future__ import annotations

import os
import re
import signal
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
_PROGRAM = re.compile(r"```python\n# (\w+\.py)\n(.*?)```", re.DOTALL)


def programs(page: str, folder: Path) -> None:
    """Write the programs of a page into a folder."""
    found = _PROGRAM.findall((ROOT / "docs/how-to" / page).read_text(encoding="utf-8"))
    assert found
    for name, text in found:
        (folder / name).write_text(text, encoding="utf-8")


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
    programs("remote-hooks.md", tmp_path)
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
    assert (host.returncode, errors) == (0, "")


def asked(folder: Path) -> str:
    """What the agent of the page prints."""
    agent = started("agent.py", folder)
    out, errors = agent.communicate(timeout=60)
    assert (agent.returncode, errors) == (0, "")
    return out.strip()
