"""Plays one scenario with one real agent host, and says what did not hold."""

from __future__ import annotations

import subprocess
import tempfile
from contextlib import ExitStack
from pathlib import Path
from typing import TYPE_CHECKING

from tests.hosts.machine import CommandFailedError, Machine
from tests.hosts.model_server import Script, serve_model
from tests.hosts.own_hooks import RUNS, add_own_hook
from tests.hosts.recordings import read_exchanges, record_answers
from tests.hosts.scenarios import HTTP, PROMPT, REASON, TAKE_OVER
from tests.hosts.wires import Call, Turn

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from tests.hosts.recordings import Exchange
    from tests.hosts.scenarios import Scenario
    from tests.hosts.table import Host


def play_scenario(
    host: Host, scenario: Scenario, programs: Sequence[Path], *, records: bool = False
) -> tuple[list[str], list[Exchange]]:
    """Return what did not hold, and what the host and hookline said if that is recorded."""
    script = Script(_make_turns(host, scenario))
    with tempfile.TemporaryDirectory(prefix="agent-") as root, serve_model(script) as port:
        machine = Machine(Path(root), host, programs, f"http://127.0.0.1:{port}")
        try:
            problems = list(_play(machine, scenario, script, records=records))
        except subprocess.TimeoutExpired as error:
            problems = [f"`{error.cmd[0]}` did not end within {error.timeout:g} s"]
        except CommandFailedError as error:
            problems = [str(error)]
        return problems, [] if problems else read_exchanges(machine)


def _make_turns(host: Host, scenario: Scenario) -> list[Turn]:
    tool, key = host.runs
    return [
        Turn(
            text="I will.",
            calls=tuple(
                Call(tool=tool, input={key: command}, id=f"call_{turn}_{at}")
                for at, command in enumerate(commands)
            ),
        )
        for turn, commands in enumerate(scenario.turns)
    ]


def _play(machine: Machine, scenario: Scenario, script: Script, *, records: bool) -> Iterator[str]:
    machine.write_files(scenario.files(machine.host.foreign))
    if scenario.install == TAKE_OVER:
        text = (machine.read_entries() or b"").decode()
        machine.entries.parent.mkdir(exist_ok=True)
        machine.entries.write_text(add_own_hook(machine.host.facts, text, REASON), encoding="utf-8")
    before = machine.read_entries()
    with ExitStack() as stack:
        words = [scenario.install] if scenario.install else []
        if scenario.install == HTTP:
            words.append(stack.enter_context(machine.serve()))
        machine.install(*words)
        if records and not scenario.damage and not scenario.install:
            record_answers(machine)
        machine.damage(scenario.damage)
        if scenario.damage == "uninstall":
            yield from _uninstall(machine, before)
        if scenario.damage == "no server":
            stack.close()
        done = machine.start_host(PROMPT)
    problems = list(_check_files(machine, scenario))
    if not (machine.host.ends and scenario.is_refusal):
        problems += _check_requests(scenario, script)
    pattern = machine.host.facts.sessions
    if scenario.name == "call" and pattern and not machine.find_sessions(pattern):
        problems.append(f"no file of a session is at `{pattern}`")
    if scenario.install == TAKE_OVER:
        problems += [*_check_runs(machine), *_uninstall(machine, before)]
    yield from problems
    if problems:
        yield f"the host said (exit {done.returncode}): {(done.stdout + done.stderr)[-400:]!r}"


def _uninstall(machine: Machine, before: bytes | None) -> Iterator[str]:
    machine.uninstall()
    if machine.read_entries() != before:
        yield "the file with the entries is not what it was"


def _check_runs(machine: Machine) -> Iterator[str]:
    """Check that hookline alone ran the hook that it took over."""
    if RUNS.encode() in (machine.read_entries() or b""):
        yield "the own hook is still in the file of the host"
    runs = machine.project / RUNS
    times = len(runs.read_text(encoding="utf-8").splitlines()) if runs.exists() else 0
    if times != 1:
        yield f"the own hook ran {times} times"


def _check_files(machine: Machine, scenario: Scenario) -> Iterator[str]:
    for name in scenario.ran:
        if not (machine.project / name).exists():
            yield f"`touch {name}` did not run"
    for name in scenario.not_ran:
        if (machine.project / name).exists():
            yield f"`touch {name}` ran"


def _check_requests(scenario: Scenario, script: Script) -> Iterator[str]:
    sent = script.requests
    if scenario.requests not in (None, len(sent)):
        yield f"the model was asked {len(sent)} times, not {scenario.requests}"
    for at, text in scenario.reads.items():
        if at >= len(sent) or text not in sent[at]:
            yield f"the model did not read {text!r} in request {at} of {len(sent)}"
        elif at and text in sent[at - 1]:
            yield f"the model read {text!r} too early"
