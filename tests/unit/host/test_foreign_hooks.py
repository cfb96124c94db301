"""Hooks of other dialects in a run of the host: each runs once for each call."""

from __future__ import annotations

import json

import pytest

import hookline
from tests.unit.host.play import Play, agent, command_hook, shell, write_script

pytestmark = pytest.mark.process
ALLOW = {"allow": ["*"]}


def play(folder, *steps, **rest):
    write_script(folder, *steps)
    return Play(folder, {"root": agent(**rest)}, permissions=ALLOW)


def add_claude_code(made: Play, **hooks: str) -> None:
    """Add a settings file of Claude Code with one hook for each event."""
    path = made.folder / "settings.json"
    groups = {
        event: [{"matcher": "*", "hooks": [command_hook(script)]}]
        for event, script in hooks.items()
    }
    path.write_text(json.dumps({"hooks": groups}), encoding="utf-8")
    made.engine.add_source(str(path), dialect="claude-code")


def lines(made: Play, name: str) -> list[str]:
    path = made.work / name
    return path.read_text(encoding="utf-8").splitlines() if path.exists() else []


def test_hooks_of_claude_code(tmp_path):
    """Each runs once for its moment, whatever number of events the host has for it."""
    made = play(tmp_path, shell("echo 1"), shell("echo 2"), "Done.")
    note = "jq -r .hook_event_name >> ran"
    events = (
        "SessionStart", "UserPromptSubmit", "PreToolUse", "PermissionRequest", "PostToolUse",
        "Stop", "SessionEnd", "Notification", "SubagentStop", "PreCompact",
    )  # fmt: skip
    add_claude_code(made, **dict.fromkeys(events, note))

    made.run()

    assert lines(made, "ran") == [
        "SessionStart", "UserPromptSubmit",
        "PreToolUse", "PostToolUse", "PreToolUse", "PostToolUse",
        "Stop", "SessionEnd",
    ]  # fmt: skip


def test_claude_code_denies_a_call(tmp_path):
    """Its denial holds against a rule that allows, and the model reads the reason."""
    made = play(tmp_path, shell("touch made"), "Done.")
    add_claude_code(made, PreToolUse="echo x >> ran; echo never >&2; exit 2")

    made.run()

    assert not (made.work / "made").exists()
    assert lines(made, "ran") == ["x"]
    assert made.shown("tool.refused")[0]["reason"] == "Tool call blocked by hook: never"


def test_claude_code_sees_the_names_of_its_own_tools(tmp_path):
    """A matcher for `Bash` selects the shell of the host, under the names of Claude Code."""
    made = play(tmp_path, shell("echo 1"), "Done.")
    path = made.folder / "settings.json"
    group = {"matcher": "Bash", "hooks": [command_hook("jq -c '[.tool_name,.tool_input]' >> ran")]}
    path.write_text(json.dumps({"hooks": {"PreToolUse": [group]}}), encoding="utf-8")
    made.engine.add_source(str(path), dialect="claude-code")

    made.run()

    assert len(lines(made, "ran")) == 1
    assert "echo 1" in lines(made, "ran")[0]


def test_claude_code_changes_an_input(tmp_path):
    """The call runs with it, and the host's guards see it."""
    changed = {"hookSpecificOutput": {
        "hookEventName": "PreToolUse", "permissionDecision": "allow",
        "updatedInput": {"command": "touch new"},
    }}  # fmt: skip
    made = play(tmp_path, shell("touch old"), "Done.")
    add_claude_code(made, PreToolUse=f"printf '%s' '{json.dumps(changed)}'")

    made.run()

    assert [path.name for path in made.work.iterdir()] == ["new"]
    assert made.payloads("post_tool_use")[0]["tool_input"] == {"cmd": "touch new"}


def test_a_stop_hook_of_claude_code_sends_the_agent_back(tmp_path):
    """The model reads the reason as a message of the person, once."""
    made = play(tmp_path, "First.", "Second.")
    add_claude_code(
        made, Stop="[ -e asked ] && exit 0; touch asked; echo run the tests >&2; exit 2"
    )

    result = made.run()

    assert result.text == "Second."
    assert [each["reason"] for each in made.payloads("turn_end")] == ["continue", "normal"]
    asked = made.payloads("before_llm_call")[1]["messages"]
    assert asked[-1] == {"role": "user", "content": "run the tests"}


def test_a_stop_hook_that_never_agrees_is_capped(tmp_path):
    """The agent is sent back three times, and then it may stop."""
    made = play(tmp_path, *(f"Reply {at}." for at in range(9)))
    add_claude_code(made, Stop="echo x >> ran; echo more >&2; exit 2")

    result = made.run()

    assert result.reason == "normal"
    assert made.names.count("turn_start") == 4
    assert len(lines(made, "ran")) == 4


def test_a_new_prompt_counts_anew(tmp_path):
    """A stop hook may send the agent back again after the next prompt."""
    made = play(tmp_path, *(f"Reply {at}." for at in range(9)))
    add_claude_code(made, Stop="echo more >&2; exit 2")

    async def again(run):
        await made.task
        made.task = made.host.continue_session(run).run("again")

    made.run(during=again)

    assert made.names.count("turn_start") == 8


def test_a_hook_in_python(tmp_path):
    """It runs once for each call, and its denial is the host's."""
    made = play(tmp_path, shell("echo 1"), shell("touch made"), "Done.")
    seen = []

    @made.engine.on("tool.before")
    def judge(event: hookline.Event) -> hookline.Verdict | None:
        seen.append(event.command)
        if "touch" in event.command:
            return hookline.Verdict(stance=hookline.Stance.DENY, reason="no files")
        return None

    made.run()

    assert seen == ["echo 1", "touch made"]
    assert not (made.work / "made").exists()
    assert made.shown("tool.refused")[0]["reason"].endswith("no files")


def test_an_asynchronous_hook_in_python(tmp_path):
    """It is awaited, and where it asks, a person has to answer."""
    write_script(tmp_path, shell("touch made"), "Done.")
    made = Play(tmp_path, {"root": agent()})

    @made.engine.on("tool.before", tool="shell")
    async def judge(_: hookline.Event) -> hookline.Verdict:
        return hookline.Verdict(stance=hookline.Stance.ASK, reason="sure?")

    made.run()

    assert not (made.work / "made").exists()


def test_all_at_once(tmp_path):
    """Hooks of three dialects and of the file run once each, also at a rewrite."""
    note = "echo {} >> ran"
    change = (
        "echo transform >> ran;"
        """ printf '%s' '{"hook_specific_output": {"updated_input": {"cmd": "echo 2"}}}'"""
    )
    hooks = {
        "tool_input_transform": [{"matcher": "*", "hooks": [command_hook(change)]}],
        "pre_tool_use": [{"matcher": "*", "hooks": [command_hook(note.format("own"))]}],
    }
    made = play(tmp_path, shell("echo 1"), "Done.", hooks=hooks)
    add_claude_code(made, PreToolUse=note.format("claude"))
    path = made.folder / "hookline.yaml"
    path.write_text(json.dumps({"version": 1, "hooks": [
        {"on": "tool.before", "run": note.format("hookline")},
    ]}), encoding="utf-8")  # fmt: skip
    made.engine.add_source(str(path))
    seen = []
    made.engine.on("tool.before")(lambda event: seen.append(event.command))

    made.run()

    assert sorted(lines(made, "ran")) == ["claude", "hookline", "own", "transform"]
    assert seen == ["echo 2"]
