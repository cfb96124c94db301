"""`hookline run` as a process: formats, exit codes, and what signals leave behind."""

from __future__ import annotations

import json
import os
import pty
import select
import signal
import subprocess
import sys
from contextlib import suppress
from threading import Event, Thread

import pytest

from tests.unit.handlers.support import is_gone, pid_in, until
from tests.unit.host.play import agent, command_hook, shell, write_script

pytestmark = pytest.mark.process
ALLOW = {"allow": ["shell"]}
NOTE = command_hook("echo $(jq -r '.hook_event_name, .reason') >> events")


def start(folder, *words, hooks=None, permissions=ALLOW, terminal=None, **rest):
    """Start the program in a folder that is its home too; `terminal`: the descriptor of one."""
    document = {"agents": {"root": agent(hooks=hooks or {}, **rest)}, "permissions": permissions}
    (folder / "agent.yaml").write_text(json.dumps(document), encoding="utf-8")
    environ = {
        "HOME": str(folder), "PATH": os.environ["PATH"], "PYTHONWARNINGS": "error",
        "PYTHONPATH": os.environ.get("PYTHONPATH", ""),
    }  # fmt: skip
    streams = dict.fromkeys(("stdin", "stdout", "stderr"), terminal)
    if terminal is None:
        streams = {"stdin": subprocess.DEVNULL, **dict.fromkeys(("stdout", "stderr"), -1)}
    else:
        environ |= {"TERM": "xterm-256color"}
    return subprocess.Popen(
        [sys.executable, "-m", "hookline", "run", "agent.yaml", *words],
        cwd=folder, env=environ, text=True, **streams,
    )  # fmt: skip


def read_all(terminal, shown, stop):
    """Read what a terminal shows, until all that wrote to it have closed it, or until `stop`."""
    with suppress(OSError):
        while not stop.is_set():
            if select.select([terminal], [], [], 0.1)[0]:
                shown.append(os.read(terminal, 65536))


def run(folder, *words, **rest):
    with start(folder, *words, **rest) as process:
        out, err = process.communicate(timeout=60)
    return process.returncode, out, err


def test_an_answer_is_0(tmp_path):
    """The text is on standard output, and all else on the other one."""
    write_script(tmp_path, shell("echo 1"), "Done.")

    code, out, err = run(tmp_path, "do", "it")

    assert (code, out) == (0, "Done.\n")
    assert "shell echo 1" in err


def test_a_hook_that_ends_the_run_is_1(tmp_path):
    """So is a limit; the document says why."""
    write_script(tmp_path, "Never.")
    refuse = {"user_prompt_submit": [command_hook("echo not this >&2; exit 2")]}

    code, out, _ = run(tmp_path, "x", "--output-format", "json", hooks=refuse)

    document = json.loads(out)
    assert code == 1
    assert (document["reason"], document["error"]) == ("hook_blocked", "not this")
    assert {each["type"] for each in document["updates"]} >= {"hook.blocked", "session.ended"}


def test_a_wrong_file_is_2(tmp_path):
    """Nothing is started; each error has its place."""
    write_script(tmp_path, "Never.")

    code, out, err = run(tmp_path, "x", hooks={"session_start": [NOTE]}, sub_agents=["nobody"])

    assert (code, out) == (2, "")
    assert "unknown agent `nobody`" in err
    assert not (tmp_path / "events").exists()


def test_a_model_that_fails_is_4(tmp_path):
    """Each line of `stream-json` is an update, the last one the end."""
    write_script(tmp_path, {"error": {"status": 500, "message": "broken"}})

    code, out, _ = run(tmp_path, "x", "--output-format", "stream-json")

    updates = [json.loads(line) for line in out.splitlines()]
    assert code == 4
    assert updates[-1]["type"] == "session.ended"
    assert updates[-1]["reason"] == "error"
    assert all({"type", "session_id", "agent"} <= set(update) for update in updates)


DETACHED = 'setsid sh -c "echo \\$\\$ > pid; sleep 600" & sleep 60'


@pytest.mark.parametrize(("number", "command"), [
    (signal.SIGINT, "echo $$ > pid; sleep 60"), (signal.SIGTERM, DETACHED),
    (signal.SIGHUP, "echo $$ > pid; sleep 60"),
])  # fmt: skip
def test_a_signal_is_130(tmp_path, number, command):
    """The events of the end are still fired, and no program of a tool is left."""
    write_script(tmp_path, shell(command), "Never.")
    hooks = {event: [NOTE] for event in ("turn_end", "session_end")}
    with start(tmp_path, "x", hooks=hooks) as process:
        assert until(lambda: pid_in(tmp_path / "pid"))
        process.send_signal(number)
        _, err = process.communicate(timeout=30)

    assert process.returncode == 130
    assert "Traceback" not in err
    assert (tmp_path / "events").read_text() == "turn_end canceled\nsession_end stream_ended\n"
    assert until(lambda: is_gone(pid_in(tmp_path / "pid")))


@pytest.mark.parametrize("number", [signal.SIGHUP, signal.SIGTERM, None])
def test_a_signal_in_a_terminal_is_130(tmp_path, number):
    """It ends the run as elsewhere, also if the terminal itself is gone."""
    write_script(tmp_path, shell("echo $$ > pid; sleep 60"), "Never.")
    hooks = {event: [NOTE] for event in ("turn_end", "session_end")}
    mine, other = pty.openpty()
    shown: list[bytes] = []
    stop = Event()
    reader = Thread(target=read_all, args=(mine, shown, stop), daemon=True)
    reader.start()
    with start(tmp_path, "x", hooks=hooks, terminal=other) as process:
        os.close(other)
        assert until(lambda: pid_in(tmp_path / "pid"))
        if number is None:
            stop.set()
            reader.join(10)
            os.close(mine)
        process.send_signal(number or signal.SIGHUP)
        process.wait(timeout=30)

    assert process.returncode == 130
    assert (tmp_path / "events").read_text() == "turn_end canceled\nsession_end stream_ended\n"
    assert until(lambda: is_gone(pid_in(tmp_path / "pid")))
    assert list(tmp_path.glob(".local/state/hookline/host-sessions/*.json"))
    if number is not None:
        reader.join(10)
        os.close(mine)
        screen, _, after = b"".join(shown).rpartition(b"\x1b[?1049l")  # leaves the second screen
        assert screen
        assert b"to go on: hookline run" in after


def test_a_report_of_a_builtin_is_printed(tmp_path):
    """The person reads what it is missing, and the journal has it."""
    write_script(tmp_path, "Done.")
    hooks = {"turn_start": [{"type": "builtin", "command": "snapshot"}]}

    _, _, err = run(tmp_path, "x", hooks=hooks)

    assert "turn_start: snapshot: hookline takes no snapshots here" in err
    [journal] = tmp_path.glob(".local/state/hookline/journal/**/*.jsonl")
    assert "hookline takes no snapshots here" in journal.read_text()


def test_a_reader_that_leaves(tmp_path):
    """The events of the end are still fired when nothing reads the output any more."""
    write_script(tmp_path, shell("until [ -e go ]; do sleep 0.05; done"), "x" * 70000)
    with start(tmp_path, "x", hooks={"session_end": [NOTE]}) as process:
        assert process.stdout is not None
        process.stdout.close()
        process.stdout = None
        (tmp_path / "go").touch()
        _, err = process.communicate(timeout=30)

    assert "Traceback" not in err
    assert (tmp_path / "events").read_text() == "session_end stream_ended\n"


def test_hooks_of_the_command_line(tmp_path):
    """They run beside those of the file."""
    write_script(tmp_path, shell("echo 1"), "Done.")

    code, _, _ = run(
        tmp_path, "x", "--hook-pre-tool-use", "echo pre >> events", "--hook-stop",
        "echo stop >> events", hooks={"session_end": [NOTE]},
    )  # fmt: skip

    assert code == 0
    assert (tmp_path / "events").read_text() == "pre\nstop\nsession_end stream_ended\n"
