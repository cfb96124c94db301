"""Hooks that decide which agent runs, and hooks of the person's messages, in real runs."""

from __future__ import annotations

import json
import subprocess

import pytest

from hookline.errors import ConfigError
from tests.unit.host.play import Face, Play, agent, command_hook, shell, write_script

pytestmark = pytest.mark.process
ALLOW = {"allow": ["*"]}


def print_once(document: object, name: str = "asked") -> dict[str, object]:
    """Return a hook that prints a document at its first run."""
    text = json.dumps(document)
    return command_hook(f"[ -e {name} ] || printf '%s' '{text}'; touch {name}")


def route(target: str, name: str = "asked") -> dict[str, object]:
    transition = {"action": "route", "agent": target}
    return print_once({"hook_specific_output": {"transition": transition}}, name)


def block(reason: str) -> dict[str, object]:
    return print_once({"decision": "block", "reason": reason})


def play(folder, hooks, **agents):
    """Play a root agent that says `Root.`, with another agent that says its name."""
    scripts = {"root": ["Root.", "Root again."], "other": ["Other."], "third": ["Third."]}
    write_script(folder, scripts=scripts)
    made = Play(
        folder,
        {"root": agent(hooks=hooks), "other": agent(), "third": agent(), **agents},
        permissions=ALLOW,
    )
    return made, made.run()


def test_before_agent_run_routes(tmp_path):
    """Another agent runs in the place of the first one, in the same session."""
    made, result = play(tmp_path, {"before_agent_run": [route("other")]})

    assert result.text == "Other."
    [switch] = made.payloads("on_agent_switch")
    assert switch["agent_switch_kind"] == "route"
    assert (switch["from_agent"], switch["to_agent"]) == ("root", "other")
    [before] = made.payloads("before_agent_run")
    assert before == {"invocation_id": "a", "step_id": "root", "task_input": "go"}
    [after] = made.payloads("after_agent_complete")
    assert after["step_id"] == "other"
    assert made.names.count("session_start") == 1


def test_before_agent_run_blocks(tmp_path):
    """No turn begins."""
    made, result = play(tmp_path, {"before_agent_run": [block("not today")]})

    assert (result.reason, result.error) == ("hook_blocked", "not today")
    assert "turn_start" not in made.names
    assert made.names[-4:] == ["before_agent_run", "notification", "on_error", "session_end"]


def test_after_agent_complete_routes(tmp_path):
    """The other agent goes on with the conversation, and the hooks of it are asked next."""
    made, result = play(tmp_path, {"after_agent_complete": [route("other")]})

    assert result.text == "Other."
    assert [each["step_id"] for each in made.payloads("after_agent_complete")] == ["root", "other"]
    assert made.payloads("after_agent_complete")[0]["output"] == "Root."
    asked = made.payloads("before_llm_call")[1]["messages"]
    assert [each["content"] for each in asked][:2] == ["go", "Root."]


def test_after_agent_complete_blocks(tmp_path):
    """The run has its answer, and the reason why it does not count."""
    made, result = play(tmp_path, {"after_agent_complete": [block("too short")]})

    assert (result.reason, result.text, result.error) == ("hook_blocked", "Root.", "too short")
    assert made.names[-1] == "session_end"


def test_routes_that_conflict(tmp_path):
    """Two hooks that route to different agents block."""
    hooks = {"before_agent_run": [route("other", "one"), route("third", "two")]}
    made, result = play(tmp_path, hooks)

    assert result.reason == "hook_blocked"
    assert "conflicting route transitions" in result.error
    assert "on_agent_switch" not in made.names


def test_a_block_beats_a_route(tmp_path):
    """One hook is enough to stop the agent."""
    made, result = play(tmp_path, {"before_agent_run": [route("other", "one"), block("no")]})

    assert (result.reason, result.error) == ("hook_blocked", "no")
    assert "on_agent_switch" not in made.names


@pytest.mark.parametrize("event", ["before_agent_run", "after_agent_complete"])
def test_a_route_to_an_agent_that_the_file_does_not_allow(tmp_path, event):
    """The run ends with an error that names both, and with its events."""
    routing = {"routing": {"allowed_agents": ["third"]}}
    made, result = play(tmp_path, {}, root=agent(hooks={event: [route("other")]}, **routing))

    assert result.reason == "hook_blocked"
    assert "`other`" in result.error
    assert made.names[-1] == "session_end"


def test_a_route_to_no_agent(tmp_path):
    """An agent that is not in the file is an error too."""
    _, result = play(tmp_path, {"before_agent_run": [route("nobody")]})

    assert result.reason == "hook_blocked"
    assert "`nobody`" in result.error


def test_a_control_hook_that_fails_stops_the_agent(tmp_path):
    """These events deny on a failure."""
    made, result = play(tmp_path, {"before_agent_run": [command_hook("exit 3")]})

    assert result.reason == "hook_blocked"
    assert "turn_start" not in made.names


@pytest.mark.parametrize("event", ["user_steering_messages_submit", "user_followup_submit"])
def test_a_refused_message(tmp_path, event):
    """The run ends, and the model does not read the message."""
    write_script(tmp_path, shell("echo 1"), "First.", "Never.")
    made = Play(tmp_path, {"root": agent(hooks={event: [command_hook("echo no >&2; exit 2")]})},
                permissions=ALLOW)  # fmt: skip

    async def write(run):
        queue = run.session.queued if "steering" in event else run.session.follow_ups
        queue.append("the secret")

    result = made.run(during=write)

    assert (result.reason, result.error) == ("hook_blocked", "no")
    assert "the secret" not in json.dumps(made.payloads("before_llm_call"))
    assert "the secret" not in str(made.session.messages)
    assert made.names[-4:-2] == ["notification", "on_error"] or made.names[-1] == "session_end"
    assert made.names.count("turn_start") == made.names.count("turn_end")


def test_context_of_messages(tmp_path):
    """Each model call gets what hooks of the last messages added, and the conversation does not."""

    def add(text):
        return [command_hook(f"echo {text}")]

    write_script(tmp_path, shell("echo 1"), "First.", "Second.")
    hooks = {
        "session_start": add("ctx-session"),
        "user_prompt_submit": add("ctx-prompt"),
        "turn_start": add("ctx-turn"),
        "user_steering_messages_submit": add("ctx-steering"),
        "user_followup_submit": add("ctx-follow-up"),
    }
    made = Play(tmp_path, {"root": agent(hooks=hooks)}, permissions=ALLOW)
    seen = []

    async def write(run):
        run.session.follow_ups.append("more")

    def look(event):
        if event == "before_llm_call":
            contexts = made.session.contexts
            seen.append({name: texts for name, texts in contexts.items() if texts})
            if len(seen) == 1:
                made.session.queued.append("quick")

    made.on_event = look
    made.run(during=write)

    assert seen == [
        {"session": ("ctx-session",), "prompt": ("ctx-prompt",), "turn": ("ctx-turn",)},
        {
            "session": ("ctx-session",),
            "prompt": ("ctx-prompt", "ctx-steering"),
            "turn": ("ctx-turn",),
        },
        {"session": ("ctx-session",), "prompt": ("ctx-follow-up",), "turn": ("ctx-turn",)},
    ]
    assert "ctx-" not in str(made.session.messages)


def test_force_handoff(tmp_path):
    """A final answer goes to the next agent, which answers in the same session."""
    made, result = play(tmp_path, {}, root=agent(force_handoff="other"))

    assert result.text == "Other."
    assert [each["reason"] for each in made.payloads("turn_end")] == ["force_handoff", "normal"]
    [switch] = made.payloads("on_agent_switch")
    assert switch["agent_switch_kind"] == "force_handoff"
    assert made.names.count("session_start") == 1
    order = [name for name in made.names if name in ("stop", "on_agent_switch", "turn_end")]
    assert order == ["stop", "on_agent_switch", "turn_end", "stop", "turn_end"]
    ended = [each.raw["agent_name"] for each in made.raised if each.native_name == "turn_end"]
    assert ended == ["root", "other"]


@pytest.mark.parametrize("way", ["transfer_task", "handoff"])
def test_each_agent_has_its_own_mode(tmp_path, way):
    """That of the file, if it names none: not that of the agent before it."""
    call = (way, {"agent": "other"} | ({"task": "go"} if way == "transfer_task" else {}))
    write_script(tmp_path, scripts={
        "root": [call, "Done."], "other": [shell("touch made"), "Tried."],
    })  # fmt: skip
    root = agent(sub_agents=["other"], handoffs=["other"], safety="autonomous")
    made = Play(tmp_path, {"root": root, "other": agent()}, runtime={"safety": "strict"})

    made.run()

    policies = {
        each.raw["agent_name"]: each.raw["safety_policy"]
        for each in made.raised
        if each.native_name == "tool_guard"
    }
    assert policies == {"root": "autonomous", "other": "strict"}
    assert not (made.work / "made").exists()


def test_the_cap_of_iterations_is_for_each_prompt(tmp_path):
    """A second prompt of a session has as many model calls as the first one."""
    write_script(tmp_path, shell("echo 1"), "First.", shell("echo 2"), "Second.")
    made = Play(tmp_path, {"root": agent(max_iterations=2)}, permissions=ALLOW)

    async def again(run):
        await made.task
        made.task = made.host.continue_session(run).run("again")

    result = made.run(during=again)

    assert (result.reason, result.text) == ("normal", "Second.")
    assert [each["iteration"] for each in made.payloads("before_llm_call")] == [1, 2, 1, 2]


# -- a worktree ------------------------------------------------------------------------------------


def git(folder, *words):
    command = ["git", "-c", "user.name=t", "-c", "user.email=t@example.org", *words]
    done = subprocess.run(command, cwd=folder, check=True, capture_output=True, text=True)
    return done.stdout


@pytest.fixture
def repository(tmp_path):
    """A repository in the working folder of a play."""
    work = tmp_path / "work"
    work.mkdir()
    git(work, "init", "-q", "-b", "main")
    git(work, "commit", "-q", "--allow-empty", "-m", "first")
    return work


def test_a_worktree(tmp_path, repository):
    """The session works there, its hooks too, and what they add is context of the session."""
    write_script(tmp_path, shell("pwd"), "Done.")
    hooks = {"worktree_create": [command_hook("echo made")]}
    made = Play(tmp_path, {"root": agent(hooks=hooks)}, permissions=ALLOW)

    made.run(worktree="fix")

    path = f"{repository}-fix"
    assert made.events[0] == ("worktree_create", {
        "worktree_path": path,
        "worktree_branch": "worktree-fix",
        "worktree_source_dir": str(repository),
    })  # fmt: skip
    assert made.names[1] == "session_start"
    assert made.session.contexts["session"] == ("made",)
    [done] = made.payloads("post_tool_use")
    assert done["tool_response"] == f"[stdout]\n{path}\n"
    assert {event.cwd for event in made.raised} == {path}


def test_a_refused_worktree(tmp_path, repository):
    """Folder and branch are removed again, and nothing starts."""
    write_script(tmp_path, "Never.")
    hooks = {"worktree_create": [command_hook("echo not here >&2; exit 2")]}
    made = Play(tmp_path, {"root": agent(hooks=hooks)})

    with pytest.raises(ConfigError, match="a hook refused the worktree: not here"):
        made.run(worktree="fix")

    assert made.names == ["worktree_create"]
    assert not (tmp_path / "work-fix").exists()
    assert "worktree-fix" not in git(repository, "branch")


@pytest.mark.parametrize(
    ("name", "why"),
    [("../x", "is no name"), ("-f", "is no name"), ("main", ""), ("a..b", "git worktree failed")],
)
def test_names_of_worktrees(tmp_path, repository, name, why):
    """Git decides about the rest."""
    write_script(tmp_path, "Done.")
    made = Play(tmp_path, {"root": agent()})
    if not why:
        made.run(worktree=name)
        return

    with pytest.raises(ConfigError, match=why):
        made.run(worktree=name)


def test_a_worktree_that_exists(tmp_path, repository):
    """The error is the last line of Git, and the hint is about the name."""
    write_script(tmp_path, "Done.")
    git(repository, "branch", "worktree-fix")
    made = Play(tmp_path, {"root": agent()})

    with pytest.raises(ConfigError, match="a branch named 'worktree-fix' already exists") as caught:
        made.run(worktree="fix")

    assert "\n" not in caught.value.message
    assert caught.value.hint.startswith("choose another name")


def test_the_last_session_of_a_worktree(tmp_path, repository):
    """It is the last one of the folder where it was started, as long as the worktree is there."""
    write_script(tmp_path, "One.", "Two.")
    made = Play(tmp_path, {"root": agent()})

    made.run(worktree="fix")

    assert made.host.files.find_last(str(repository)) == made.session.id
    assert made.host.files.find_last(f"{repository}-fix") == made.session.id
    again = Play(tmp_path, {"root": agent()})
    again.run(resume=made.session.id)
    assert {event.cwd for event in again.raised} == {f"{repository}-fix"}
    git(repository, "worktree", "remove", f"{repository}-fix")
    assert made.host.files.find_last(str(repository)) == ""


def test_a_worktree_needs_a_repository(tmp_path):
    """The error says so."""
    write_script(tmp_path, "Never.")
    made = Play(tmp_path, {"root": agent()})

    with pytest.raises(ConfigError, match="git rev-parse failed") as caught:
        made.run(worktree="fix", face=Face())

    assert caught.value.hint == "--worktree needs a git repository"
