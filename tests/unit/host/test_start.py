"""What is wrong is told before anything starts: no hook, no model, no file."""

from __future__ import annotations

import asyncio
import shutil

import pytest

from hookline import Engine
from hookline.errors import ConfigError, HookError
from hookline.host.slash_commands import run_command
from hookline.host.start import Request, start
from tests.unit.host.play import Face, Play, agent, command_hook, shell, write_script

pytestmark = pytest.mark.process
FALLBACK = {"fallback": {"models": ["openai/gpt-4o-mini"]}}
LISTED = {"listed": {"first_available": ["openai/gpt-4o-mini", "groq/llama"]}}


def refuse(folder, *, request=None, environ=None, agents=None, **rest):
    """Start a file that must be refused; return the error and what was told."""
    write_script(folder, "Never.")
    hooks = {"session_start": [command_hook("touch started")]}
    made = Play(folder, agents or {"root": agent(hooks=hooks)}, **rest)
    told: list[str] = []
    engine = Engine(cwd=str(made.work), environ={**made.environ, **(environ or {})})
    asked = Request(path=str(made.path), prompt="go", **(request or {}))
    with pytest.raises(ConfigError) as caught:
        asyncio.run(start(asked, engine, told.append, told.append))
    assert not list(made.work.iterdir())
    assert not list(made.home.iterdir())
    return caught.value, "\n".join(told)


def test_an_unknown_agent(tmp_path):
    """The hint names those of the file."""
    error, _ = refuse(tmp_path, request={"agent": "rot"})

    assert error.message == "no agent `rot`"
    assert "root" in error.hint


@pytest.mark.parametrize("model", ["nothing", "nobody/x", "openai/gpt-4o-mini"])
def test_a_model_that_cannot_be_called(tmp_path, model):
    """It is no model, of no provider, or its key is missing."""
    error, _ = refuse(tmp_path, request={"model": model})

    assert model in error.message


def test_an_unknown_toolset(tmp_path):
    """The file has an error with a place."""
    _, told = refuse(tmp_path, agents={"root": agent(toolsets=[{"type": "shel"}])})

    assert "unknown toolset `shel`" in told


@pytest.mark.parametrize(
    ("agents", "models"),
    [
        ({"root": agent(model="openai/gpt-4o-mini")}, {}),
        ({"root": agent(), "other": agent(model="openai/gpt-4o-mini")}, {}),
        ({"root": agent(**FALLBACK)}, {}),
        ({"root": agent(compaction_model="openai/gpt-4o-mini")}, {}),
        ({"root": agent(model="listed")}, LISTED),
    ],
)
def test_a_missing_key_says_what_to_set(tmp_path, agents, models):
    """Of each model that a run may call: of all agents, fallbacks and summaries."""
    error, _ = refuse(tmp_path, agents=agents, models=models)

    assert "`OPENAI_API_KEY`" in error.message


def test_a_sandbox_that_is_not_installed(tmp_path, monkeypatch):
    """No command runs without it."""
    monkeypatch.setenv("PATH", str(tmp_path))
    error, _ = refuse(tmp_path, hookline={"sandbox": "bubblewrap"})

    assert "bubblewrap" in error.message


@pytest.mark.parametrize(
    ("script", "why"),
    [
        # As where `/proc` of a container cannot be mounted.
        ('case " $* " in *" --unshare-pid "*) echo cannot mount proc >&2; exit 1;; esac',
         "cannot mount proc"),
        ("sleep 60", "`bwrap` does not start a command within 0.5 seconds"),
    ],
)  # fmt: skip
def test_a_sandbox_that_does_not_start(tmp_path, monkeypatch, script, why):
    """Hookline tries it as commands use it; one that hangs is an error too."""
    programs = tmp_path / "programs"
    programs.mkdir()
    bwrap = programs / "bwrap"
    bwrap.write_text(f"#!/bin/sh\n{script}\n")
    bwrap.chmod(0o700)
    monkeypatch.setenv("PATH", f"{programs}:/usr/bin:/bin")
    monkeypatch.setattr("hookline.host.framework.tools._SANDBOX_START", 0.5)
    error, _ = refuse(tmp_path, hookline={"sandbox": "bubblewrap"})

    assert error.message.startswith("the sandbox `bubblewrap` does not start: ")
    assert why in error.message
    assert "remove `sandbox` from the file" in error.hint


@pytest.mark.skipif(shutil.which("bwrap") is None, reason="bubblewrap is not installed")
def test_a_folder_of_the_sandbox_that_is_not_there(tmp_path):
    """No command could start."""
    missing = f"{tmp_path}/missing"
    error, _ = refuse(tmp_path, hookline={"sandbox": {"writable": [missing]}})

    assert missing in error.message


@pytest.mark.parametrize(
    ("resume", "why"), [("last", "no session was saved in this folder"), ("x", "no session `x`")]
)
def test_a_session_that_is_not_there(tmp_path, resume, why):
    """A new one is not begun instead."""
    error, _ = refuse(tmp_path, request={"resume": resume})

    assert why in error.message


@pytest.mark.parametrize(
    ("keys", "why"),
    [
        ({"command": "/no/such/program"}, "`/no/such/program` was not found"),
        ({"command": "sh", "args": ["-c", "echo no database >&2"]}, "it wrote: no database"),
        ({"command": "sleep", "args": ["60"], "lifecycle": {"startup_timeout": "1s"}},
         "it does not answer within 1 seconds"),
        ({"remote": {"url": "http://127.0.0.1:9/"}}, "http://127.0.0.1:9/ cannot be reached"),
    ],
)  # fmt: skip
def test_a_server_of_mcp_that_does_not_start(tmp_path, keys, why):
    """The error names the server, its place in the file, and what happened."""
    toolset = {"type": "mcp", "name": "books", **keys}
    hooks = {"session_start": [command_hook("touch started")]}
    error, _ = refuse(tmp_path, agents={"root": agent(toolsets=[toolset], hooks=hooks)})

    assert error.message.startswith("the MCP server `books` does not start: ")
    assert why in error.message
    assert error.place.startswith(f"{tmp_path}/agent.yaml:1:")
    assert "remove the toolset" in error.hint


def begin(made, **request):
    """Start a file without a person, and return the error if there is one, and what was told."""
    told: list[str] = []
    engine = Engine(cwd=str(made.work), environ=made.environ)
    asked = Request(path=str(made.path), prompt="go", **request)
    asyncio.run(start(asked, engine, told.append, told.append))
    return "\n".join(told)


def test_a_resumed_session_moves_into_no_worktree(tmp_path):
    """What its agent has seen stands in its folder."""
    error, _ = refuse(tmp_path, request={"resume": "last", "worktree": "other"})

    assert "`--worktree` begins in a new one" in str(error)


def test_the_agent_of_a_resumed_session(tmp_path):
    """It is the one of the command line, else the one of the session."""
    write_script(tmp_path, scripts={"root": ["One."], "other": ["Two."]})
    made = Play(tmp_path, {"root": agent(), "other": agent()})
    begin(made)

    assert "Two." in begin(made, agent="other", resume="last")
    with pytest.raises(ConfigError, match="no agent `nosuch`") as caught:
        begin(made, agent="nosuch", resume="last")
    assert "other" in caught.value.hint


def test_a_mode_of_the_command_line_is_for_one_run(tmp_path):
    """A resumed session asks again."""
    write_script(tmp_path, shell("touch made"), "Done.")
    made = Play(tmp_path, {"root": agent()})

    begin(made, mode="autonomous")
    assert (made.work / "made").exists()
    (made.work / "made").unlink()

    assert "requires user confirmation" in begin(made, resume="last")
    assert not (made.work / "made").exists()


def test_models_that_all_fail(tmp_path):
    """The error says what each of them said."""
    (tmp_path / "second.yaml").write_text('{"steps": [{"error": {"status": 503, "message": "b"}}]}')
    write_script(tmp_path, {"error": {"status": 500, "message": "a"}})
    made = Play(tmp_path, {"root": agent(fallback={"models": ["scripted/second.yaml"]})})

    result = made.run()

    assert result.reason == "error"
    assert "500" in result.error
    assert "503" in result.error
    assert made.names[-1] == "session_end"


def test_the_next_model_answers(tmp_path):
    """A model that fails is replaced for the turn."""
    (tmp_path / "second.yaml").write_text('{"steps": [{"text": "By the second."}]}')
    write_script(tmp_path, {"error": {"status": 500, "message": "a"}})
    made = Play(tmp_path, {"root": agent(fallback={"models": ["scripted/second.yaml"]})})

    assert made.run().text == "By the second."


# -- slash commands --------------------------------------------------------------------------------


def type_lines(folder, *lines, running=False, **rest):
    """Type commands in a session, and return what each shows, or its error."""
    write_script(folder, shell("echo 1"), "Done.")
    made = Play(folder, {"root": agent(**rest)}, permissions={"allow": ["*"]})
    shown = []

    async def act(run):
        await made.task
        host = made.host
        for line in lines:
            try:
                shown.append(await run_command(host, run, line, is_running=running))
            except HookError as error:
                shown.append((error.message, error.hint))

    made.run(face=Face(interactive=True), during=act)
    return shown


@pytest.mark.parametrize("line", ["/compact", "/undo", "/reset 1", "/model scripted/script.yaml"])
def test_what_changes_the_session_waits_for_the_agent(tmp_path, line):
    """The person may stop the agent first."""
    [(said, hint)] = type_lines(tmp_path, line, running=True)

    assert said == f"`{line.split()[0]}` has to wait until the agent is done"
    assert hint == "escape stops it"


def test_hooks_of_a_file_without_any(tmp_path):
    """The person reads how to add one, and no fault of the file."""
    [(shown, _)] = type_lines(tmp_path, "/hooks")

    assert (
        f"there are no hooks of yours; write one under `agents.root.hooks` of {tmp_path}" in shown
    )
    assert "limit_large_tool_results" in shown
    assert "HKL" not in shown


def test_commands_of_the_agent_file(tmp_path):
    """They are prompts; what follows the name is added."""
    own = {"fix": "Fix the tests.", "free": {"description": "anything"}}
    shown = type_lines(tmp_path, "/fix", "/fix now please", "/help", commands=own)

    assert shown[0] == ("", "Fix the tests.")
    assert shown[1] == ("", "Fix the tests.\n\nnow please")
    assert "/fix" in shown[2][0]


@pytest.mark.parametrize(
    ("line", "says"),
    [
        ("/hlep", "there is no command `/hlep`"),
        ("/model nothing", "`nothing` names no provider"),
        ("/model openai/gpt-4o-mini", "cannot be called"),
        ("/reset", "`/reset` needs the number of a snapshot"),
        ("/reset x", "`/reset` needs the number of a snapshot"),
        ("/snapshots", "is in no work tree of Git"),
    ],
)
def test_lines_that_are_wrong_or_have_nothing_to_do(tmp_path, line, says):
    """Each says so, and the session goes on."""
    [(said, _)] = type_lines(tmp_path, line)

    assert says in said
