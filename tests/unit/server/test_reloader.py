"""A server goes on with its files: by itself, and when it gets a SIGHUP."""

from __future__ import annotations

import json
import os
import queue
import signal
import subprocess
import sys
import threading
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from hookline.model.spec import Command
from hookline.server.metrics import Meter
from hookline.server.reloader import Reloader, exclude_calls
from tests.unit.engine.files import BROKEN, Machine, claude, commands, write
from tests.unit.server.support import CALL, PATIENCE, Place

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from hookline.engine.engine import Engine

ROOT = Path(__file__).parents[3]
CALLS_US = {"type": "http", "url": "http://127.0.0.1:8465/v1/answer/claude-code"}


class FakeService:
    """What a reload touches of a service."""

    def __init__(self, engine: Engine) -> None:
        self.engine = exclude_calls(engine)
        self.own: dict[str, Engine] = {}
        self.meter = Meter()


@pytest.fixture
def machine(tmp_path: Path) -> Machine:
    """A home and a project."""
    return Machine(tmp_path)


def reloading_of(machine: Machine, **settings: Any) -> Reloader:
    """The engines of a server on this machine."""
    return Reloader(FakeService(machine.engine()), machine.engine, **settings)  # type: ignore[arg-type]  # a fake


def with_call(text: str) -> str:
    """Settings that also ask this server."""
    tree = json.loads(text)
    tree["hooks"]["PreToolUse"][0]["hooks"].append(CALLS_US)
    return json.dumps(tree)


def test_a_host_that_calls_us_from_now_on_is_answered_without_its_files(machine: Machine) -> None:
    """The host runs its other hooks itself, until its files no longer call the server."""
    write(machine.user, claude("guard"))
    write(machine.home / ".codex/hooks.json", claude("other"))
    reloading = reloading_of(machine)
    service = reloading._service
    write(machine.user, with_call(claude("guard")))
    reloading.reload()
    own = service.own
    without = commands(own["claude-code"])
    write(machine.home / ".codex/hooks.json", claude("new"))
    reloading.reload()
    later = commands(service.own["claude-code"])
    everything = commands(service.engine)
    write(machine.user, claude("guard"))
    reloading.reload()

    assert (set(own), without, later) == ({"claude-code"}, ["other"], ["new"])
    assert everything == ["guard", "new"]
    assert service.own == {}


def test_a_host_that_begins_to_call_us_loses_no_guard(machine: Machine) -> None:
    """Its new engine has the hooks in force, not what the files hold at that moment."""
    write(machine.home / ".codex/hooks.json", claude("guard"))
    reloading = reloading_of(machine)
    write(machine.home / ".codex/hooks.json", BROKEN)
    write(machine.user, with_call(claude()))
    reloading.reload()

    assert commands(reloading._service.own["claude-code"]) == ["guard"]


def test_a_hook_that_is_enlisted_amid_a_reload_is_in_force(machine: Machine) -> None:
    """A policy attaches after the new engine was made, and before the service uses it."""
    write(machine.user, with_call(claude("guard")))
    reloading = reloading_of(machine)
    service = reloading._service
    policy = [
        spec.replace(id="policy", handler=Command(script="policy")) for spec in service.engine.hooks
    ]

    def another() -> Engine:
        service.engine.loader.enlist("remote:policy", policy, "claude-code")
        return machine.engine()

    reloading._another = another
    reloading.reload()

    assert commands(service.own["claude-code"]) == ["policy"]


def test_a_file_that_was_named_applies_to_every_caller(machine: Machine) -> None:
    """A reload keeps the rule that holds at the start."""
    reloading = reloading_of(machine, named=True)
    write(machine.user, with_call(claude("guard")))
    reloading.reload()

    assert reloading._service.own == {}
    assert commands(reloading._service.engine) == ["guard"]


def test_engines_are_closed_all_at_once(machine: Machine, monkeypatch: pytest.MonkeyPatch) -> None:
    """The waits do not add up. An engine that was replaced is closed already."""
    write(machine.user, with_call(claude("guard")))
    reloading = reloading_of(machine)
    reloading.reload()
    together, told = threading.Barrier(2, timeout=PATIENCE), []

    def close(engine: Engine, *, seconds: float, hurried: Callable[[], bool]) -> None:
        together.wait()
        told.append((seconds, hurried()))

    with monkeypatch.context() as patched:
        patched.setattr("hookline.engine.engine.Engine.close", close)
        reloading.close(3.0, lambda: True)
    assert told == [(3.0, True)] * 2

    gone: list[Engine] = []
    monkeypatch.setattr("hookline.engine.engine.Engine.close", lambda engine: gone.append(engine))  # noqa: PLW0108 - a method
    own = reloading._service.own["claude-code"]
    write(machine.user, claude("guard"))
    reloading.reload()
    assert gone == [own]


def test_reloads_are_counted(machine: Machine) -> None:
    """The metrics count them by result."""
    reloading = reloading_of(machine)
    for text in (claude("a"), claude("a"), BROKEN):
        write(machine.user, text)
        reloading.reload()
    page = reloading._service.meter.page().decode()

    assert [line for line in page.splitlines() if line.startswith("hookline_reloads_total")] == [
        'hookline_reloads_total{outcome="changed"} 1.0',
        'hookline_reloads_total{outcome="refused"} 1.0',
        'hookline_reloads_total{outcome="unchanged"} 1.0',
    ]


def test_a_hang_up_reloads(machine: Machine) -> None:
    """Also where nothing is watched; it is told of even if nothing changed.

    The former handler is put back.
    """
    told: queue.Queue[str] = queue.Queue()
    before = signal.getsignal(signal.SIGHUP)
    with reloading_of(machine, watch=False, tell=told.put) as reloading:
        signal.raise_signal(signal.SIGHUP)
        first = told.get(timeout=PATIENCE)
        write(machine.user, claude("a"))
        signal.raise_signal(signal.SIGHUP)
        second = told.get(timeout=PATIENCE)

    assert (first, second) == ("reloaded: no hook changed", "reloaded: 1 added")
    assert commands(reloading._service.engine) == ["a"]
    assert signal.getsignal(signal.SIGHUP) == before


def test_in_another_thread_signals_are_left_alone(machine: Machine) -> None:
    """Only the main thread may set handlers. The files are watched all the same."""
    told: queue.Queue[str] = queue.Queue()
    begun, done = threading.Event(), threading.Event()

    def served() -> None:
        with reloading_of(machine, tell=told.put):
            begun.set()
            done.wait(PATIENCE)

    thread = threading.Thread(target=served)
    before = signal.getsignal(signal.SIGHUP)
    thread.start()
    begun.wait(PATIENCE)
    during = signal.getsignal(signal.SIGHUP)
    write(machine.user, claude("a"))
    line = told.get(timeout=PATIENCE)
    done.set()
    thread.join()

    assert during == before
    assert line == "reloaded: 1 added"


# -- the real server -------------------------------------------------------------------------------


@pytest.fixture(params=[(), ("--no-reload",)], ids=["watching", "on SIGHUP only"])
def server(
    request: pytest.FixtureRequest, machine: Machine, tmp_path: Path
) -> Iterator[tuple[subprocess.Popen[str], Place, bool]]:
    """`hookline serve` on the files of a machine, and whether it has to be told to reload."""
    environ = {
        "HOME": str(machine.home),
        "PATH": os.environ["PATH"],
        "PYTHONPATH": str(ROOT / "src"),
    }
    path = str(tmp_path / "socket")
    command = [
        sys.executable,
        "-m",
        "hookline",
        "serve",
        "--unix",
        path,
        "--trust",
        "all",
        *request.param,
    ]
    with subprocess.Popen(
        command,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        env=environ,
        cwd=machine.project,
        text=True,
    ) as process:
        try:
            assert process.stdout is not None
            assert process.stdout.readline() == f"unix:{path}\n"
            yield process, Place(path), bool(request.param)
        finally:
            process.kill()


@pytest.mark.process
def test_a_running_server_takes_what_changes(
    server: tuple[subprocess.Popen[str], Place, bool], machine: Machine
) -> None:
    """A guard that is declared while it runs is asked at the next event; one line says so."""
    process, place, hang_up = server
    assert process.stderr is not None
    assert process.stderr.readline().startswith(
        "hookline serve: 0 hooks; the token for approvals is in "
    )
    before = place.fire("PreToolUse", CALL, dialect="claude-code").document["stance"]
    write(machine.user, claude("echo no >&2; exit 2"))
    if hang_up:
        process.send_signal(signal.SIGHUP)
    line = process.stderr.readline()
    now = place.fire("PreToolUse", CALL, dialect="claude-code").document
    process.terminate()

    assert line == "hookline serve: reloaded: 1 added\n"
    assert (before, now["stance"], now["reason"]) == ("silent", "deny", "no")
    assert process.wait(PATIENCE) == 0
