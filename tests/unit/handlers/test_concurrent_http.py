"""Batches of calls: at once, within bounds, beside commands.

And a caller can stop waiting.
"""

from __future__ import annotations

import os
import subprocess
import sys
import threading
from typing import TYPE_CHECKING

import pytest

from hookline.core.dispatch import Run
from hookline.engine.detached import Detached
from hookline.handlers.concurrent_http import HttpCall, give_up_calls, start_calls
from hookline.handlers.process_spec import Cancel, Limits
from hookline.handlers.table import perform_all
from hookline.model.event import Event
from hookline.model.spec import Builtin, Command, HookSpec
from hookline.model.verdict import Failure, Outcome
from tests.unit.handlers.serving import PATIENCE, Asked, run, saying, serving

if TYPE_CHECKING:
    from pathlib import Path
    from typing import Any

    from hookline.engine.runtime import Finished


def test_calls_of_a_batch_are_at_once_and_their_outcomes_in_order() -> None:
    """The service answers none before all have arrived."""
    together = threading.Barrier(5)

    def answer(asked: Asked) -> None:
        together.wait(PATIENCE)
        asked.say({"path": asked.path})

    with serving(answer) as service:
        outcomes = perform_all([run(service.url(f"/{at}")) for at in range(5)], environ={})

    assert [outcome.stdout for outcome in outcomes] == [f'{{"path": "/{at}"}}' for at in range(5)]


def test_a_look_up_that_does_not_end_delays_no_call() -> None:
    """The call is given up in its time, and the next one has its answer."""
    released = threading.Event()

    def perform(handler: Any, payload: str, **_: Any) -> Outcome:
        if "stuck" in handler.url:
            released.wait(PATIENCE)
        return Outcome(exit_code=0, stdout=payload)

    runs = [
        run("http://stuck.example/", timeout=0.05),
        run("http://quick.example/", "1\n"),
        run("http://stuck.example/", timeout=0.05),
    ]
    calls = [HttpCall(each, Limits(), {}, perform) for each in runs]
    outcomes = [each.wait() for each in calls]
    released.set()

    assert [outcome.failure for outcome in outcomes] == [Failure.TIMED_OUT, None, Failure.TIMED_OUT]
    assert (outcomes[0].detail, outcomes[1].stdout) == ("after 0.05 s", "1\n")


@pytest.mark.process
def test_a_look_up_that_hangs_keeps_no_process_from_its_end() -> None:
    """It does not delay the batch either."""
    code = """
import socket, threading
from hookline.handlers.table import perform_all
from tests.unit.handlers.serving import run
socket.getaddrinfo = lambda *_, **__: threading.Event().wait()
from hookline.handlers import http
http.call.__kwdefaults__["resolve"] = socket.getaddrinfo
print(perform_all([run("http://slow.example/", timeout=0.05)], environ={})[0].failure.name)
"""
    done = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, timeout=60, check=False
    )

    assert (done.stdout, done.returncode) == ("TIMED_OUT\n", 0), done.stderr


def test_a_fault_is_the_failure_of_its_hook() -> None:
    """Other hooks are not affected; its message, which may hold a secret, is not passed on."""

    def perform(handler: Any, *_: Any, **__: Any) -> Outcome:
        if "odd" in handler.url:
            raise ValueError("Bearer s3cret")
        return Outcome(exit_code=0)

    runs = [run("http://odd.example/"), run("http://policy.example/")]
    outcomes = [HttpCall(each, Limits(), {}, perform).wait() for each in runs]

    assert [(outcome.failure, outcome.detail) for outcome in outcomes] == [
        (Failure.RAISED, "ValueError"),
        (None, ""),
    ]


def test_a_batch_can_be_cancelled() -> None:
    """Any thread can cancel it; the service sees that its client hung up."""
    gone: list[bool] = []
    seen = threading.Event()
    cancel = Cancel()

    def answer(asked: Asked) -> None:
        cancel.set()
        gone.append(asked.hung_up())
        seen.set()

    with serving(answer) as service:
        outcomes = perform_all(
            [run(service.url(), timeout=60.0)],
            cancel=cancel,
            environ={},
        )
        assert seen.wait(PATIENCE)
    cancel.close()

    assert [outcome.failure for outcome in outcomes] == [Failure.CANCELLED]
    assert gone == [True]


def test_a_call_that_is_given_up_leaves_nothing_behind() -> None:
    """Its service sees that the client hung up."""
    seen = threading.Event()
    asked_for = threading.Event()

    def answer(asked: Asked) -> None:
        asked_for.set()
        if asked.hung_up():
            seen.set()

    with serving(answer) as service:
        calls = start_calls([run(service.url(), timeout=60.0)], Limits(), {})
        assert asked_for.wait(PATIENCE)
        give_up_calls(calls)

        assert seen.wait(PATIENCE)
        assert [each.wait().failure for each in calls] == [Failure.CANCELLED]


def spec_of(handler: Any) -> HookSpec:
    """A hook with this handler."""
    return HookSpec(
        id="h",
        dialect="docker-agent",
        kind="turn.start",
        native_event="turn_start",
        handler=handler,
        timeout=PATIENCE,
    )


@pytest.mark.process
def test_calls_and_commands_of_a_batch_are_at_once(tmp_path: Path) -> None:
    """The command ends only when the service was asked; each outcome has its place."""
    os.mkfifo(tmp_path / "asked")
    command = Run(
        spec=spec_of(Command(script="cat asked", shell=("sh",))),  # noqa: S604 - a hook's shell
        event=Event(kind="turn.start", cwd=str(tmp_path)),
        payload="{}\n",
    )
    builtin = Run(
        spec=spec_of(Builtin(name="no_such_builtin")),
        event=Event(kind="turn.start"),
        payload="{}\n",
    )

    def answer(asked: Asked) -> None:
        (tmp_path / "asked").write_text("so it was", encoding="utf-8")
        asked.say({"a": 1})

    with serving(answer) as service:
        outcomes = perform_all(
            [command, run(service.url()), builtin], environ={"PATH": "/usr/bin:/bin"}
        )

    assert [outcome.stdout for outcome in outcomes] == ["so it was", '{"a": 1}', ""]
    assert outcomes[2].failure is Failure.NOT_STARTED


def test_a_call_may_be_detached() -> None:
    """Its outcome is reported as soon as it ends."""
    finished: list[Finished] = []
    detached = Detached(Limits(), {}, lambda _, done: finished.append(done))
    with serving(saying({"a": 1})) as service:
        detached.start(run(service.url()))
        detached.drain(PATIENCE)

        assert service.sent[0].body == b"{}\n"
    assert [(each.hook_id, each.outcome.stdout) for each in finished] == [("h", '{"a": 1}')]


def test_a_detached_call_is_ended_at_the_end() -> None:
    """Also while it hangs."""
    finished: list[Finished] = []
    arrived = threading.Event()

    def answer(asked: Asked) -> None:
        arrived.set()
        asked.hang()

    detached = Detached(Limits(), {}, lambda _, done: finished.append(done))
    with serving(answer) as service:
        detached.start(run(service.url(), timeout=60.0))
        assert arrived.wait(PATIENCE)
        detached.drain(0)

    assert [each.outcome.failure for each in finished] == [Failure.CANCELLED]
