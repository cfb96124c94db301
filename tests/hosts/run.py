"""Plays one scenario with one real agent host, and says what did not hold."""

from __future__ import annotations

import subprocess
import tempfile
from contextlib import ExitStack
from pathlib import Path
from string import Template
from typing import TYPE_CHECKING, Any

from tests.hosts.machine import CommandFailedError, Machine
from tests.hosts.model_server import Script, serve_model
from tests.hosts.own_hooks import RUNS, add_own_hook, find_gate_event
from tests.hosts.recordings import read_exchanges, record_answers
from tests.hosts.scenarios import HTTP, REASON, TAKE_OVER, FileCall
from tests.hosts.wires import Call, Turn

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from tests.hosts.recordings import Exchange
    from tests.hosts.scenarios import Scenario
    from tests.hosts.table import Host

_FIELDS = ("path", "text", "old", "new")  # of a call that reads, writes or edits a file


def play_scenario(
    host: Host, scenario: Scenario, programs: Sequence[Path], *, records: bool = False
) -> tuple[list[str], list[Exchange]]:
    """Return what did not hold, and what the host and hookline said if that is recorded."""
    script = Script()
    with tempfile.TemporaryDirectory(prefix="agent-") as root, serve_model(script) as port:
        machine = Machine(Path(root), host, programs, f"http://127.0.0.1:{port}")
        try:
            problems = list(_play(machine, scenario, script, records=records))
        except subprocess.TimeoutExpired as error:
            problems = [f"`{error.cmd[0]}` did not end within {error.timeout:g} s"]
        except CommandFailedError as error:
            problems = [str(error)]
        return problems, [] if problems else read_exchanges(machine)


def _make_turns(machine: Machine, scenario: Scenario) -> list[Turn]:
    """Return the turns of the model, with the tools of the host; call it after the installation."""
    return [
        Turn(
            text="I will.",
            calls=tuple(
                Call(tool=tool, input=given, id=f"call_{at}_{place}")
                for place, step in enumerate(steps)
                for tool, given in _find_tool(machine, step)
            ),
        )
        for at, steps in enumerate(scenario.turns)
    ]


def _find_tool(machine: Machine, step: str | FileCall) -> Iterator[tuple[str, Any]]:
    """Yield the tool for a step and its input; nothing if the host does without."""
    facts = machine.host.facts
    values = {
        "gate": str(machine.gate_file),
        "event": find_gate_event(facts),
        "other": facts.events[-1],
    }
    if isinstance(step, str):
        tool, key = machine.host.runs
        yield tool, {key: machine.fill(step, **values)}
    elif step.kind in machine.host.files_by:
        tool, given = machine.host.files_by[step.kind]
        filled = {key: machine.fill(getattr(step, key), **values) for key in _FIELDS}
        yield tool, _fill_input(given, filled)


def _fill_input(given: Any, values: Mapping[str, str]) -> Any:
    """Return an input of a tool with the values in its texts."""
    if isinstance(given, str):
        return Template(given).substitute(values)
    if isinstance(given, list):
        return [_fill_input(each, values) for each in given]
    return {key: _fill_input(value, values) for key, value in given.items()}


def _play(machine: Machine, scenario: Scenario, script: Script, *, records: bool) -> Iterator[str]:
    machine.write_files(scenario.files(machine.host.foreign))
    if scenario.install == TAKE_OVER:
        text = (machine.read_entries() or b"").decode()
        machine.entries.parent.mkdir(exist_ok=True)
        machine.entries.write_text(add_own_hook(machine.host.facts, text, REASON), encoding="utf-8")
    before = machine.read_entries()
    with ExitStack() as stack:
        _install(machine, scenario, stack)
        script.turns, installed = _make_turns(machine, scenario), machine.read_entries()
        if records and scenario.is_recorded:
            record_answers(machine)
        machine.damage(scenario.damage)
        if scenario.damage == "uninstall":
            yield from _uninstall(machine, before)
        if scenario.damage == "no server":
            stack.close()
        done = machine.start_host(scenario.prompt)
    problems = list(_check_files(machine, scenario, installed))
    problems += _check_requests(machine.host, scenario, script)
    if scenario.install == TAKE_OVER:
        problems += [*_check_runs(machine), *_uninstall(machine, before)]
    yield from problems
    if problems:
        yield f"the host said (exit {done.returncode}): {(done.stdout + done.stderr)[-400:]!r}"


def _install(machine: Machine, scenario: Scenario, stack: ExitStack) -> None:
    """Wire hookline into the host as its user does; a server runs until the stack ends."""
    words = [scenario.install] if scenario.install else []
    if scenario.install == HTTP:
        words.append(stack.enter_context(machine.serve()))
    machine.install(*words)
    if scenario.then:
        machine.run_command(scenario.then)


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


def _check_files(machine: Machine, scenario: Scenario, installed: bytes | None) -> Iterator[str]:
    for name in scenario.ran:
        if not (machine.project / name).exists():
            yield f"the call that makes `{name}` did not run"
    for name in scenario.not_ran:
        if (machine.project / name).exists():
            yield f"the call that makes `{name}` ran"
    if scenario.keeps and machine.read_entries() != installed:
        yield "the file with the entries changed"
    pattern = machine.host.facts.sessions
    if scenario.name == "call" and pattern and not machine.find_sessions(pattern):
        yield f"no file of a session is at `{pattern}`"


def _check_requests(host: Host, scenario: Scenario, script: Script) -> Iterator[str]:
    sent = script.requests
    if scenario.hidden and scenario.hidden in "\n".join((*sent, *script.others)):
        yield "the model read what it must not read"
    if host.ends and scenario.is_refusal:
        return
    if scenario.requests not in (None, len(sent)):
        yield f"the model was asked {len(sent)} times, not {scenario.requests}"
    for at, text in scenario.reads.items():
        if at >= len(sent) or text not in sent[at]:
            yield f"the model did not read {text!r} in request {at} of {len(sent)}"
        elif at and text in sent[at - 1]:
            yield f"the model read {text!r} too early"
