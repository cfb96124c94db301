"""`hookline answer`: its command line, and that the host receives answers only."""

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
    """The real parser reads what the quick reader does not know, with the same result."""
    done = answer(*words, stdin=json.dumps(SUDO).encode(), cwd=tmp_path)

    assert json.loads(done.stdout)["hook_specific_output"]["permission_decision"] == "deny"
    assert done.returncode == 0


@pytest.mark.parametrize(
    "words",
    [(), ("docker-agent", "--foo"), ("docker-agent", "claude-code"), ("docker-agent", "-c")],
)
def test_a_wrong_command_line_refuses(words: tuple[str, ...], tmp_path: Path) -> None:
    """With a broken setup the host must not go on as if its guards had agreed."""
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
    """The host gets one line for any input, and an exit code that it knows."""
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
    """With -C, hookline resolves a file as if it had started there."""
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


def test_an_ask_that_the_host_lacks_is_a_refusal(tmp_path: Path) -> None:
    """Codex cannot ask its user, so hookline refuses the call."""
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

    reason = "a hook wants a person to decide, and codex cannot ask one here"
    refused = {"permissionDecision": "deny", "permissionDecisionReason": reason}
    said = json.loads(done.stdout)["hookSpecificOutput"]
    assert (done.returncode, said) == (0, {"hookEventName": "PreToolUse", **refused})
    assert done.stderr.decode() == (
        "hookline: config#PreToolUse.echo-ktqcnh answered `ask`: ask -> deny: "
        "`PreToolUse` of codex cannot ask a person here\n"
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


def test_a_guard_that_could_not_run_is_reported(tmp_path: Path) -> None:
    """Kimi shows the user nothing, so hookline writes the failure where Kimi's log may keep it."""
    tree = {"hooks": [{"event": "PreToolUse", "command": "/no/such/guard"}]}
    (line,) = told("kimi", "kimi", tree, KIMI, tmp_path)

    assert line.startswith("hookline: config#")
    assert "exited with status 127" in line


def test_what_a_hook_would_have_changed_is_told(tmp_path: Path) -> None:
    """The host runs the unchanged input, and shows the note to no user."""
    said = {
        "systemMessage": "look\nhere",
        "hookSpecificOutput": {"hookEventName": "PreToolUse", "updatedInput": {"command": "true"}},
    }

    assert told("kimi", "claude-code", claude(said), KIMI, tmp_path) == [
        (
            "hookline: config#PreToolUse.printf-jmmjgs would change the `input`: `PreToolUse` of "
            "kimi cannot express it"
        ),
        "hookline: config#PreToolUse.printf-jmmjgs: look",
        "hookline: config#PreToolUse.printf-jmmjgs: here",
    ]


def test_what_the_reply_shows_is_not_told_twice(tmp_path: Path) -> None:
    """Claude Code shows its user the failure in the answer."""
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
    """A hook's text is escaped, because users read logs in a terminal."""
    tree = {"hooks": [{"event": "PreToolUse", "command": "printf '\\033[2J gone' >&2; exit 3"}]}
    (line,) = told("kimi", "kimi", tree, KIMI, tmp_path)

    assert line.endswith("exited with status 3: \\x1b[2J gone")


def test_where_no_hook_could_be_asked_the_host_is_answered_in_its_own_words(
    tmp_path: Path,
) -> None:
    """A mistyped path disarms every guard: hookline refuses an action, and at a stop notifies."""
    before = {"hook_event_name": "PreToolUse", "tool_name": "Bash", "tool_input": {}}
    text = "hookline: nowhere.json: HKL1002 no such file or folder"
    words = ("claude-code", "-c", "nowhere.json")
    refused = answer(*words, stdin=json.dumps(before).encode(), cwd=tmp_path)
    told = answer(*words, stdin=b'{"hook_event_name": "Stop"}', cwd=tmp_path)

    said = json.loads(refused.stdout)["hookSpecificOutput"]
    assert (said["permissionDecision"], said["permissionDecisionReason"]) == ("deny", text)
    assert json.loads(told.stdout) == {"systemMessage": text}
    assert refused.returncode == told.returncode == 0


@pytest.mark.parametrize(
    "words",
    [
        ("cloud-code",),
        ("claude-code", "--foo"),
        ("claude-code", "--mode", "strct"),
        ("claude-code", "--event", "Stopp"),
    ],
)
@pytest.mark.parametrize(
    ("event", "code"), [("PreToolUse", 2), ("Stop", 1), ("UserPromptSubmit", 1), ("", 2)]
)
def test_a_usage_error_refuses_before_an_action_only(
    words: tuple[str, ...], event: str, code: int, tmp_path: Path
) -> None:
    """Before an action: the host's refusal or exit 2. At other events: exit 1, same text."""
    done = answer(*words, stdin=json.dumps({"hook_event_name": event}).encode(), cwd=tmp_path)

    if event == "PreToolUse" and words[0] == "claude-code":
        assert (done.returncode, done.stderr) == (0, b"")
        assert json.loads(done.stdout)["hookSpecificOutput"]["permissionDecision"] == "deny"
    else:
        assert (done.returncode, done.stdout) == (code, b"")
        assert done.stderr.startswith(b"hookline answer: ")


def test_a_host_that_keeps_its_end_open_is_answered(tmp_path: Path) -> None:
    """One complete JSON text is the whole payload, though it comes in parts and no end follows."""
    words = [sys.executable, "-m", "hookline", "answer", "docker-agent", "-c", DOCKER]
    env = {"HOME": str(tmp_path), "PATH": "/usr/bin:/bin", "PYTHONPATH": str(ROOT / "src")}
    sent = json.dumps(SUDO).encode()
    with subprocess.Popen(
        words, stdin=subprocess.PIPE, stdout=subprocess.PIPE, cwd=tmp_path, env=env
    ) as host:
        assert host.stdin is not None
        assert host.stdout is not None
        for part in (sent[: sent.index(b"}")], sent[sent.index(b"}") :]):
            host.stdin.write(part)
            host.stdin.flush()
        said = host.stdout.read()  # ends when hookline does, and not before

    assert json.loads(said)["hook_specific_output"]["permission_decision"] == "deny"


def _from_deleted_folder(
    gone: Path, home: Path, words: tuple[str, ...], payload: dict[str, object]
) -> subprocess.CompletedProcess[bytes]:
    """Run hookline in a folder that is deleted before it starts."""
    script = 'cd "$1" && rmdir "$1" && shift && exec "$@"'
    hookline = (sys.executable, "-m", "hookline", *words, "--trust", "all")
    return subprocess.run(
        ["/bin/sh", "-c", script, "sh", str(gone), *hookline],
        input=json.dumps(payload).encode(),
        capture_output=True,
        cwd=home,
        env={"HOME": str(home), "PATH": "/usr/bin:/bin", "PYTHONPATH": str(ROOT / "src")},
        timeout=60,
        check=False,
    )


def test_a_guard_is_asked_from_a_folder_that_was_deleted(tmp_path: Path) -> None:
    """After an agent deletes its working folder, the guards of project and user still run."""
    guard = {"type": "command", "command": "pwd >&2; exit 2"}
    for folder in ("", "project/"):
        file = tmp_path / f"{folder}.claude/settings.json"
        file.parent.mkdir(parents=True)
        file.write_text(json.dumps({"hooks": {"PreToolUse": [{"hooks": [guard]}]}}), "utf-8")
    for at, project in (("project/build", "project"), ("elsewhere", "")):
        gone = tmp_path / at
        gone.mkdir()
        payload = SUDO | {"hook_event_name": "PreToolUse", "cwd": str(gone), "session_id": at}
        done = _from_deleted_folder(gone, tmp_path, ("answer", "claude-code"), payload)
        said = json.loads(done.stdout)

        assert said["hookSpecificOutput"]["permissionDecision"] == "deny"
        assert said["hookSpecificOutput"]["permissionDecisionReason"] == str(
            (tmp_path / project).resolve()
        )
        assert f"the working folder `{gone}` does not exist" in said["systemMessage"]


def test_an_event_is_fired_from_a_folder_that_was_deleted(tmp_path: Path) -> None:
    """The user's own guard decides, and stderr says from which folder hookline looks."""
    guard = {"type": "command", "command": "exit 2"}
    (tmp_path / ".claude").mkdir()
    (tmp_path / ".claude/settings.json").write_text(
        json.dumps({"hooks": {"PreToolUse": [{"hooks": [guard]}]}}), "utf-8"
    )
    gone = tmp_path / "gone"
    gone.mkdir()
    words = ("fire", "PreToolUse", "--host", "claude-code")
    done = _from_deleted_folder(gone, tmp_path, words, SUDO)

    assert done.returncode == 1
    assert b"its working folder was deleted" in done.stderr


# -- beside a refusal ------------------------------------------------------------------------------


def test_what_the_user_is_to_be_told_stands_below_the_reason_of_a_refusal(tmp_path: Path) -> None:
    """Where exit 2 and stderr are all that a host reads.

    Once in a session, and where nothing is to be told the reason stands alone.
    """
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

    code, (reason, note) = told()
    assert (code, reason) == (2, "no")
    assert note.startswith("hookline recorded hooks of yours at their first use.")
    assert told() == (2, ["no"])
    script.write_text("#!/bin/sh\necho never >&2; exit 2\n", encoding="utf-8")
    code, (reason, note) = told()
    assert (code, reason) == (2, "never")
    assert note.startswith("hookline: hook `guard` (")
    assert "agents/hooks/guard/scripts/run.sh` changed." in note


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
