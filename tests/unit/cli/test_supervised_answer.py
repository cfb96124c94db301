"""Interrupted `answer`, `fire` and `serve`: what they leave behind, and by when they answer."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
from contextlib import suppress
from pathlib import Path
from typing import Any

import pytest

from tests.unit.cli.support import ROOT
from tests.unit.handlers.support import is_gone, pid_in, until

pytestmark = pytest.mark.process
# The escapee has no cookie, no group, no session and no pipe of its hook; the chain forks on for a
# minute, should the test itself be killed.
ESCAPE = (
    "(env -i setsid sh -c 'echo $$ > {0}/escaped.new; mv {0}/escaped.new {0}/escaped; "
    "exec sleep 300' >/dev/null 2>&1 </dev/null &)"
)
HOOK = f"{ESCAPE}; echo $$ > {{0}}/hook.new; mv {{0}}/hook.new {{0}}/hook; exec sleep 300"
CHAIN = """
import os, sys, time
end = time.monotonic() + 60
while time.monotonic() < end:
    if os.fork():
        os._exit(0)
    os.setsid()
    with open(sys.argv[1] + "/link", "a") as file:
        file.write(f"{os.getpid()}\\n")
    time.sleep(0.002)
"""


class Machine:
    """A home with one file of Claude Code hooks."""

    def __init__(self, home: Path) -> None:
        self.home = home
        self.file = home / "settings.json"
        self.environ = {"HOME": str(home), "PATH": "/usr/bin:/bin", "PYTHONPATH": str(ROOT / "src")}

    def hook(self, command: str, event: str = "PreToolUse", **fields: object) -> None:
        """Declare one hook."""
        hook = {"type": "command", "command": command.format(self.home), **fields}
        self.file.write_text(json.dumps({"hooks": {event: [{"hooks": [hook]}]}}), encoding="utf-8")

    def start(
        self, *words: str, event: str = "PreToolUse", before: tuple[str, ...] = ()
    ) -> subprocess.Popen[str]:
        """Start hookline, and send it the event."""
        payload = {
            "hook_event_name": event, "session_id": "s", "cwd": str(self.home), "tool_name": "Bash",
            "tool_input": {},
        }  # fmt: skip
        chosen = ("--dialect", "claude-code", "-c", str(self.file))
        process = subprocess.Popen(
            [*before, sys.executable, "-m", "hookline", *words, *chosen],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
            cwd=self.home,
            env=self.environ,
        )
        assert process.stdin is not None
        process.stdin.write(json.dumps(payload))
        process.stdin.close()
        process.stdin = None
        return process

    def answer(self, *words: str, event: str = "PreToolUse") -> tuple[dict[str, Any], int]:
        """The reply and the exit code of `hookline answer claude-code`."""
        process = self.start("answer", "claude-code", *words, event=event)
        out, _ = process.communicate(timeout=60)
        return (json.loads(out) if out else {}), process.returncode

    def runs(self) -> bool:
        """Whether the hook and its escapee run."""
        return bool(pid_in(self.home / "hook") and pid_in(self.home / "escaped"))

    def nothing_is_left(self) -> bool:
        """Whether both have ended."""
        return is_gone(pid_in(self.home / "hook")) and is_gone(pid_in(self.home / "escaped"))


@pytest.fixture
def machine(tmp_path: Path) -> Machine:
    """An empty home."""
    return Machine(tmp_path)


WAYS = {"answer": ("answer", "claude-code"), "fire": ("fire", "PreToolUse")}


@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize(
    "number", [signal.SIGTERM, signal.SIGHUP, signal.SIGINT, signal.SIGKILL], ids=lambda n: n.name
)
def test_no_hook_outlives_its_engine(machine: Machine, way: str, number: signal.Signals) -> None:
    """Whichever signal ends hookline, the hook and everything that it started ends as well."""
    machine.hook(HOOK)
    process = machine.start(*WAYS[way])
    assert until(machine.runs)
    process.send_signal(number)
    process.communicate(timeout=60)

    assert machine.nothing_is_left()


def test_no_hook_outlives_a_killed_server(machine: Machine) -> None:
    """SIGKILL of `serve` while a hook runs ends the hook."""
    machine.hook(HOOK)
    socket = machine.home / "socket"
    process = machine.start("serve", "--unix", str(socket))
    assert until(socket.exists)
    call = {"tool_name": "Bash", "tool_input": {}}
    asked = json.dumps({"event": "PreToolUse", "dialect": "claude-code", "payload": call})
    client = subprocess.Popen(
        ["/usr/bin/env", "curl", "-s", "--unix-socket", str(socket), "-H",
            "content-type: application/json", "-d", asked, "http://x/v1/fire"],
        stdout=subprocess.DEVNULL,
    )  # fmt: skip
    assert until(machine.runs)
    process.kill()
    process.communicate(timeout=60)
    client.wait(60)

    assert machine.nothing_is_left()


def test_a_killed_worker_leaves_nothing_and_the_host_gets_a_refusal(machine: Machine) -> None:
    """The supervisor ends what the worker started, and refuses the tool call."""
    machine.hook(HOOK)
    process = machine.start("answer", "claude-code")
    assert until(machine.runs)
    os.kill(_child_of(process.pid), signal.SIGKILL)
    out, _ = process.communicate(timeout=60)

    assert json.loads(out)["hookSpecificOutput"]["permissionDecision"] == "deny"
    assert machine.nothing_is_left()


def runs(program: str) -> bool:
    """Return whether some process has a program in its command line."""
    for path in Path("/proc").glob("[0-9]*/cmdline"):
        with suppress(OSError):
            if program.encode() in path.read_bytes():
                return True
    return False


@pytest.mark.parametrize(
    "script", [HOOK, f"exec {sys.executable} -ISc '{CHAIN}' {{0}}"], ids=["orphan", "chain"]
)
def test_nothing_outlives_a_time_limit(machine: Machine, script: str) -> None:
    """A double fork with an empty environment, and a chain of forks, end at the time limit."""
    if script is HOOK:
        machine.hook(script, timeout=1)
    else:
        program = machine.home / "chain.py"
        program.write_text(CHAIN, encoding="utf-8")
        machine.hook(f"{sys.executable} -IS {program} {{0}}; sleep 300", timeout=1)
    reply, code = machine.answer()

    assert (code, "timed out" in reply["systemMessage"]) == (0, True)
    if script is HOOK:
        assert machine.nothing_is_left()
    else:
        assert (machine.home / "link").exists()
        assert until(lambda: not runs(str(program)))


def test_what_a_hook_leaves_behind_after_a_normal_end_stays(machine: Machine) -> None:
    """In fidelity mode, as in the host. In strict mode it ends with the hook."""
    up = "until [ -s {0}/escaped ]; do :; done"
    machine.hook(f"{ESCAPE}; {up}")
    assert machine.answer()[1] == 0
    left = pid_in(machine.home / "escaped")
    os.kill(left, signal.SIGKILL)  # which fails where it is gone already

    (machine.home / "escaped").unlink()
    assert machine.answer("--mode", "strict")[1] == 0
    assert is_gone(pid_in(machine.home / "escaped"))


def test_below_nohup_a_hook_ends_by_sighup(machine: Machine) -> None:
    """`nohup` protects hookline, and no hook inherits that."""
    machine.hook("kill -HUP $$; echo goes on >&2; exit 2")
    process = machine.start("answer", "claude-code", before=("nohup",))
    out, _ = process.communicate(timeout=60)

    assert "SIGHUP" in json.loads(out)["systemMessage"]
    assert process.returncode == 0


def test_a_slow_hook_times_out_before_the_deadline(machine: Machine) -> None:
    """It fails as by its own time limit, so the host gets an answer, and the user a notice."""
    machine.hook("exec sleep 300")
    reply, code = machine.answer("--deadline", "3")

    assert (list(reply), code) == (["systemMessage"], 0)
    assert "timed out" in reply["systemMessage"]


def test_the_limit_of_the_host_is_the_deadline(machine: Machine) -> None:
    """Claude Code allows 1.5 s at SessionEnd (docs/formats/claude-code.md 5)."""
    machine.hook("exec sleep 300", event="SessionEnd", timeout=50)
    process = machine.start("answer", "claude-code", event="SessionEnd")

    process.communicate(timeout=30)

    assert process.returncode == 0


@pytest.mark.parametrize(("event", "refuses"), [("PreToolUse", True), ("Stop", False)])
def test_a_busy_worker_does_not_delay_the_answer(
    machine: Machine, event: str, refuses: bool
) -> None:
    """When the worker hangs, the supervisor refuses an action, and never blocks a stop."""
    machine.hook(HOOK, event=event)
    process = machine.start("answer", "claude-code", "--deadline", "4", event=event)
    assert until(machine.runs)
    os.kill(_child_of(process.pid), signal.SIGSTOP)
    out, _ = process.communicate(timeout=60)
    reply = json.loads(out)

    assert ("hookSpecificOutput" in reply) is refuses
    assert "no answer within 4 s" in out
    assert machine.nothing_is_left()


@pytest.mark.parametrize("seconds", ["0", "-1", "x", "inf", "nan"])
def test_a_deadline_is_a_number_above_zero(machine: Machine, seconds: str) -> None:
    """Anything else is an error of the command line."""
    machine.hook("true")
    process = machine.start("fire", "PreToolUse", f"--deadline={seconds}")
    _, err = process.communicate(timeout=60)

    assert process.returncode == 2
    assert "`--deadline` cannot be" in err


def _child_of(pid: int) -> int:
    for entry in Path("/proc").iterdir():
        if entry.name.isdigit():
            try:
                fields = (entry / "stat").read_text(encoding="utf-8").rpartition(")")[2].split()
            except OSError:
                continue
            if int(fields[1]) == pid:
                return int(entry.name)
    raise AssertionError
