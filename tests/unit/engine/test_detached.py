"""Detached hooks: started and not waited for, and never lost."""

from __future__ import annotations

import asyncio
import os
import threading
from typing import TYPE_CHECKING

import pytest

from hookline import Engine, Event, Limits
from hookline.core.dispatch import Run
from hookline.engine.catalog import make_dialect
from hookline.engine.detached import Detached, find_time_limit
from hookline.model.spec import HookSpec, InProcess
from hookline.model.verdict import Failure, Outcome
from tests.unit.engine.processes import ends
from tests.unit.handlers.support import until

if TYPE_CHECKING:
    from pathlib import Path

    from hookline.engine.runtime import Finished

NOTICE = Event(
    kind="notification", dialect="claude-code", native_name="Notification", session_id="s1", cwd="/"
)
pytestmark = pytest.mark.process


def an_engine(command: str, tmp_path: Path, finished: list[Finished], **settings: object) -> Engine:
    """An engine with one detached hook."""
    hook = {"type": "command", "command": command, "async": True}
    tree = {"hooks": {"Notification": [{"hooks": [hook]}]}}
    environ = {"PATH": os.environ["PATH"], "FOLDER": str(tmp_path)}
    return Engine.from_config(
        tree, dialect="claude-code", environ=environ, finished=finished.append, **settings
    )


@pytest.mark.parametrize("asynchronous", [False, True])
def test_a_hook_goes_to_the_background_by_its_first_line(
    tmp_path: Path, *, asynchronous: bool
) -> None:
    """The decision comes while the hook runs; `finished` gets its output without that line."""
    finished: list[Finished] = []
    os.mkfifo(tmp_path / "go")
    command = """echo '{"async": true}'; read line < "$FOLDER/go"; echo "$line"; exit 3"""
    tree = {"hooks": {"Notification": [{"hooks": [{"type": "command", "command": command}]}]}}
    environ = {"PATH": os.environ["PATH"], "FOLDER": str(tmp_path)}
    engine = Engine.from_config(
        tree, dialect="claude-code", environ=environ, finished=finished.append
    )
    decision = asyncio.run(engine.fire_async(NOTICE)) if asynchronous else engine.fire(NOTICE)
    before = list(finished)
    (tmp_path / "go").write_text("on\n", encoding="utf-8")
    engine.close()

    assert [verdict.fault for verdict in decision.verdicts] == [None]
    assert before == []
    assert [(each.outcome.exit_code, each.outcome.stdout) for each in finished] == [(3, "on\n")]


def test_closing_waits_for_what_was_started(tmp_path: Path) -> None:
    """The decision comes at once; the hook ends later, and its outcome is reported."""
    finished: list[Finished] = []
    os.mkfifo(tmp_path / "go")
    engine = an_engine(
        'read line < "$FOLDER/go"; echo "$line" > "$FOLDER/done"; exit 3', tmp_path, finished
    )
    decision = engine.fire(NOTICE)
    before = list(finished)
    (tmp_path / "go").write_text("on\n", encoding="utf-8")
    engine.close()

    assert [(verdict.hook_id, verdict.fault) for verdict in decision.verdicts] == [
        (engine.hooks[0].id, None)
    ]
    assert before == []
    assert (tmp_path / "done").read_text(encoding="utf-8") == "on\n"
    assert [(each.hook_id, each.outcome.exit_code) for each in finished] == [
        (engine.hooks[0].id, 3)
    ]


def test_closing_ends_what_does_not_end(tmp_path: Path) -> None:
    """After the time limit the hook and all that it started are ended; the outcome says so."""
    finished: list[Finished] = []
    os.mkfifo(tmp_path / "pid")
    engine = an_engine(
        'sleep 1000 & echo $$ $! > "$FOLDER/pid"; wait',
        tmp_path,
        finished,
        limits=Limits(grace=0.1),
    )
    engine.fire(NOTICE)
    pids = [int(pid) for pid in (tmp_path / "pid").read_text(encoding="utf-8").split()]
    engine.close(seconds=0)

    assert [each.outcome.failure for each in finished] == [Failure.CANCELLED]
    assert all(ends(pid) for pid in pids)


def test_leaving_the_context_closes_the_engine(tmp_path: Path) -> None:
    """No hook runs after the `with` block."""
    finished: list[Finished] = []
    with an_engine("true", tmp_path, finished) as engine:
        for _ in range(3):
            engine.fire(NOTICE)

    assert [each.outcome.exit_code for each in finished] == [0, 0, 0]


def test_an_engine_can_be_used_after_closing(tmp_path: Path) -> None:
    """Closing is draining, not an end."""
    finished: list[Finished] = []
    engine = an_engine("true", tmp_path, finished)
    for _ in range(2):
        engine.fire(NOTICE)
        engine.close()

    assert len(finished) == 2


def test_a_python_hook_can_be_detached_too() -> None:
    """It runs on its own thread, and its outcome is reported like any other."""
    finished: list[Finished] = []
    names: list[str] = []
    own = HookSpec(
        id="own", dialect="hookline", kind="notification", native_event="notification",
        detached=True,
        handler=InProcess(call=lambda _: names.append(threading.current_thread().name)),
    )  # fmt: skip
    detached = Detached(Limits(), {}, lambda _, ended: finished.append(ended))
    detached.start(Run(spec=own, event=NOTICE, detached=True))
    detached.drain(5)

    assert names == ["hookline own"]
    assert [(each.hook_id, each.outcome.failure) for each in finished] == [("own", None)]


def test_a_caller_may_run_them_itself(tmp_path: Path) -> None:
    """`answer` hands them to a process that outlives it."""
    taken: list[Run] = []
    finished: list[Finished] = []
    engine = an_engine("exit 1", tmp_path, finished, detach=taken.append)
    engine.fire(NOTICE)
    engine.close()

    assert [run.spec.id for run in taken] == [engine.hooks[0].id]
    assert taken[0].payload is not None
    assert finished == []


@pytest.mark.filterwarnings("ignore::pytest.PytestUnhandledThreadExceptionWarning")
def test_an_observer_that_raises_leaves_nothing_open(tmp_path: Path) -> None:
    """The thread ends, and its descriptors are closed."""

    def angry(finished: Finished) -> None:
        raise ValueError(finished.hook_id)

    hook = {"type": "command", "command": "true", "async": True}
    engine = Engine.from_config(
        {"hooks": {"Notification": [{"hooks": [hook]}]}},
        dialect="claude-code",
        environ={"PATH": os.environ["PATH"]},
        finished=angry,
    )
    before = len(os.listdir("/proc/self/fd"))
    engine.fire(NOTICE)
    engine.close()

    assert len(os.listdir("/proc/self/fd")) == before
    assert [
        thread.name
        for thread in threading.enumerate()
        if thread.name == f"hookline {engine.hooks[0].id}"
    ] == []


# -- what is told of an end ------------------------------------------------------------------------


def test_the_report_of_an_end_is_complete(tmp_path: Path) -> None:
    """The event, the decoded result, and the times at which the hook began and ended."""
    finished: list[Finished] = []
    times = iter((107.5,))
    engine = an_engine(
        """printf '{"systemMessage": "done", "decision": "block"}'""",
        tmp_path,
        finished,
        clock=lambda: next(times),
    )
    engine.fire(NOTICE)
    engine.close()
    (end,) = finished

    assert (end.event.kind, end.event.native_name, end.event.session_id) == (
        "notification",
        "Notification",
        "s1",
    )
    assert (end.verdict.hook_id, end.verdict.for_user, end.verdict.unsupported) == (
        engine.hooks[0].id,
        "done",
        ("deny",),
    )
    assert end.ended == 107.5


def test_output_is_kept_up_to_its_bound(tmp_path: Path) -> None:
    """As of any other hook."""
    finished: list[Finished] = []
    with an_engine("printf 123456; exit 1", tmp_path, finished, limits=Limits(kept=4)) as engine:
        engine.fire(NOTICE)

    assert [(each.outcome.stdout, each.outcome.truncated) for each in finished] == [("1234", True)]


# -- bounds ----------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("dialect", "strict", "own", "bound"),
    [
        ("claude-code", False, 5.0, 60.0),
        ("claude-code", True, 5.0, 5.0),
        ("claude-code", True, 600.0, 60.0),
        ("agenthooks", False, 5.0, 5.0),
        ("agenthooks", True, 5.0, 5.0),
        ("agenthooks", False, 600.0, 60.0),
    ],
)
def test_a_time_limit_counts_where_the_dialect_enforces_it(
    dialect: str, own: float, bound: float, *, strict: bool
) -> None:
    """Not in Claude Code (docs/formats/claude-code.md 4), but in agenthooks (agenthooks.md 9.5)."""
    named = {"id": "h", "dialect": dialect, "kind": "notification", "native_event": "Notification"}
    spec = HookSpec(**named, handler=InProcess(call=print), timeout=own, strict=strict)

    assert make_dialect(dialect).table.detached_untimed == (dialect == "claude-code")
    assert find_time_limit(spec, make_dialect(dialect), 60.0) == bound


def test_what_runs_for_ever_ends_at_our_bound(tmp_path: Path) -> None:
    """Its own time limit may be longer."""
    finished: list[Finished] = []
    engine = an_engine(
        "exec sleep 1000", tmp_path, finished, limits=Limits(detached=0.05, grace=0.1)
    )
    engine.fire(NOTICE)
    engine.close(seconds=30)

    assert [each.outcome.failure for each in finished] == [Failure.TIMED_OUT]


@pytest.mark.parametrize(("mode", "ended"), [("fidelity", [None]), ("strict", [Failure.TIMED_OUT])])
def test_a_strict_hook_in_the_background_is_ended_in_its_own_time(
    mode: str, ended: list[Failure | None], tmp_path: Path
) -> None:
    """In fidelity mode Claude Code does not enforce `timeout` beside `async`."""
    finished: list[Finished] = []
    hook = {"type": "command", "command": "exec sleep 0.5", "async": True, "timeout": 0.1}
    engine = Engine(finished=finished.append, limits=Limits(grace=0.1))
    engine.add_source(
        {"hooks": {"Notification": [{"hooks": [hook]}]}}, dialect="claude-code", mode=mode
    )
    engine.fire(
        "Notification",
        {"session_id": "s", "cwd": str(tmp_path), "message": "m"},
        dialect="claude-code",
    )
    engine.close(seconds=30)

    assert [each.outcome.failure for each in finished] == ended


def test_only_so_many_run_and_wait(tmp_path: Path) -> None:
    """The next ones wait for a thread.

    Beyond that a hook is refused, and its failure is in the decision.
    """
    finished: list[Finished] = []
    os.mkfifo(tmp_path / "go")
    limits = Limits(detached_at_once=1, detached_queued=1)
    engine = an_engine('read line < "$FOLDER/go"', tmp_path, finished, limits=limits)
    verdicts = [engine.fire(NOTICE).verdicts[0] for _ in range(3)]
    for number in (1, 2):
        (tmp_path / "go").write_text("on\n", encoding="utf-8")
        assert until(lambda number=number: len(finished) == number)
    engine.close()

    assert [verdict.fault for verdict in verdicts[:2]] == [None, None]
    assert (
        verdicts[2].fault
        == "could not be started: 1 hooks run in the background and 1 wait (HKL2003)"
    )
    assert [each.outcome.exit_code for each in finished] == [0, 0]


def test_what_waits_when_the_engine_closes_is_told_too(tmp_path: Path) -> None:
    """It never started, and that is its outcome."""
    finished: list[Finished] = []
    engine = an_engine(
        "exec sleep 1000", tmp_path, finished, limits=Limits(detached_at_once=1, grace=0.1)
    )
    for _ in range(3):
        engine.fire(NOTICE)
    engine.close(seconds=0)

    assert [each.outcome.failure for each in finished] == [Failure.CANCELLED] * 3


def test_closing_takes_no_longer_than_its_seconds_and_a_moment() -> None:
    """Also with a Python function that cannot be ended; its late result is reported."""
    finished: list[Finished] = []
    free = threading.Event()
    own = HookSpec(
        id="own", dialect="hookline", kind="notification", native_event="notification",
        detached=True, handler=InProcess(call=lambda _: free.wait(60) and None)
    )  # fmt: skip
    detached = Detached(
        Limits(grace=0.01, last=0.01, drain=0.01), {}, lambda _, ended: finished.append(ended)
    )
    detached.start(Run(spec=own, event=NOTICE, detached=True))
    detached.drain(0)
    before = list(finished)
    free.set()

    assert before == []
    assert until(lambda: finished)
    assert finished[0].outcome == Outcome(seconds=finished[0].outcome.seconds)


@pytest.mark.filterwarnings("ignore::pytest.PytestUnhandledThreadExceptionWarning")
def test_an_observer_that_raises_does_not_keep_others_waiting(tmp_path: Path) -> None:
    """The next hook runs all the same."""
    seen: list[str] = []

    def angry(finished: Finished) -> None:
        seen.append(finished.hook_id)
        raise ValueError

    engine = an_engine("true", tmp_path, [], limits=Limits(detached_at_once=1))
    engine.runtime.finished = angry
    for _ in range(3):
        engine.fire(NOTICE)
    engine.close()

    assert len(seen) == 3


def test_nothing_starts_while_all_are_ended(tmp_path: Path) -> None:
    """Waiting and new hooks do not start; afterwards the engine may be used again."""
    faults: list[str | None] = []
    finished: list[Finished] = []
    engine = an_engine(
        'echo > "$FOLDER/ran"; exec sleep 1000', tmp_path, finished, limits=Limits(grace=0.1)
    )

    def told(done: Finished) -> None:
        finished.append(done)
        faults.extend(verdict.fault for verdict in engine.fire(NOTICE).verdicts)

    engine.runtime.finished = told
    engine.fire(NOTICE)
    assert until((tmp_path / "ran").exists)
    engine.close(seconds=0)
    engine.runtime.finished = None

    assert [each.outcome.failure for each in finished] == [Failure.CANCELLED]
    assert faults == [
        "could not be started: nothing starts any more: hooks in the background are being ended"
    ]
    assert engine.fire(NOTICE).verdicts[0].fault is None
    engine.close(seconds=0)
