"""Detached hooks: started and not waited for, and never lost."""

from __future__ import annotations

import os
import threading
from typing import TYPE_CHECKING

import pytest

from hookline import Engine, Event, Limits
from hookline.core.dispatch import Run
from hookline.engine.detached import Detached
from hookline.model.handler import InProcess
from hookline.model.outcome import Failure
from hookline.model.spec import HookSpec
from tests.unit.engine.processes import ends

if TYPE_CHECKING:
    from pathlib import Path

    from hookline.engine.detached import Finished

NOTICE = Event(kind="notification", dialect="claude-code", native_name="Notification", session_id="s1", cwd="/")
pytestmark = pytest.mark.process


def an_engine(command: str, tmp_path: Path, finished: list[Finished], **settings: object) -> Engine:
    """An engine with one hook that nobody waits for."""
    hook = {"type": "command", "command": command, "async": True}
    tree = {"hooks": {"Notification": [{"hooks": [hook]}]}}
    environ = {"PATH": os.environ["PATH"], "FOLDER": str(tmp_path)}
    return Engine.from_config(tree, dialect="claude-code", environ=environ, finished=finished.append, **settings)


def test_closing_waits_for_what_was_started(tmp_path: Path) -> None:
    """The decision comes at once; the hook ends in its own time, and its outcome is told."""
    finished: list[Finished] = []
    os.mkfifo(tmp_path / "go")
    engine = an_engine('read line < "$FOLDER/go"; echo "$line" > "$FOLDER/done"; exit 3', tmp_path, finished)
    decision = engine.fire(NOTICE)
    before = list(finished)
    (tmp_path / "go").write_text("on\n", encoding="utf-8")
    engine.close()

    assert [(verdict.hook_id, verdict.fault) for verdict in decision.verdicts] == [(engine.hooks[0].id, None)]
    assert before == []
    assert (tmp_path / "done").read_text(encoding="utf-8") == "on\n"
    assert [(each.hook_id, each.outcome.exit_code) for each in finished] == [(engine.hooks[0].id, 3)]


def test_closing_ends_what_does_not_end(tmp_path: Path) -> None:
    """After its seconds, the hook and everything that it started is gone, and that is its outcome."""
    finished: list[Finished] = []
    os.mkfifo(tmp_path / "pid")
    engine = an_engine('sleep 1000 & echo $$ $! > "$FOLDER/pid"; wait', tmp_path, finished, limits=Limits(grace=0.1))
    engine.fire(NOTICE)
    pids = [int(pid) for pid in (tmp_path / "pid").read_text(encoding="utf-8").split()]
    engine.close(seconds=0)

    assert [each.outcome.failure for each in finished] == [Failure.CANCELLED]
    assert all(ends(pid) for pid in pids)


def test_leaving_the_context_closes_the_engine(tmp_path: Path) -> None:
    """Nothing is running behind a `with`."""
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
    """It runs on a thread of its own, and its outcome is told like any other's."""
    finished: list[Finished] = []
    names: list[str] = []
    own = HookSpec(
        id="own", dialect="hookline", kind="notification", native_event="notification", detached=True,
        handler=InProcess(call=lambda _: names.append(threading.current_thread().name)),
    )  # fmt: skip
    detached = Detached(None, {}, finished.append)
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
        {"hooks": {"Notification": [{"hooks": [hook]}]}}, dialect="claude-code", environ={"PATH": os.environ["PATH"]}, finished=angry
    )
    before = len(os.listdir("/proc/self/fd"))
    engine.fire(NOTICE)
    engine.close()

    assert len(os.listdir("/proc/self/fd")) == before
    assert [thread.name for thread in threading.enumerate() if thread.name == f"hookline {engine.hooks[0].id}"] == []
