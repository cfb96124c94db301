"""A home and its repositories, and the public interfaces that ask hookline about them."""

from __future__ import annotations

import json
import os
import subprocess
from itertools import count
from typing import TYPE_CHECKING, Any, NamedTuple

from tests.fork_server import HOOKLINE

if TYPE_CHECKING:
    from pathlib import Path

    from tests.fork_server import Done, ForkServer

COMMANDS = ("answer", "fire", "serve")
DOORS = (*COMMANDS, "python")
_LONGEST = 60  # seconds that any command may take here; a command that blocks is a failure
_IN_PYTHON = """
import json, sys
import hookline
with hookline.Engine.discover(".", trust="approved", mode=sys.argv[1]) as engine:
    decision = engine.fire("PreToolUse", json.load(sys.stdin), dialect="claude-code")
print(json.dumps(decision.to_dict()))
"""
# Starts the server, sends it one event of a host, and exits as the answer says.
_SERVED = f"""
import http.client, json, os, socket, sys
from hookline.server.responses import WHOLE
at, *words = sys.argv[1:]
ready, told = os.pipe()
pid = os.fork()
if not pid:
    os.dup2(told, 1)
    sys.stdout = open(1, "w", closefd=False)
    sys.argv = ["hookline", "serve", "--unix", at, *words]
    {HOOKLINE}
os.close(told)
os.read(ready, 1)
connection = http.client.HTTPConnection("localhost")
connection.sock = socket.socket(socket.AF_UNIX)
connection.sock.connect(at)
headers = {{"Accept": WHOLE, "Content-Type": "application/json"}}
connection.request("POST", "/v1/answer/claude-code", sys.stdin.read().encode(), headers)
answer = json.loads(connection.getresponse().read())
connection.close()
os.kill(pid, 9)
os.waitpid(pid, 0)
print(answer["stdout"])
sys.stderr.write(answer["stderr"])
sys.exit(answer["exit_code"])
"""


class Said(NamedTuple):
    """What hookline said about a call: its stance, its reason, and all that the user reads."""

    stance: str
    reason: str
    told: str


class Home:
    """A user's folder, in which nothing is approved and no agent runs."""

    def __init__(self, path: Path, server: ForkServer) -> None:
        self.path = path
        self._server = server
        self.sockets = count()
        path.mkdir(parents=True)
        self.environ = {"PATH": os.environ["PATH"], "HOME": str(path), "LANG": "C.UTF-8"}
        self.write(".gitconfig", "[user]\nname = a\nemail = a@example.org\n")

    @property
    def store(self) -> Path:
        """Where hookline keeps what was approved."""
        return self.path / ".local/state/hookline"

    def write(self, name: str, text: str, *, program: bool = False) -> Path:
        """Write a file below the home."""
        return write(self.path / name, text, program=program)

    def repository(self, name: str = "code/shop") -> Repository:
        """A repository below the home, with a first commit."""
        made = Repository(self, self.path / name)
        made.path.mkdir(parents=True)
        made.git("init", "-q", "--template=")
        return made

    def run(self, folder: Path, *words: str, sent: str = "", **environ: str) -> Any:
        """Run a program in a folder."""
        return subprocess.run(
            words, cwd=folder, env={**self.environ, **environ}, input=sent, capture_output=True,
            text=True, timeout=_LONGEST, check=False,
        )  # fmt: skip

    def run_python(
        self, folder: Path, code: str, *words: str, sent: str = "", **environ: str
    ) -> Done:
        """Run Python code in a folder."""
        environ = {**self.environ, **environ}
        return self._server.hookline(
            *words, folder=folder, environ=environ, sent=sent, code=code, seconds=_LONGEST
        )


class Repository:
    """A project with a guard of shell commands: a script, what it sources, and what it imports."""

    def __init__(self, home: Home, path: Path) -> None:
        self.home = home
        self.path = path

    # -- what is in it -----------------------------------------------------------------------------

    def write(self, name: str, text: str, *, program: bool = False) -> Path:
        """Write a file of the repository."""
        return write(self.path / name, text, program=program)

    def git(self, *words: str) -> None:
        """Run git here."""
        done = self.home.run(self.path, "git", *words)
        assert done.returncode == 0, done.stderr

    def declare(
        self, command: str = ".claude/hooks/guard.sh", *, matcher: str = "Bash", **fields: Any
    ) -> None:
        """Declare one hook before a tool, as the only one."""
        hook = {"type": "command", "command": command, **fields}
        settings = {"hooks": {"PreToolUse": [{"matcher": matcher, "hooks": [hook]}]}}
        self.write(".claude/settings.json", json.dumps(settings))

    def guard(self, says: str = "") -> Repository:
        """Declare the guard and write its files. `says`: shell text at the end of its script."""
        self.declare()
        here = '"$(dirname "$0")"'
        runs = f". {here}/lib.sh\npython3 -S {here}/check.py\necho ran >> {self.ran}"
        script = f"#!/bin/sh\n{runs}\n{says}\n"
        self.write(".claude/hooks/guard.sh", script, program=True)
        self.write(".claude/hooks/lib.sh", "NAME=guard\n")
        self.write(".claude/hooks/check.py", "import rules\nimport json\n")
        self.write(".claude/hooks/rules.py", "LIMIT = 1\n")
        return self

    def approved(self, says: str = "") -> Repository:
        """The guard, committed and approved by a person."""
        self.guard(says).commit()
        self.approve()
        return self

    def commit(self) -> None:
        """Commit all files."""
        self.git("add", "-A")
        self.git("commit", "-q", "-m", "more")

    @property
    def ran(self) -> Path:
        """The file into which the guard writes that it ran; outside of the repository."""
        return self.home.path / f"ran-{self.path.name}"

    @property
    def times(self) -> int:
        """How often the guard ran."""
        return len(self.ran.read_text("utf-8").splitlines()) if self.ran.exists() else 0

    # -- the doors ---------------------------------------------------------------------------------

    def hookline(self, *words: str, sent: str = "", **environ: str) -> Done:
        """Run hookline here."""
        return self.home.run_python(self.path, HOOKLINE, *words, sent=sent, **environ)

    def approve(self, **environ: str) -> Done:
        """Approve everything that waits for it, as provisioning does."""
        return self.hookline("approve", "--all", "--yes", **environ)

    def call(self) -> dict[str, Any]:
        """The payload of a shell command that the agent wants to run here."""
        return {
            "hook_event_name": "PreToolUse", "session_id": "s", "cwd": str(self.path),
            "tool_name": "Bash", "tool_input": {"command": "make"},
        }  # fmt: skip

    def ask(
        self, door: str, *, mode: str = "fidelity", named_home: bool = False, **environ: str
    ) -> Said:
        """What hookline says about that command, by one of its doors.

        `named_home`: the command line names the home, as the settings of the repository may set the
        variable.
        """
        payload = json.dumps(self.call())
        home = ("--home", str(self.home.path)) if named_home else ()
        if door == "answer":
            words = ("answer", "claude-code", "--mode", mode, *home)
            done = self.hookline(*words, sent=payload, CLAUDE_PROJECT_DIR=str(self.path), **environ)
            return _read_reply(done)
        if door == "serve":
            # A socket for each server, because one that was killed may listen for a moment longer.
            at = self.home.path.with_name(f"s{next(self.home.sockets)}")
            words = (str(at), "--no-reload", "--mode", mode, *home)
            done = self.home.run_python(self.path, _SERVED, *words, sent=payload, **environ)
            return _read_reply(done)
        if door == "fire":
            words = (
                "fire",
                "PreToolUse",
                "--host",
                "claude-code",
                "--mode",
                mode,
                "--json",
                "--exit-zero",
                *home,
            )
            done = self.hookline(*words, sent=payload, **environ)
        else:
            done = self.home.run_python(self.path, _IN_PYTHON, mode, sent=payload, **environ)
        assert done.returncode == 0, done.stderr
        decision = json.loads(done.stdout)
        return Said(
            decision["stance"], decision["reason"], "\n".join((*decision["for_user"], done.stderr))
        )


def write(path: Path, text: str, *, program: bool = False) -> Path:
    """Write a file, and all folders above it."""
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text, "utf-8")
    path.chmod(0o755 if program else 0o644)
    return path


def _read_reply(done: Done) -> Said:
    """What Claude Code reads in an answer."""
    if done.returncode == 2:
        return Said("deny", done.stderr, done.stderr)
    assert done.returncode == 0, done.stderr
    said = json.loads(done.stdout) if done.stdout.strip() else {}
    specific = said.get("hookSpecificOutput", {})
    return Said(
        specific.get("permissionDecision", "silent"),
        specific.get("permissionDecisionReason", ""),
        f"{said.get('systemMessage', '')}\n{done.stderr}",
    )
