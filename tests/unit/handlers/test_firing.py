"""Who is believed that says that a hook is being asked already?"""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from hookline.handlers import firing
from hookline.handlers.firing import VARIABLE, Inside, marked

SOURCE = str(Path(__file__).parents[3] / "src")
_ASKS = """
import os, sys
sys.path.insert(0, {source!r})
from hookline.handlers.firing import VARIABLE, Inside
inside = Inside(os.environ[VARIABLE])
print("tool.before" in inside, "stop" in inside, len(inside.problems))
"""


def below(value: str, *, without_proc: bool = False) -> str:
    """What a process that is started by another one, which we start, says of the variable."""
    code = _ASKS.format(source=SOURCE)
    if without_proc:
        code = code.replace("inside =", "import hookline.handlers.firing as firing; firing._PROC = '/nowhere'\ninside =")
    command = ["sh", "-c", '"$0" -S -c "$1"; true', sys.executable, code]
    return subprocess.run(command, env={VARIABLE: value, "PATH": os.environ["PATH"]}, capture_output=True, text=True, check=True).stdout


@pytest.mark.process
@pytest.mark.parametrize("outer", ["", "stop:1:0", "tool.after:99999999:1"])
def test_a_living_process_above_vouches_for_its_event(outer: str) -> None:
    """Whatever stands between, and whatever else is in the variable, which is told."""
    assert below(marked(outer, "tool.before")) == f"True False {int(bool(outer))}\n"


@pytest.mark.process
def test_a_process_that_ended_vouches_for_nothing() -> None:
    """Nor does one that only has its number."""
    child = subprocess.Popen([sys.executable, "-S", "-c", ""])
    child.wait()
    mine = marked("", "tool.before")

    for value in (f"tool.before:{child.pid}:5", f"{mine}1", mine.rpartition(":")[0]):
        assert below(value) == "False False 1\n"


@pytest.mark.process
@pytest.mark.skipif(not os.path.exists("/bin/ps"), reason="the list of processes comes from ps")
def test_without_proc_the_number_must_do(monkeypatch: pytest.MonkeyPatch) -> None:
    """There nobody tells when a process was started."""
    monkeypatch.setattr(firing, "_PROC", "/nowhere")
    monkeypatch.setattr(firing, "_marks", {})
    mine = marked("", "tool.before")

    assert mine.endswith(":")
    assert below(mine, without_proc=True) == "True False 0\n"
    assert below("tool.before:99999999:", without_proc=True) == "False False 1\n"


@pytest.mark.parametrize(
    "value", ["tool.before", "tool.before:1:0", "tool.before:1", "tool.before:x:y", "tool.before:::", "::", "\ud800", "tool.before:1:" * 3]
)
def test_what_anybody_can_write_is_ignored_and_said(value: str) -> None:
    """A clone's settings can set the environment of its agent; the first process of the machine is above everybody."""
    inside = Inside(value)

    assert "tool.before" not in inside
    assert [(problem.code, problem.severity) for problem in inside.problems] == [("HKL2008", "warning")]


def test_nobody_guesses_who_is_above() -> None:
    """Of a long list only the last, the innermost, are looked at."""
    real = f"tool.before:{os.getppid()}:{firing._stat(os.getppid())[1]}"

    assert "tool.before" in Inside(real)
    assert "tool.before" not in Inside(",".join([real, *["tool.before:2:2"] * 8]))


def test_a_process_that_was_forked_vouches_for_itself() -> None:
    """It has a number of its own."""
    mine = marked("", "stop")
    read, write = os.pipe()
    child = os.fork()
    if not child:
        os.write(write, marked("", "stop").encode())
        os._exit(0)
    os.waitpid(child, 0)
    theirs = os.read(read, 100).decode()
    os.close(read)
    os.close(write)

    assert (mine.split(":")[1], theirs.split(":")[1]) == (str(os.getpid()), str(child))
