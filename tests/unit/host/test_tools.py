"""What the tools of an agent may touch: folders, tools by name, and the environment."""

from __future__ import annotations

import asyncio
import json
import os
import signal
import sys

import pytest

from hookline.errors import ConfigError
from hookline.host.start import Request, start
from tests.unit.handlers.support import is_gone, lives, pid_in
from tests.unit.host.play import Play, agent, command_hook, shell, write_script

pytestmark = pytest.mark.process
ALLOW = {"allow": ["*"]}


def play(folder, *steps, toolsets=None, **rest):
    """Play calls, one in each turn, and return their results: text, and whether it failed."""
    write_script(folder, *steps, "Done.")
    more = {"toolsets": toolsets} if toolsets is not None else {}
    made = Play(folder, {"root": agent(**more)}, permissions=ALLOW)
    made.environ |= rest
    made.run()
    results = [(each["text"], each["failed"]) for each in made.shown("tool.done")]
    return made, results


def filesystem(**keys):
    return [{"type": "filesystem", **keys}]


@pytest.fixture
def outside(tmp_path):
    """A folder beside the session's own, with a secret, and links to it from inside."""
    work, other = tmp_path / "work", tmp_path / "other"
    work.mkdir()
    other.mkdir()
    (other / "secret.txt").write_text("the secret", encoding="utf-8")
    (work / "link").symlink_to(other)
    (work / "file-link").symlink_to(other / "secret.txt")
    (work / "own.txt").write_text("my own", encoding="utf-8")
    return other


PATHS = ["../other/secret.txt", "link/secret.txt", "file-link", "{other}/secret.txt",
         "sub/../../other/secret.txt", "link/../other/secret.txt"]  # fmt: skip


@pytest.mark.parametrize("path", PATHS)
@pytest.mark.parametrize("keys", [{}, {"deny_list": ["private"]}])
def test_no_file_outside_the_folder_is_read(tmp_path, outside, path, keys):
    """Neither by `..` nor by a link."""
    path = path.format(other=outside)
    made, results = play(tmp_path, ("read_file", {"path": path}), toolsets=filesystem(**keys))

    assert "the secret" not in json.dumps(made.payloads("before_llm_call"))
    [(text, failed)] = results
    assert failed or text.startswith("Path not found")


@pytest.mark.parametrize("path", PATHS)
@pytest.mark.parametrize("keys", [{}, {"deny_list": ["private"]}])
def test_no_file_outside_the_folder_is_written(tmp_path, outside, path, keys):
    """Nor edited, nor made."""
    path = path.format(other=outside)
    play(
        tmp_path,
        ("write_file", {"path": path, "content": "changed"}),
        ("write_file", {"path": path.replace("secret", "new"), "content": "changed"}),
        ("edit_file", {"path": path, "old_text": "the secret", "new_text": "changed"}),
        ("create_directory", {"path": path.replace("secret.txt", "folder")}),
        toolsets=filesystem(**keys),
    )

    assert (outside / "secret.txt").read_text() == "the secret"
    assert [path.name for path in outside.iterdir()] == ["secret.txt"]


@pytest.mark.parametrize("tool", ["list_directory", "search_files_content", "find_files"])
@pytest.mark.parametrize("path", ["../other", "link"])
def test_no_folder_outside_is_listed(tmp_path, outside, tool, path):
    """Searches stay inside too."""
    given = {
        "list_directory": {"path": path},
        "search_files_content": {"path": path, "pattern": "secret"},
        "find_files": {"path": path, "pattern": "*"},
    }[tool]
    made, _ = play(tmp_path, (tool, given), toolsets=filesystem())

    told = json.dumps([each["text"] for each in made.shown("tool.done")])
    assert "secret.txt" not in told.replace("file-link", "")
    assert "the secret" not in told


def test_the_agent_file_allows_another_folder(tmp_path, outside):
    """Then that folder is open, and the session's own only if it is listed too."""
    path = f"{outside}/secret.txt"
    _, results = play(
        tmp_path, ("read_file", {"path": path}), ("read_file", {"path": "own.txt"}),
        toolsets=filesystem(allow_list=[str(outside)]),
    )  # fmt: skip

    assert [failed for _, failed in results] == [False, True]
    assert "the secret" in results[0][0]


def test_a_denial_wins(tmp_path, outside):
    """A folder that is denied is closed below an allowed one, by its real path."""
    private = tmp_path / "work" / "private"
    private.mkdir()
    (private / "key").write_text("the key", encoding="utf-8")
    (tmp_path / "work" / "shortcut").symlink_to(private)
    _, results = play(
        tmp_path,
        ("read_file", {"path": "own.txt"}),
        ("read_file", {"path": "private/key"}),
        ("read_file", {"path": "shortcut/key"}),
        ("write_file", {"path": "private/new", "content": "x"}),
        toolsets=filesystem(allow_list=["."], deny_list=["private"]),
    )

    assert [failed for _, failed in results] == [False, True, True, True]
    assert [path.name for path in private.iterdir()] == ["key"]


@pytest.mark.parametrize("name", ["p[1]", "a*", "what?"])
def test_a_folder_whose_name_looks_like_a_pattern(tmp_path, name):
    """The lists name folders, and an entry selects the folder of this name only."""
    for folder in (name, "p1", "ab"):
        (tmp_path / "work" / folder).mkdir(parents=True, exist_ok=True)
        (tmp_path / "work" / folder / "key").write_text("the key", encoding="utf-8")
    reads = [("read_file", {"path": f"{folder}/key"}) for folder in (name, "p1", "ab")]

    _, denied = play(tmp_path, *reads, toolsets=filesystem(deny_list=[name]))
    _, allowed = play(tmp_path, *reads, toolsets=filesystem(allow_list=[name]))

    assert [failed for _, failed in denied] == [True, False, False]
    assert [failed for _, failed in allowed] == [False, True, True]


@pytest.mark.parametrize(
    ("toolset", "has"),
    [
        ({"type": "filesystem", "tools": ["read_file"]}, {"read_file"}),
        ({"type": "filesystem", "readonly": True},
         {"read_file", "list_directory", "search_files_content", "find_files", "file_info"}),
        ({"type": "shell"}, {"shell"}),
        ({"type": "background_jobs"}, {"run_background_job"}),
        ({"type": "think"}, {"think"}),
    ],
)  # fmt: skip
def test_an_agent_has_the_tools_that_its_file_selects(tmp_path, toolset, has):
    """A call of another one is an unknown tool, and no hook is asked about it."""
    calls = {
        "read_file": {"path": "a"}, "write_file": {"path": "a", "content": "x"},
        "list_directory": {"path": "."}, "search_files_content": {"pattern": "x"},
        "find_files": {"pattern": "*"}, "file_info": {"path": "."}, "shell": {"cmd": "true"},
        "edit_file": {"path": "a", "old_text": "x", "new_text": "y"},
        "create_directory": {"path": "b"}, "think": {"thought": "x"},
        "run_background_job": {"cmd": "true"},
    }  # fmt: skip
    made, _ = play(tmp_path, list(calls.items()), toolsets=[toolset])

    assert {each["tool_name"] for each in made.payloads("tool_guard")} == has


def test_commands_get_no_keys_of_providers(tmp_path):
    """Neither in the foreground nor in the background, unless the agent file gives one."""
    keys = {"OPENAI_API_KEY": "k1", "ANTHROPIC_API_KEY": "k2", "GROQ_API_KEY": "k3", "PLAIN": "ok"}
    given = {"GIVEN": "${env.PLAIN}!"}
    _, results = play(
        tmp_path, shell("env"), ("run_background_job", {"cmd": "env > in-background"}),
        shell("until [ -s in-background ]; do sleep 0.02; done; cat in-background"),
        toolsets=[{"type": kind, "env": given} for kind in ("shell", "background_jobs")], **keys,
    )  # fmt: skip

    for text, _ in (results[0], results[2]):
        assert "PLAIN=ok" in text
        assert "GIVEN=ok!" in text
        assert "_API_KEY" not in text


def test_a_command_that_takes_too_long_leaves_nothing(tmp_path):
    """Programs that left its process group end too; those of a command that is done go on."""
    detached = "setsid sh -c 'echo $$ > {0}; sleep 600' & until [ -s {0} ]; do sleep 0.02; done; "
    late = {"cmd": detached.format("late") + "sleep 30", "timeout": 1}
    made, results = play(tmp_path, shell(detached.format("daemon")), ("shell", late))

    assert [failed for _, failed in results] == [False, True]
    assert is_gone(pid_in(made.work / "late"))
    daemon = pid_in(made.work / "daemon")
    assert lives(daemon)
    os.killpg(daemon, signal.SIGKILL)


SERVER = '''
import os, sys, time
from mcp.server import MCPServer

server = MCPServer("test")

@server.tool(annotations={"readOnlyHint": True})
def add(a: int, b: int) -> int:
    """Add two numbers."""
    return a + b

@server.tool()
def fail() -> str:
    """Fail."""
    raise ValueError("no such luck")

@server.tool()
def die() -> str:
    """End the server."""
    print("out of paper", file=sys.stderr, flush=True)
    os._exit(3)

@server.tool()
def env() -> str:
    """Return the environment."""
    return repr(dict(os.environ))

with open("server-pid", "w") as file:
    file.write(str(os.getpid()))
server.run()
'''


@pytest.mark.parametrize(("command", "is_left"), [("exit 3", False), ("sleep 30", True)])
def test_the_files_of_background_jobs(tmp_path, command, is_left):
    """They are removed at the end, except those of a job that still runs."""
    made, [(started, _), *_] = play(
        tmp_path,
        ("run_background_job", {"cmd": f"echo $$ > pid; {command}"}),
        shell("until [ -s pid ]; do sleep 0.02; done; sleep 0.5"),
        toolsets=[{"type": "shell"}, {"type": "background_jobs"}],
    )
    pid = pid_in(made.work / "pid")

    assert "ID: " in started
    assert (made.work / ".pydantic-ai-harness").exists() == is_left
    if is_left:
        os.kill(pid, signal.SIGTERM)


def test_the_plan_needs_no_person(tmp_path):
    """Its tools change nothing outside the conversation."""
    write_script(tmp_path, ("write_plan", {"items": [{"content": "test it"}]}), "Done.")
    made = Play(tmp_path, {"root": agent(toolsets=[{"type": "todo"}])})

    made.run()

    [done] = made.payloads("post_tool_use")
    assert (done["tool_name"], done["tool_category"]) == ("write_plan", "todo")
    assert (done["tool_read_only"], done["tool_error"]) == (True, False)


def mcp(folder, **keys):
    """Write an MCP server, and return its toolset."""
    path = folder / "server.py"
    path.write_text(SERVER, encoding="utf-8")
    return {"type": "mcp", "command": sys.executable, "args": [str(path)], **keys}


def test_a_server_of_mcp(tmp_path):
    """Its tools pass the hooks like any other, and it ends with the host."""
    made, results = play(
        tmp_path, ("add", {"a": 2, "b": 3}), ("fail", {}), ("env", {}), ("add", {"a": 1, "b": 1}),
        toolsets=[mcp(tmp_path, env={"GIVEN": "yes"})], OPENAI_API_KEY="k1",
    )  # fmt: skip

    assert results[0] == ("5", False)
    assert results[1][1] is True
    assert "fail" in results[1][0]
    assert "GIVEN" in results[2][0]
    assert "OPENAI_API_KEY" not in results[2][0]
    assert results[3] == ("2", False)
    first = made.payloads("tool_guard")[0]
    assert (first["tool_category"], first["tool_read_only"]) == ("mcp", True)
    pid = int((made.work / "server-pid").read_text())
    assert not os.path.exists(f"/proc/{pid}")


@pytest.mark.parametrize("tools", [[], ["add"], ["books_add"]])
def test_the_name_of_a_server_begins_those_of_its_tools(tmp_path, tools):
    """Hooks and permissions see the whole name; `tools` may name either."""
    guard = {"matcher": "books_add", "hooks": [command_hook("echo seen >> ../seen")]}
    write_script(tmp_path, ("books_add", {"a": 2, "b": 3}), "Done.")
    toolset = mcp(tmp_path, name="books", tools=tools)
    agents = {"root": agent(toolsets=[toolset], hooks={"tool_guard": [guard]})}
    made = Play(tmp_path, agents, permissions={"allow": ["books_add:a=2"]})

    made.run()

    [done] = made.payloads("post_tool_use")
    assert (done["tool_name"], done["tool_response"]) == ("books_add", "5")
    assert (tmp_path / "seen").read_text() == "seen\n"


@pytest.mark.parametrize(
    ("toolsets", "why", "hint"),
    [
        (["shell", "add"], "the name `shell`: of `shell` and of the MCP server `", "`name`"),
        (["shell", "shell"], "`shell`: of `shell` and of `shell`", "leave one out"),
        (["filesystem", "filesystem"], "`read_file`: of `filesystem`", "leave one out"),
    ],
)  # fmt: skip
def test_two_tools_of_one_name(tmp_path, toolsets, why, hint):
    """The error names both and says what to do, before the first turn."""
    write_script(tmp_path, "Never.")
    server = mcp(tmp_path)
    (tmp_path / "server.py").write_text(SERVER.replace("def env", "def shell"), encoding="utf-8")
    listed = [server if each == "add" else {"type": each} for each in toolsets]
    made = Play(tmp_path, {"root": agent(toolsets=listed)})
    asked = Request(path=str(made.path), prompt="go")

    with pytest.raises(ConfigError) as caught:
        asyncio.run(start(asked, made.engine, lambda _: None, lambda _: None))

    assert why in caught.value.message
    assert hint in caught.value.hint
    assert caught.value.place.startswith(f"{tmp_path}/agent.yaml:1:")
    assert made.names == []


def test_a_server_of_mcp_that_dies(tmp_path):
    """Its calls fail and say so, and the run goes on."""
    made, results = play(tmp_path, ("books_die", {}), toolsets=[mcp(tmp_path, name="books")])

    [(text, failed)] = results
    assert failed
    assert text.startswith("the MCP server `books` has ended")
    assert text.endswith("it wrote: out of paper")
    assert made.payloads("turn_end")[-1] == {"reason": "normal"}


def test_a_server_of_mcp_that_does_not_start(tmp_path):
    """The run of another agent ends with an error that names the server, and with its events."""
    write_script(tmp_path, ("handoff", {"agent": "other"}), "Never.")
    toolset = {"type": "mcp", "command": "/no/such/program", "name": "books"}
    agents = {"root": agent(handoffs=["other"]), "other": agent(toolsets=[toolset])}
    made = Play(tmp_path, agents, permissions=ALLOW)

    result = made.run()

    assert result.reason == "error"
    assert "the MCP server `books` does not start: `/no/such/program` was not" in result.error
    assert made.names[-2:] == ["after_agent_complete", "session_end"]
    assert "on_error" in made.names


def test_another_model_closes_the_servers_of_mcp(tmp_path):
    """The next turn starts them again, so that none runs twice."""
    write_script(tmp_path, ("add", {"a": 1, "b": 1}), "Done.")
    made = Play(tmp_path, {"root": agent(toolsets=[mcp(tmp_path)])}, permissions=ALLOW)

    async def change(_):
        await made.task
        pid = pid_in(made.work / "server-pid")
        assert lives(pid)
        await made.host.set_model("root", made.host.file.root.model)
        assert is_gone(pid)

    made.run(during=change)
