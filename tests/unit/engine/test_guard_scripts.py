"""The scripts of the Starchild document: each tries itself, and runs as a hook of an agent."""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

import hookline
from hookline.engine import guard_scripts

FOLDER = Path(hookline.__file__).parent / "templates" / "starchild"
SCRIPTS = sorted(path for path in FOLDER.iterdir() if path.suffix in (".py", ".sh"))
NAMED = {
    "security_guard.py", "verify_publish_claims.py", "pii_redactor.py", "tool_audit_log.py",
    "budget_alert.py", "inject_website_reminder.sh", "block_secrets.py", "check_publish.sh",
    "secret_guard.py", "dangerous_bash_guard.py", "security_guard_selftest.py",
    "verify_publish_claims_selftest.py",
}  # fmt: skip

pytestmark = pytest.mark.process


def start(script, *words, payload=None, home):
    """Run a script as its host does."""
    folder = os.path.dirname(sys.executable)
    environ = {"PATH": f"{folder}:/usr/bin:/bin", "HOME": str(home)}
    shell = [sys.executable] if script.suffix == ".py" else ["sh"]
    return subprocess.run(
        [*shell, str(script), *words],
        input=json.dumps(payload) if payload else "",
        capture_output=True,
        text=True,
        env=environ,
        check=False,
    )


def test_every_script_of_the_document_is_there():
    """By its name, and executable."""
    assert {path.name for path in SCRIPTS} == NAMED
    assert all(os.access(path, os.X_OK) for path in SCRIPTS)


@pytest.mark.parametrize("script", SCRIPTS, ids=lambda path: path.name)
def test_a_script_passes_its_own_test(script, tmp_path):
    """`--self-test` ends with 0, and leaves nothing in the home folder."""
    words = [] if script.stem.endswith("_selftest") else ["--self-test"]
    done = start(script, *words, home=tmp_path)
    assert (done.returncode, done.stderr) == (0, ""), done.stdout
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize(("command", "decision"), [("rm -rf /", "block"), ("ls -la", "")])
def test_the_dry_runs_of_the_document(command, decision, tmp_path):
    """A removal of the root blocks, and a list of files prints nothing."""
    payload = {"event": "pre_tool_call", "tool_name": "bash", "tool_input": {"command": command}}
    done = start(FOLDER / "security_guard.py", payload=payload, home=tmp_path)
    assert done.returncode == 0
    assert (json.loads(done.stdout)["decision"] if decision else done.stdout) == decision


def test_a_script_is_a_hook_of_an_agent(tmp_path):
    """Wired in `shell_hooks.yaml`, the guard decides for the agent."""
    file = tmp_path / "config" / "shell_hooks.yaml"
    file.parent.mkdir()
    line = f"{sys.executable} {FOLDER / 'security_guard.py'}"
    file.write_text(f"hooks:\n  - {{event: pre_tool_call, command: {line}}}\n")
    environ = {"HOME": str(tmp_path), "PATH": os.environ["PATH"]}
    engine = hookline.Engine.load(file, dialect="starchild", trust="all", environ=environ)
    call = {"session_id": "s", "cwd": str(tmp_path), "tool_name": "bash"}
    for command, stance in (("rm -rf ~", "deny"), ("ls", "silent")):
        payload = {"event": "pre_tool_call", **call, "tool_input": {"command": command}}
        assert engine.fire("pre_tool_call", payload, dialect="starchild").stance.word == stance


def test_a_failed_test_is_told(capsys, monkeypatch):
    """The answer and what was wanted are printed, and the exit code is 1."""
    monkeypatch.setattr(sys, "argv", ["x", "--self-test"])
    test = ("a name", {"event": "on_user_message", "message": "hello"}, "block")
    with pytest.raises(SystemExit) as ended:
        guard_scripts.run([{"use": "secrets"}], tests=[test])
    assert ended.value.code == 1
    assert "FAILED  a name\n  answer: none" in capsys.readouterr().out


def test_a_wrong_guard_is_told(monkeypatch):
    """A script with a guard that does not exist says so."""
    monkeypatch.setattr(sys, "argv", ["my.py"])
    with pytest.raises(SystemExit, match=r"my\.py: .*no builtin is called `comands`"):
        guard_scripts.run([{"use": "comands"}])
