"""Who ends a process that a hook started and that nothing leads back to that hook?"""

from __future__ import annotations

import json
import os
import subprocess
import sys

import pytest

from tests.unit.cli.support import ROOT
from tests.unit.handlers.support import is_gone, lives, pid_in

TYPE_CHECKING = False
if TYPE_CHECKING:
    from pathlib import Path

pytestmark = pytest.mark.process
ESCAPE = "(env -i setsid sh -c 'echo $$ > {0}/{1}.new; mv {0}/{1}.new {0}/{1}; exec sleep 300' >/dev/null 2>&1 </dev/null &); until [ -s {0}/{1} ]; do :; done"
PROGRAM = """
import sys
from hookline import Engine
engine = Engine.from_config(sys.argv[1], dialect="claude-code", supervised=sys.argv[2] == "yes")
engine.fire("PreToolUse", {"tool_name": "Bash", "tool_input": {}}, dialect="claude-code")
"""


def fire(folder: Path, *hooks: dict[str, object], supervised: bool = True) -> None:
    """Ask hooks in a program of its own."""
    tree = {"hooks": {"PreToolUse": [{"hooks": [{"type": "command", **hook} for hook in hooks]}]}}
    path = folder / "settings.json"
    path.write_text(json.dumps(tree), encoding="utf-8")
    environ = {"HOME": str(folder), "PATH": "/usr/bin:/bin", "PYTHONPATH": str(ROOT / "src")}
    command = [sys.executable, "-c", PROGRAM, str(path), "yes" if supervised else "no"]
    subprocess.run(command, env=environ, cwd=folder, timeout=60, check=True)


@pytest.mark.parametrize("supervised", [True, False])
def test_a_program_asks_to_be_a_subreaper(tmp_path, supervised):
    """With `supervised=True` an orphan without any trace ends at the time limit.

    A program that does not ask is left alone.
    """
    escape = ESCAPE.format(tmp_path, "escaped")
    fire(tmp_path, {"command": f"{escape}; sleep 300", "timeout": 2}, supervised=supervised)
    escaped = pid_in(tmp_path / "escaped")

    assert escaped
    if supervised:
        assert is_gone(escaped)
    else:
        assert lives(escaped)
        os.kill(escaped, 9)
