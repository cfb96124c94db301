"""Background hooks of `hookline answer`, and how the next `answer` delivers their results."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import threading
from typing import TYPE_CHECKING, Any

import pytest

from hookline.cli import background
from hookline.core.dispatch import Run
from hookline.engine.engine import Engine
from hookline.handlers.process_spec import Limits
from hookline.model.event import Event
from hookline.model.spec import HookSpec, InProcess
from hookline.sessions.store import Sessions
from tests.unit.cli.support import ROOT
from tests.unit.engine.processes import ends
from tests.unit.handlers.support import pid_in, until

if TYPE_CHECKING:
    from pathlib import Path

pytestmark = pytest.mark.process
SESSIONS = ".local/state/hookline/sessions"
CONTEXT = {
    "hookSpecificOutput": {"hookEventName": "PostToolUse", "additionalContext": "tests fail"}
}


class Machine:
    """A user's machine with one file of hooks; every event is a process of its own."""

    def __init__(self, home: Path) -> None:
        self.home = home
        self.environ = {"HOME": str(home), "PATH": "/usr/bin:/bin", "PYTHONPATH": str(ROOT / "src")}

    def hooks(self, event: str, *hooks: dict[str, Any]) -> None:
        """What the file declares from now on."""
        tree = {"hooks": {event: [{"hooks": [{"type": "command", **hook} for hook in hooks]}]}}
        (self.home / "settings.json").write_text(json.dumps(tree), encoding="utf-8")

    def starts(
        self,
        event: str,
        session: str = "s1",
        *words: str,
        host: str = "claude-code",
        **settings: Any,
    ) -> subprocess.Popen[str]:
        """A process that answers an event; it has been sent everything."""
        sent = {
            "hook_event_name": event,
            "session_id": session,
            "cwd": str(self.home),
            "tool_name": "Bash",
            "tool_input": {},
        }
        hooks = ("--dialect", "claude-code", "-c", str(self.home / "settings.json"))
        command = [sys.executable, "-m", "hookline", "answer", host, *hooks, *words]
        given: dict[str, Any] = {
            "stdin": subprocess.PIPE,
            "stdout": subprocess.PIPE,
            "stderr": subprocess.PIPE,
            **settings,
        }
        process = subprocess.Popen(command, text=True, cwd=self.home, env=self.environ, **given)
        assert process.stdin is not None
        process.stdin.write(json.dumps(sent))
        process.stdin.close()
        process.stdin = None
        return process

    def answer(
        self, event: str, session: str = "s1", *words: str, told: str = "", **settings: Any
    ) -> dict[str, Any]:
        """What the host reads until its pipes end; on stderr it is `told` this."""
        out, err = self.starts(event, session, *words, **settings).communicate(timeout=60)
        assert err == told
        read: dict[str, Any] = json.loads(out) if out else {}
        return read

    def context(self, event: str = "UserPromptSubmit", session: str = "s1") -> str:
        """What an event tells the agent."""
        told: str = (
            self.answer(event, session).get("hookSpecificOutput", {}).get("additionalContext", "")
        )
        return told

    def kept(self) -> list[str]:
        """The hooks whose answers wait."""
        return [
            late["hook_id"]
            for file in (self.home / SESSIONS).glob("*.json")
            for late in json.loads(file.read_text(encoding="utf-8")).get("late", [])
        ]


@pytest.fixture
def machine(tmp_path: Path) -> Machine:
    """An empty home."""
    return Machine(tmp_path)


def waiting(home: Path, then: str) -> str:
    """A command that says who runs it, waits until it may go on, and then does something."""
    os.mkfifo(home / "go")
    return (
        f'echo $PPID > "{home}/behind.tmp"; mv "{home}/behind.tmp" "{home}/behind"; '
        f'read line < "{home}/go"; {then}'
    )


def test_the_host_does_not_wait_and_the_session_hears_of_it(machine: Machine) -> None:
    """The hook is still running when every pipe of the host has ended.

    The next turn of this session gets its output, once; no other session gets it.
    """
    machine.hooks(
        "PostToolUse",
        {"command": waiting(machine.home, f"printf %s '{json.dumps(CONTEXT)}'"), "async": True},
    )
    answered = machine.answer("PostToolUse")
    assert until(lambda: pid_in(machine.home / "behind"))
    early = (machine.context(), machine.kept())
    (machine.home / "go").write_text("on\n", encoding="utf-8")

    assert (answered, early) == ({}, ("", []))
    assert until(lambda: len(machine.kept()) == 1)
    assert machine.context(session="s2") == ""
    assert machine.context("PreToolUse") == ""
    assert (machine.context(), machine.context()) == ("tests fail", "")
    assert machine.kept() == []


MARK = '{"async": true, "asyncTimeout": 60000}'


@pytest.mark.parametrize("event", ["PostToolUse", "PreToolUse"])
def test_the_first_line_of_output_sends_a_hook_to_the_background(
    machine: Machine, event: str
) -> None:
    """The host does not wait for its end.

    What it prints after that line is told on the next turn.
    """
    context = {"hookSpecificOutput": {"hookEventName": event, "additionalContext": "tests fail"}}
    then = waiting(machine.home, f"printf %s '{json.dumps(context)}'")
    machine.hooks(event, {"command": f"echo '{MARK}'; {then}"})
    answered = machine.answer(event)
    assert until(lambda: pid_in(machine.home / "behind"))
    early = (machine.context(), machine.kept())
    (machine.home / "go").write_text("on\n", encoding="utf-8")

    assert (answered, early) == ({}, ("", []))
    assert until(lambda: len(machine.kept()) == 1)
    assert (machine.context(), machine.context()) == ("tests fail", "")


def test_a_hook_that_left_for_the_background_has_the_limit_that_it_named(machine: Machine) -> None:
    """After `asyncTimeout` milliseconds it ends, and the next turn tells the user."""
    machine.hooks(
        "PostToolUse",
        {"command": """echo '{"async": true, "asyncTimeout": 300}'; exec sleep 300"""},
        {"command": "true", "async": True},
    )
    assert machine.answer("PostToolUse") == {}
    assert until(lambda: len(machine.kept()) == 1)
    told = machine.answer("UserPromptSubmit")

    assert "timed out: after 0.3 s" in told["systemMessage"]


@pytest.mark.parametrize(
    "line",
    ['{"async": false}', '{"async": "yes"}', '[{"async": true}]', 'see {"async": true}', "async"],
)
def test_another_first_line_is_waited_for(machine: Machine, line: str) -> None:
    """Only an object with `"async": true` sends a hook to the background."""
    machine.hooks("PreToolUse", {"command": f"echo '{line}'; echo no >&2; exit 2"})
    answered = machine.answer("PreToolUse")

    assert answered["hookSpecificOutput"]["permissionDecision"] == "deny"


def test_nothing_of_the_hosts_is_held(machine: Machine) -> None:
    """No open descriptor of the host, not its session, and no zombie."""
    machine.hooks("PostToolUse", {"command": waiting(machine.home, "true"), "async": True})
    reader, writer = os.pipe()
    process = machine.starts("PostToolUse", pass_fds=(writer,), start_new_session=True)
    os.close(writer)
    process.communicate(timeout=60)
    ended = os.read(reader, 1)
    os.close(reader)
    assert until(lambda: pid_in(machine.home / "behind"))
    behind = pid_in(machine.home / "behind")
    held = {os.readlink(f"/proc/{behind}/fd/{fd}") for fd in ("0", "1", "2")}

    assert ended == b""
    assert held == {os.devnull}
    assert os.getsid(behind) != process.pid
    with pytest.raises(ProcessLookupError):
        os.killpg(process.pid, signal.SIGTERM)  # no process of the host's group is left
    (machine.home / "go").write_text("on\n", encoding="utf-8")
    assert ends(behind)


def test_a_hook_in_the_background_can_send_the_agent_on(machine: Machine) -> None:
    """Its exit 2 blocks the next stop, and only that one (docs/formats/claude-code.md 4)."""
    hook = {
        "command": "echo 3 tests fail >&2; exit 2",
        "asyncRewake": True,
        "rewakeMessage": "look:",
        "rewakeSummary": "failed",
    }
    machine.hooks("PostToolUse", hook)
    machine.answer("PostToolUse")
    assert until(machine.kept)

    assert machine.answer("Stop", "s2") == {}
    assert machine.answer("Stop") == {
        "decision": "block",
        "reason": "look:\n3 tests fail",
        "systemMessage": "failed",
    }
    assert machine.answer("Stop") == {}


def test_redos_are_counted_across_processes(machine: Machine) -> None:
    """Codex has a limit of three; the fourth stop goes through, which is said.

    And a new turn begins a new count.
    """
    machine.hooks("Stop", {"command": "echo more >&2; exit 2"})
    stops = [machine.answer("Stop", host="codex") for _ in range(3)]
    stops.append(
        machine.answer(
            "Stop",
            host="codex",
            told=f"hookline: {machine.home.name}/settings.json#Stop.echo-vbknbh answered `deny`: "
            "the limit of 3 redos in a turn is reached\n",
        )
    )
    machine.answer("UserPromptSubmit", host="codex")

    assert [stop.get("decision") for stop in stops] == ["block", "block", "block", None]
    assert stops[3]["systemMessage"].startswith(
        "a hook sent the agent back 3 times in this turn, which is the limit"
    )
    assert machine.answer("Stop", host="codex")["decision"] == "block"
    assert machine.answer("Stop", "s2", host="codex")["decision"] == "block"


def test_once_is_once_in_all_processes_of_a_session(machine: Machine) -> None:
    """Also where many start at the same moment; another session has its own first time."""
    machine.hooks("PreToolUse", {"command": f'echo ran >> "{machine.home}/ran"', "once": True})
    strict = ("--mode", "strict")  # where `once` counts outside of a skill
    started = [machine.starts("PreToolUse", "s1", *strict) for _ in range(8)]
    told = [process.communicate(timeout=120) for process in started]
    machine.answer("PreToolUse", "s1", *strict)
    here = (machine.home / "ran").read_text(encoding="utf-8")
    machine.answer("PreToolUse", "s2", *strict)

    assert told == [("", "")] * 8
    assert here == "ran\n"
    assert (machine.home / "ran").read_text(encoding="utf-8") == "ran\nran\n"


def test_a_hook_that_fails_in_the_background_may_run_again(machine: Machine) -> None:
    """`once` counts only runs that succeeded."""
    machine.hooks(
        "PreToolUse",
        {"command": f'echo ran >> "{machine.home}/ran"; exit 1', "once": True, "async": True},
    )
    for count in (1, 2):
        machine.answer("PreToolUse", "s1", "--mode", "strict")
        assert until(lambda count=count: len(machine.kept()) == count)

    assert (machine.home / "ran").read_text(encoding="utf-8") == "ran\nran\n"


@pytest.mark.parametrize(
    "number", [signal.SIGKILL, signal.SIGTERM, signal.SIGALRM], ids=lambda number: number.name
)
def test_a_killed_background_process_leaves_nothing_broken(
    machine: Machine, number: signal.Signals
) -> None:
    """Its hook ends too, the next turn reports that, and state and lock stay usable."""
    home = machine.home
    hook = (
        f'echo $$ > "{home}/hook.tmp"; mv "{home}/hook.tmp" "{home}/hook"; {waiting(home, "true")}'
    )
    machine.hooks("PostToolUse", {"command": hook, "async": True})
    machine.answer("PostToolUse")
    assert until(lambda: pid_in(machine.home / "behind"))
    os.kill(pid_in(machine.home / "behind"), number)
    assert ends(pid_in(machine.home / "behind"))
    assert ends(pid_in(machine.home / "hook"))
    told = machine.answer("UserPromptSubmit")

    assert (
        "failed in the background: the process that ran it ended before the hook did"
        in told["systemMessage"]
    )
    assert machine.answer("UserPromptSubmit") == {}

    machine.hooks("PostToolUse", {"command": f"printf %s '{json.dumps(CONTEXT)}'", "async": True})
    machine.answer("PostToolUse")
    assert until(lambda: len(machine.kept()) == 1)
    assert machine.context() == "tests fail"


def test_what_guards_the_hooks_passes_a_signal_on(machine: Machine) -> None:
    """On SIGTERM the supervisor ends the process that runs the hooks, and then itself."""
    machine.hooks("PostToolUse", {"command": waiting(machine.home, "true"), "async": True})
    machine.answer("PostToolUse")
    assert until(lambda: pid_in(machine.home / "behind"))
    runs = pid_in(machine.home / "behind")
    with open(f"/proc/{runs}/stat", encoding="utf-8") as state:
        above = int(state.read().rpartition(")")[2].split()[1])
    os.kill(above, signal.SIGTERM)

    assert ends(runs)
    assert ends(above)


def test_more_hooks_than_may_wait_are_refused_with_a_notice(
    machine: Machine, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The notice comes on the next turn, like any other result of the background."""
    for name in ("signal", "alarm"):
        monkeypatch.setattr(signal, name, lambda *_: None)
    refused = threading.Event()
    engine = Engine(
        environ={},
        sessions=Sessions(machine.home / "sessions"),
        limits=Limits(detached_at_once=1, detached_queued=0),
        finished=lambda _: refused.set(),
    )
    event = engine.event(
        "PostToolUse",
        {"session_id": "s1", "cwd": "/", "tool_name": "Bash", "tool_input": {}},
        dialect="claude-code",
    )
    waits = InProcess(call=lambda _: refused.wait(60) and None)
    runs = [
        Run(
            spec=HookSpec(
                id=name,
                dialect="claude-code",
                kind="tool.after",
                native_event="PostToolUse",
                handler=waits,
            ),
            event=event,
            detached=True,
            dialect=engine.host("claude-code"),
        )
        for name in "ab"
    ]
    background._run_hooks(engine, runs)
    lates, _ = Sessions(machine.home / "sessions").take(
        event.replace(kind="prompt.submit"), wakes=False
    )

    assert [(late.hook_id, late.fault) for late in lates] == [
        ("b", "could not be started: 1 hooks run in the background and 0 wait (HKL2003)")
    ]


def test_state_that_cannot_be_kept_is_reported_before_the_answer(machine: Machine) -> None:
    """The background process could not report it to a user.

    The hook runs all the same.
    """
    folder = machine.home / SESSIONS
    folder.mkdir(parents=True)
    folder.chmod(0o777)
    machine.hooks("PostToolUse", {"command": f'echo ran > "{machine.home}/ran"', "async": True})
    told = machine.answer("PostToolUse")

    assert "HKL2004" in told["systemMessage"]
    assert until((machine.home / "ran").exists)


WRITER = """
import sys
from hookline.core.deferred_results import DeferredResult
from hookline.model.event import Event
from hookline.sessions.store import Sessions
sessions = Sessions(sys.argv[1], seconds=60)
event = Event(kind="stop", dialect="d", native_name="Stop", session_id="s", cwd="/")
sys.stdin.readline()
sessions.keep(event, DeferredResult(hook_id=sys.argv[2], for_agent="x"))
sessions.send_back(event, 0)
print(sessions.claim(event, "mark"), *sessions.problems)
"""


def test_twenty_writers_at_once_lose_nothing(machine: Machine) -> None:
    """Twenty answers, twenty redos, and one claim."""
    path = machine.home / "sessions"
    command = [sys.executable, "-c", WRITER, str(path)]
    writers = [
        subprocess.Popen(
            [*command, str(number)],
            env=machine.environ,
            text=True,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
        )
        for number in range(20)
    ]
    printed = [process.communicate("go\n", timeout=120)[0].strip() for process in writers]
    event = Event(kind="stop", dialect="d", native_name="Stop", session_id="s", cwd="/")
    redos = Sessions(path).redos(event)
    lates, dropped = Sessions(path).take(event.replace(kind="prompt.submit"), wakes=False)

    assert sorted(printed) == ["False"] * 19 + ["True"]
    assert redos == 20
    assert sorted(late.hook_id for late in lates) == sorted(map(str, range(20)))
    assert dropped == {}
    assert sorted(file.suffix for file in path.iterdir()) == ["", ".json"]
