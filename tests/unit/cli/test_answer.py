"""`hookline answer`: the words of its command line, and that nothing ever reaches the host but an answer."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

from tests.unit.cli.support import DOCKER, ROOT

pytestmark = pytest.mark.process
SUDO = {
    "hook_event_name": "pre_tool_use",
    "session_id": "s",
    "cwd": "/",
    "tool_name": "shell",
    "tool_input": {"cmd": "sudo ls"},
}


def answer(
    *words: str, stdin: bytes, cwd: Path, stdout: object = subprocess.PIPE
) -> subprocess.CompletedProcess[bytes]:
    """Answer in a process of its own, as hosts do."""
    return subprocess.run(
        [sys.executable, "-m", "hookline", "answer", *words],
        input=stdin,
        stdout=stdout,  # type: ignore[call-overload]  # a descriptor, or a pipe
        stderr=subprocess.PIPE,
        cwd=cwd,
        env={"HOME": str(cwd), "PATH": "/usr/bin:/bin", "PYTHONPATH": str(ROOT / "src")},
        timeout=60,
        check=False,
    )


@pytest.mark.parametrize(
    "words",
    [
        ("docker-agent", "-c", DOCKER),
        ("docker-agent", f"-c{DOCKER}"),
        (f"--config={DOCKER}", "docker-agent"),
    ],
)
def test_options_are_understood_however_they_are_spelled(
    words: tuple[str, ...], tmp_path: Path
) -> None:
    """What the quick reader does not know goes to the real parser, with the same result."""
    done = answer(*words, stdin=json.dumps(SUDO).encode(), cwd=tmp_path)

    assert json.loads(done.stdout)["hook_specific_output"]["permission_decision"] == "deny"
    assert done.returncode == 0


@pytest.mark.parametrize(
    "words",
    [(), ("docker-agent", "--foo"), ("docker-agent", "claude-code"), ("docker-agent", "-c")],
)
def test_a_wrong_command_line_refuses(words: tuple[str, ...], tmp_path: Path) -> None:
    """A host that is set up wrongly must not go on as if its guards had agreed."""
    done = answer(*words, stdin=b"{}", cwd=tmp_path)

    assert (done.returncode, done.stdout) == (2, b"")
    assert done.stderr.startswith(b"hookline answer: ")


@pytest.mark.parametrize(
    "sent",
    [
        b"",
        b"ls",
        b"[1]",
        b"\xff\xfe",
        b"[" * 100_000,
        b'{"hook_event_name": 1}',
        b'{"cwd": "\\u0000"}',
    ],
)
def test_no_payload_is_ever_a_traceback(sent: bytes, tmp_path: Path) -> None:
    """Whatever is sent, the host is told in one line, and the exit code is one that it knows."""
    done = answer("docker-agent", "-c", DOCKER, stdin=sent, cwd=tmp_path)

    assert (done.returncode, done.stdout) == (2, b"")
    assert done.stderr.startswith(b"hookline: ")
    assert done.stderr.count(b"\n") == 1


def test_a_host_that_stops_listening_still_gets_its_exit_code(tmp_path: Path) -> None:
    """A closed standard output is silent."""
    with Path("/dev/full").open("wb") as full:
        done = answer(
            "docker-agent", "-c", DOCKER, stdin=json.dumps(SUDO).encode(), cwd=tmp_path, stdout=full
        )

    assert (done.returncode, done.stderr) == (0, b"")


def test_the_folder_is_where_relative_paths_begin(tmp_path: Path) -> None:
    """With -C, a file is found as if started there."""
    done = answer(
        "docker-agent",
        "-C",
        str(ROOT / "examples"),
        "-c",
        "docker-agent/hooks.yaml",
        stdin=json.dumps(SUDO).encode(),
        cwd=tmp_path,
    )

    assert b'"deny"' in done.stdout


@pytest.mark.parametrize(
    "named",
    [
        {"workspace_roots": ["{project}"], "cwd": "/"},
        {"cwd": "{project}"},
        {"workspace_roots": [], "cwd": "{project}"},
    ],
)
def test_the_files_are_those_of_the_folder_that_the_host_names(
    named: dict[str, object], tmp_path: Path
) -> None:
    """A host that names the workspace apart from a command's folder means the workspace."""
    project = tmp_path / "project"
    command = """printf '{"followup_message": "go on"}'"""
    hooks = {"version": 1, "hooks": {"stop": [{"command": command}]}}
    (project / ".cursor").mkdir(parents=True)
    (project / ".cursor/hooks.json").write_text(json.dumps(hooks), encoding="utf-8")
    sent = json.dumps({"hook_event_name": "stop", "conversation_id": "c", **named}).replace(
        "{project}", str(project)
    )
    done = answer("cursor", "--trust", "all", stdin=sent.encode(), cwd=tmp_path)

    assert json.loads(done.stdout) == {"followup_message": "go on"}


def test_a_question_that_the_host_cannot_put_is_not_silence(tmp_path: Path) -> None:
    """Codex has no word for it: nobody is asked, and that is said."""
    said = json.dumps(
        {"hookSpecificOutput": {"hookEventName": "PreToolUse", "permissionDecision": "ask"}}
    )
    tree = json.dumps(
        {"hooks": {"PreToolUse": [{"hooks": [{"type": "command", "command": f"echo '{said}'"}]}]}}
    )
    payload = {
        "hook_event_name": "PreToolUse",
        "session_id": "s",
        "tool_name": "shell",
        "tool_input": {},
    }

    done = answer(
        "codex",
        "--dialect",
        "claude-code",
        "-c",
        tree,
        stdin=json.dumps(payload).encode(),
        cwd=tmp_path,
    )

    assert (done.returncode, done.stdout) == (0, b"")
    assert (
        done.stderr.decode()
        == "hookline: config#PreToolUse.0.0 said `ask`: `PreToolUse` of codex cannot express it\n"
    )


KIMI = {
    "hook_event_name": "PreToolUse",
    "session_id": "k",
    "tool_name": "Shell",
    "tool_input": {"command": "ls"},
}


def told(host: str, dialect: str, tree: object, payload: object, cwd: Path) -> list[str]:
    """What a host is told on stderr beside an answer that stops nothing."""
    done = answer(
        host,
        "--dialect",
        dialect,
        "-c",
        json.dumps(tree),
        stdin=json.dumps(payload).encode(),
        cwd=cwd,
    )

    assert (done.returncode, done.stdout) == (0, b"")
    return done.stderr.decode().splitlines()


def claude(output: object = "", end: str = "exit 0") -> dict[str, object]:
    """Claude Code's settings with one guard that prints this and ends so."""
    command = f"printf %s '{output if isinstance(output, str) else json.dumps(output)}'; {end}"
    return {"hooks": {"PreToolUse": [{"hooks": [{"type": "command", "command": command}]}]}}


def test_a_guard_that_could_not_run_is_missed_aloud(tmp_path: Path) -> None:
    """Kimi shows nobody anything, so what failed is told where its log may keep it."""
    tree = {"hooks": [{"event": "PreToolUse", "command": "/no/such/guard"}]}
    (line,) = told("kimi", "kimi", tree, KIMI, tmp_path)

    assert line.startswith("hookline: config#")
    assert "exited with status 127" in line


def test_what_a_hook_would_have_changed_is_told(tmp_path: Path) -> None:
    """The host goes on with the input as it was, and with nobody told the note."""
    said = {
        "systemMessage": "look\nhere",
        "hookSpecificOutput": {"hookEventName": "PreToolUse", "updatedInput": {"command": "true"}},
    }

    assert told("kimi", "claude-code", claude(said), KIMI, tmp_path) == [
        "hookline: config#PreToolUse.0.0 would change the `input`: `PreToolUse` of kimi cannot express it",
        "hookline: config#PreToolUse.0.0: look",
        "hookline: config#PreToolUse.0.0: here",
    ]


def test_what_the_reply_shows_is_not_told_twice(tmp_path: Path) -> None:
    """Claude Code's user is shown the failure in the answer itself."""
    payload = {
        "hook_event_name": "PreToolUse",
        "session_id": "s",
        "tool_name": "Bash",
        "tool_input": {},
    }
    words = ("claude-code", "--dialect", "claude-code", "-c", json.dumps(claude(end="exit 3")))
    done = answer(*words, stdin=json.dumps(payload).encode(), cwd=tmp_path)

    assert "exited with status 3" in json.loads(done.stdout)["systemMessage"]
    assert (done.returncode, done.stderr) == (0, b"")


def test_what_is_told_cannot_move_the_cursor(tmp_path: Path) -> None:
    """A hook's words are shown as text, because a log is read in a terminal."""
    tree = {"hooks": [{"event": "PreToolUse", "command": "printf '\\033[2J gone' >&2; exit 3"}]}
    (line,) = told("kimi", "kimi", tree, KIMI, tmp_path)

    assert line.endswith("exited with status 3: \\x1b[2J gone")


def test_where_nothing_could_be_asked_the_user_is_told_in_the_hosts_words(tmp_path: Path) -> None:
    """A mistyped path disarms every guard, and hosts that go on show nobody what stands on stderr."""
    payload = {
        "hook_event_name": "PreToolUse",
        "session_id": "s",
        "tool_name": "Bash",
        "tool_input": {},
    }
    claudes = answer(
        "claude-code", "-c", "nowhere.json", stdin=json.dumps(payload).encode(), cwd=tmp_path
    )
    garbled = answer("claude-code", "-c", "nowhere.json", stdin=b"{", cwd=tmp_path)

    assert (json.loads(claudes.stdout), claudes.stderr) == (
        {"systemMessage": "hookline: nowhere.json: HKL1002 no such file or folder"},
        b"",
    )
    assert (garbled.stdout, garbled.stderr != b"") == (b"", True)


# -- beside a refusal ----------------------------------------------------------------------------------------------------


def test_what_the_user_is_to_be_told_stands_below_the_reason_of_a_refusal(tmp_path: Path) -> None:
    """Where exit 2 and stderr are all that a host reads; once in a session, and where nothing is to be told the reason stands alone."""
    hook = tmp_path / ".config/agents/hooks/guard"
    script = hook / "scripts/run.sh"
    script.parent.mkdir(parents=True)
    (hook / "HOOK.md").write_text(
        "---\nname: guard\ndescription: x\ntrigger: pre-tool-call\n---\n", encoding="utf-8"
    )
    script.write_text("#!/bin/sh\necho no >&2; exit 2\n", encoding="utf-8")
    script.chmod(0o755)
    (tmp_path / "project").mkdir()
    event = {
        "event_type": "pre-tool-call",
        "session_id": "s",
        "work_dir": str(tmp_path),
        "tool_name": "bash",
        "tool_input": {"command": "ls"},
    }

    def told() -> tuple[int, list[str]]:
        done = answer("agenthooks", stdin=json.dumps(event).encode(), cwd=tmp_path)
        return done.returncode, done.stderr.decode().splitlines()

    assert told() == (2, ["no"])
    script.write_text("#!/bin/sh\necho never >&2; exit 2\n", encoding="utf-8")
    code, (reason, note) = told()
    assert (code, reason) == (2, "never")
    assert note.startswith("hookline: hook `guard` ran: ")
    assert "changed" in note


BEFORE_TOOL = {
    "hook_event_name": "BeforeTool",
    "session_id": "s",
    "transcript_path": "/t.json",
    "timestamp": "2026-09-30T08:15:00.000Z",
    "tool_name": "run_shell_command",
    "tool_input": {"command": "ls"},
}


def test_a_gemini_extension_is_named_without_its_dialect(tmp_path: Path) -> None:
    """Its `hooks/hooks.json` is known by its events, and `${/}` in a command is a slash."""
    file = tmp_path / "extension/hooks/hooks.json"
    file.parent.mkdir(parents=True)
    (file.parent / "guard.sh").write_text("echo not here >&2; exit 2\n", encoding="utf-8")
    command = "sh ${extensionPath}${/}hooks${pathSeparator}guard.sh"
    tree = {"hooks": {"BeforeTool": [{"hooks": [{"type": "command", "command": command}]}]}}
    file.write_text(json.dumps(tree), encoding="utf-8")
    payload = json.dumps({**BEFORE_TOOL, "cwd": str(tmp_path)}).encode()
    done = answer("gemini", "--config", str(file), stdin=payload, cwd=tmp_path)

    assert json.loads(done.stdout)["decision"] == "deny"
    assert b"not here" in done.stdout


def test_an_error_in_a_group_of_another_event_is_not_printed(tmp_path: Path) -> None:
    """It is printed at its own event, and one of an unknown event at each."""
    file = tmp_path / "settings.json"
    hook = {"type": "command", "command": "true"}
    tree = {
        "hooks": {
            "PreToolUse": [{"matcher": "(", "hooks": [hook]}],
            "Stop": [{"hooks": [{"type": "command"}]}],
            "Stopp": [],
        }
    }
    file.write_text(json.dumps(tree), encoding="utf-8")
    payload = {"hook_event_name": "Stop", "session_id": "s", "cwd": str(tmp_path)}
    done = answer("claude-code", "-c", str(file), stdin=json.dumps(payload).encode(), cwd=tmp_path)
    printed = done.stderr.decode()

    assert "`command` is missing" in printed
    assert "unknown event `Stopp`" in printed
    assert "invalid expression" not in printed
