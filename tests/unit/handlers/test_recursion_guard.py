"""Recursion guard: which claims of running hooks count."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from hookline.handlers import recursion_guard
from hookline.handlers.recursion_guard import VARIABLE, Reentrancy, extend_variable, hook_mark
from hookline.model.spec import Command, HookSpec

SOURCE = str(Path(__file__).parents[3] / "src")
_ASKS = """
import os, sys
sys.path.insert(0, {source!r})
from hookline.handlers.recursion_guard import VARIABLE, Reentrancy
inside = Reentrancy(os.environ)
active = [inside.find_active_hooks(kind) for kind in ("tool.before", "stop")]
print(*(",".join(sorted(each)) or "-" for each in active), len(inside.problems))
"""


@pytest.fixture
def home(tmp_path: Path) -> dict[str, str]:
    """The environment of a user."""
    return {"HOME": str(tmp_path), "PATH": os.environ["PATH"]}


def below(home: dict[str, str], value: str, *, without_proc: bool = False) -> str:
    """What a process that is started by another one, which we start, says of the variable."""
    code = _ASKS.format(source=SOURCE)
    if without_proc:
        code = code.replace(
            "inside =",
            "import hookline.handlers.recursion_guard as guard\n"
            "guard.read_stat, guard.os.path.exists = lambda _: None, lambda _: False\ninside =",
        )
    command = ["sh", "-c", '"$0" -S -c "$1"; true', sys.executable, code]
    return subprocess.run(
        command, env={**home, VARIABLE: value}, capture_output=True, text=True, check=True
    ).stdout


def claim(kind: str, mark: str) -> str:
    """The entry that the parent process would write for a hook if it were a hookline."""
    return f"{kind}:{os.getppid()}:{recursion_guard._parent_and_start(os.getppid())[1]}:{mark}"


def inside(home: dict[str, str], *parts: str) -> Reentrancy:
    return Reentrancy({**home, VARIABLE: ",".join(parts)})


@pytest.mark.process
@pytest.mark.parametrize("outer", ["", "stop:1:0:x", "stop:1:0", "tool.after:99999999:1:x"])
def test_a_living_process_above_vouches_for_its_event(outer: str, home: dict[str, str]) -> None:
    """Other processes may stand between, and other entries are reported."""
    mine = extend_variable(home, "tool.before", "one")

    assert below(home, ",".join(filter(None, (outer, mine)))) == f"one - {int(bool(outer))}\n"


@pytest.mark.process
def test_a_process_that_ended_vouches_for_nothing(home: dict[str, str]) -> None:
    """A process with the same id does not count either."""
    child = subprocess.Popen([sys.executable, "-S", "-c", ""])
    child.wait()
    mine = extend_variable(home, "tool.before", "x")

    for text in (f"tool.before:{child.pid}:5:x", mine.replace(":x", "1:x"), mine[: -len(":x")]):
        assert below(home, text) == "- - 1\n"


@pytest.mark.process
@pytest.mark.skipif(not os.path.exists("/bin/ps"), reason="the list of processes comes from ps")
def test_without_proc_the_processes_are_those_of_ps(
    monkeypatch: pytest.MonkeyPatch, home: dict[str, str]
) -> None:
    """It tells when a process was started, too."""
    monkeypatch.setattr(recursion_guard, "read_stat", lambda _: None)
    monkeypatch.setattr(os.path, "exists", lambda _: False)
    mine = extend_variable(home, "tool.before", "x")
    monkeypatch.undo()

    assert mine.count(":") == 3
    forged = mine.replace(":x", "1:y")
    assert below(home, f"{forged},{mine}", without_proc=True) == "x - 1\n"


@pytest.mark.parametrize(
    "value",
    ["tool.before", "tool.before:1:0:x", "tool.before:1:0", "tool.before:x:y:z", "tool.before:::",
     ":::", ":::::", "\ud800", "x" * 131050, "a:b,"]
)  # fmt: skip
def test_an_unproven_entry_is_ignored_and_reported(value: str, home: dict[str, str]) -> None:
    """A clone's settings can set the environment of its agent.

    The first process of the machine is an ancestor of all others.
    """
    found = inside(home, value)

    assert found.find_active_hooks("tool.before") == frozenset()
    assert [(problem.code, problem.severity) for problem in found.problems] == [
        ("HKL2008", "warning")
    ]


def test_no_entry_can_guess_a_process_above(home: dict[str, str]) -> None:
    """Of a long list only the last, the innermost, are looked at."""
    real = claim("tool.before", "x")

    assert inside(home, real).find_active_hooks("tool.before") == {"x"}
    assert (
        inside(home, real, *["tool.before:2:2:y"] * 8).find_active_hooks("tool.before")
        == frozenset()
    )


@pytest.mark.parametrize(
    "outer",
    ["x" * 131050, "x:1:2:y," * 13000, "," * 131050, ""],
    ids=["one", "many", "none", "empty"],
)
def test_entries_of_others_do_not_make_the_variable_longer(
    outer: str, home: dict[str, str]
) -> None:
    """A system takes no longer one than 128 KiB, and would start no hook at all."""
    real = claim("stop", "a")

    assert extend_variable({**home, VARIABLE: outer}, "tool.before", "x") == extend_variable(
        home, "tool.before", "x"
    )
    kept = extend_variable({**home, VARIABLE: f"{outer},{real}"}, "tool.before", "x")
    assert kept == f"{real},{extend_variable(home, 'tool.before', 'x')}"


def test_no_more_is_passed_on_than_may_be_nested(home: dict[str, str]) -> None:
    """Names of events may have any length."""
    outer = ",".join(claim(f"kind{at}", "a") for at in range(20))
    parts = extend_variable({**home, VARIABLE: outer}, "k" * 100_000, "x").split(",")

    assert len(parts) == 8
    assert all(len(part) < 200 for part in parts)


@pytest.mark.parametrize("kind", ["k" * 100_000, "with,comma", "x.some:where"])
def test_any_kind_of_event_is_known_again(
    kind: str, home: dict[str, str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Its name may have any characters."""
    own = {os.getpid(): recursion_guard._parent_and_start(os.getpid())[1]}
    monkeypatch.setattr(recursion_guard, "find_ancestors", lambda: own)

    assert inside(home, extend_variable(home, kind, "a")).find_active_hooks(kind) == {"a"}


def test_each_hook_that_is_being_asked_is_known_by_its_kind_of_event(home: dict[str, str]) -> None:
    """Where they are nested; a kind may be written with colons."""
    found = inside(
        home,
        *(
            claim(*each)
            for each in (
                ("tool.before", "a"),
                ("x.some:where", "b"),
                ("tool.before", "c"),
                ("stop", "a"),
            )
        ),
    )

    assert [
        found.find_active_hooks(kind) for kind in ("tool.before", "x.some:where", "stop", "x")
    ] == [
        {"a", "c"},
        {"b"},
        {"a"},
        frozenset(),
    ]
    assert found.problems == ()


@pytest.mark.parametrize(("depth", "too_deep"), [(7, False), (8, True), (20, True)])
def test_what_is_nested_too_deeply_has_no_end(
    depth: int, too_deep: bool, home: dict[str, str]
) -> None:
    """It may go through any kinds of event."""
    found = inside(home, *(claim(f"kind{at}", f"hook{at}") for at in range(depth)))

    assert (found.find_active_hooks("tool.before") is None) is too_deep


def test_a_hook_is_known_again_by_its_id_and_what_it_runs() -> None:
    """Not by what a gate or a mode adds to it."""
    spec = HookSpec(
        id="a",
        dialect="kimi",
        kind="stop",
        native_event="Stop",
        handler=Command(argv=("x", "\udc80")),
    )
    same = spec.replace(strict=True, timeout=3.0, handler=spec.handler.replace(kill_leftovers=True))
    others = [
        spec.replace(id="b"),
        spec.replace(dialect="codex"),
        spec.replace(handler=Command(script="x")),
    ]

    assert hook_mark(spec) == hook_mark(same)
    assert ":" not in hook_mark(spec)
    assert len({hook_mark(each) for each in (spec, *others)}) == 4


def test_a_process_that_was_forked_vouches_for_itself(home: dict[str, str]) -> None:
    """It has a number of its own."""
    mine = extend_variable(home, "stop", "x")
    read, write = os.pipe()
    child = os.fork()
    if not child:
        os.write(write, extend_variable(home, "stop", "x").encode())
        os._exit(0)
    os.waitpid(child, 0)
    theirs = os.read(read, 100).decode()
    os.close(read)
    os.close(write)

    assert (mine.split(":")[1], theirs.split(":")[1]) == (str(os.getpid()), str(child))
