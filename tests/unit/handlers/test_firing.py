"""Who is believed that says that a hook is being asked already?"""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from hookline.handlers import firing
from hookline.handlers.firing import VARIABLE, Inside, mark_of, marked
from hookline.model.handler import Command
from hookline.model.spec import HookSpec

SOURCE = str(Path(__file__).parents[3] / "src")
_ASKS = """
import os, sys
sys.path.insert(0, {source!r})
from hookline.handlers.firing import VARIABLE, Inside
inside = Inside(os.environ[VARIABLE])
print(*(",".join(sorted(inside.asked(kind))) or "-" for kind in ("tool.before", "stop")), len(inside.problems))
"""


def below(value: str, *, without_proc: bool = False) -> str:
    """What a process that is started by another one, which we start, says of the variable."""
    code = _ASKS.format(source=SOURCE)
    if without_proc:
        code = code.replace("inside =", "import hookline.handlers.firing as firing; firing._PROC = '/nowhere'\ninside =")
    command = ["sh", "-c", '"$0" -S -c "$1"; true', sys.executable, code]
    return subprocess.run(command, env={VARIABLE: value, "PATH": os.environ["PATH"]}, capture_output=True, text=True, check=True).stdout


def claim(kind: str, mark: str) -> str:
    """What whoever started this process would have said of a hook that it asks."""
    return f"{kind}:{os.getppid()}:{firing._stat(os.getppid())[1]}:{mark}"


@pytest.mark.process
@pytest.mark.parametrize("outer", ["", "stop:1:0:x", "stop:1:0", "tool.after:99999999:1:x"])
def test_a_living_process_above_vouches_for_its_event(outer: str) -> None:
    """Whatever stands between, and whatever else is in the variable, which is told."""
    assert below(marked(outer, "tool.before", "one")) == f"one - {int(bool(outer))}\n"


@pytest.mark.process
def test_a_process_that_ended_vouches_for_nothing() -> None:
    """Nor does one that only has its number."""
    child = subprocess.Popen([sys.executable, "-S", "-c", ""])
    child.wait()
    mine = marked("", "tool.before", "x")

    for value in (f"tool.before:{child.pid}:5:x", mine.replace(":x", "1:x"), mine.rpartition(":")[0]):
        assert below(value) == "- - 1\n"


@pytest.mark.process
@pytest.mark.skipif(not os.path.exists("/bin/ps"), reason="the list of processes comes from ps")
def test_without_proc_the_number_must_do(monkeypatch: pytest.MonkeyPatch) -> None:
    """There nobody tells when a process was started."""
    monkeypatch.setattr(firing, "_PROC", "/nowhere")
    monkeypatch.setattr(firing, "_marks", {})
    mine = marked("", "tool.before", "x")

    assert mine.endswith("::x")
    assert below(mine, without_proc=True) == "x - 0\n"
    assert below("tool.before:99999999::x", without_proc=True) == "- - 1\n"


@pytest.mark.parametrize(
    "value",
    ["tool.before", "tool.before:1:0:x", "tool.before:1:0", "tool.before:x:y:z", "tool.before:::", ":::", "\ud800", "tool.before:1:" * 3],
)
def test_what_anybody_can_write_is_ignored_and_said(value: str) -> None:
    """A clone's settings can set the environment of its agent; the first process of the machine is above everybody."""
    inside = Inside(value)

    assert inside.asked("tool.before") == frozenset()
    assert [(problem.code, problem.severity) for problem in inside.problems] == [("HKL2008", "warning")]


def test_nobody_guesses_who_is_above() -> None:
    """Of a long list only the last, the innermost, are looked at."""
    real = claim("tool.before", "x")

    assert Inside(real).asked("tool.before") == {"x"}
    assert Inside(",".join([real, *["tool.before:2:2:y"] * 8])).asked("tool.before") == frozenset()


def test_each_hook_that_is_being_asked_is_known_by_its_kind_of_event() -> None:
    """Where they are nested; a kind may be written with colons."""
    inside = Inside(",".join([claim("tool.before", "a"), claim("x.some:where", "b"), claim("tool.before", "c"), claim("stop", "a")]))

    assert [inside.asked(kind) for kind in ("tool.before", "x.some:where", "stop", "x")] == [{"a", "c"}, {"b"}, {"a"}, frozenset()]
    assert inside.problems == ()


@pytest.mark.parametrize(("depth", "too_deep"), [(7, False), (8, True), (20, True)])
def test_what_is_nested_too_deeply_has_no_end(depth: int, too_deep: bool) -> None:  # noqa: FBT001 - a row
    """Whatever kinds of event it goes through."""
    inside = Inside(",".join(claim(f"kind{at}", f"hook{at}") for at in range(depth)))

    assert (inside.asked("tool.before") is None) is too_deep


def test_a_hook_is_known_again_by_its_id_and_what_it_runs() -> None:
    """Not by what a gate or a mode adds to it."""
    spec = HookSpec(id="a", dialect="kimi", kind="stop", native_event="Stop", handler=Command(argv=("x", "\udc80")))
    same = spec.replace(strict=True, timeout=3.0, handler=spec.handler.replace(kill_leftovers=True))
    others = [spec.replace(id="b"), spec.replace(dialect="codex"), spec.replace(handler=Command(script="x"))]

    assert mark_of(spec) == mark_of(same)
    assert ":" not in mark_of(spec)
    assert len({mark_of(each) for each in (spec, *others)}) == 4


def test_a_process_that_was_forked_vouches_for_itself() -> None:
    """It has a number of its own."""
    mine = marked("", "stop", "x")
    read, write = os.pipe()
    child = os.fork()
    if not child:
        os.write(write, marked("", "stop", "x").encode())
        os._exit(0)
    os.waitpid(child, 0)
    theirs = os.read(read, 100).decode()
    os.close(read)
    os.close(write)

    assert (mine.split(":")[1], theirs.split(":")[1]) == (str(os.getpid()), str(child))
