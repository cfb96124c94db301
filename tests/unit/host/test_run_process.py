"""`hookline run` as a process: formats, exit codes, and what signals leave behind."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys

import pytest

from tests.unit.handlers.support import is_gone, pid_in, until
from tests.unit.host.play import agent, command_hook, shell, write_script

pytestmark = pytest.mark.process
ALLOW = {"allow": ["shell"]}
NOTE = command_hook("echo $(jq -r '.hook_event_name, .reason') >> events")


def start(folder, *words, hooks=None, permissions=ALLOW, **rest):
    """Start the program in a folder that is its home too."""
    document = {"agents": {"root": agent(hooks=hooks or {}, **rest)}, "permissions": permissions}
    (folder / "agent.yaml").write_text(json.dumps(document), encoding="utf-8")
    environ = {
        "HOME": str(folder), "PATH": os.environ["PATH"], "PYTHONWARNINGS": "error",
        "PYTHONPATH": os.environ.get("PYTHONPATH", ""),
    }  # fmt: skip
    return subprocess.Popen(
        [sys.executable, "-m", "hookline", "run", "agent.yaml", *words],
        cwd=folder, env=environ, text=True, stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE, stderr=subprocess.PIPE,
    )  # fmt: skip


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


@pytest.mark.parametrize("command", ["echo $$ > pid; sleep 60", DETACHED])
@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
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
