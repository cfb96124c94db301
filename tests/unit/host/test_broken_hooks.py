"""Hooks that fail, hang, flood or print garbage: the run always ends, with its events."""

from __future__ import annotations

import json
from functools import partialmethod

import pytest

from hookline import Engine
from hookline.dialects.docker_agent.table import TABLE
from tests.unit.host.play import Play, agent, command_hook, shell, write_script

pytestmark = pytest.mark.process
ALLOW = {"allow": ["*"]}
PUBLIC = [row for name, row in TABLE.rows.items() if ":" not in name]
DENYING = {"tool_guard", "pre_tool_use", "before_agent_run", "after_agent_complete"}
BROKEN = {
    "fails": command_hook("echo oh >&2; exit 7"),
    "hangs": command_hook("sleep 60", timeout=1),
    "prints garbage": command_hook("""printf '{"hook_specific_output": [1, \\377'"""),
    "is missing": command_hook("/no/such/program"),
    "kills itself": command_hook("kill -9 $$"),
    "prints a wrong type": command_hook(
        """printf '%s' '{"decision": 7, "hook_specific_output": {"updated_input": "x"}}'"""
    ),
}


@pytest.fixture(autouse=True)
def impatient(monkeypatch):
    """A file's shortest limit is a second, most of which would be waiting."""
    fire = partialmethod(Engine.fire_async, seconds=0.3)
    monkeypatch.setattr(Engine, "fire_async", fire)


def add_everywhere(hook, only=None):
    return {
        row.native: [{"matcher": "*", "hooks": [hook]}] if row.grouped else [hook]
        for row in PUBLIC
        if only is None or row.native in only
    }


def play(folder, hooks):
    write_script(folder, shell("echo 1"), "Done.")
    made = Play(folder, {"root": agent(hooks=hooks)}, permissions=ALLOW)
    return made, made.run()


@pytest.mark.parametrize("how", BROKEN)
def test_broken_hooks_on_every_event_that_a_failure_leaves_open(tmp_path, how):
    """The run ends as without them, and each failure is told."""
    events = {row.native for row in PUBLIC} - DENYING
    made, result = play(tmp_path, add_everywhere(BROKEN[how], events))

    assert (result.reason, result.text) == ("normal", "Done.")
    assert made.names[-1] == "session_end"
    assert made.names.count("turn_start") == made.names.count("turn_end") == 2
    told = {each["event"] for each in made.shown("hook.note")}
    assert {"session_start", "turn_start", "stop", "turn_end", "session_end"} <= told


@pytest.mark.parametrize("how", BROKEN)
@pytest.mark.parametrize("event", ["tool_guard", "pre_tool_use"])
def test_a_broken_guard_denies(tmp_path, how, event):
    """The model reads which hook failed, and the run goes on."""
    made, result = play(tmp_path, add_everywhere(BROKEN[how], {event}))

    assert (result.reason, result.text) == ("normal", "Done.")
    [decided] = made.payloads("on_tool_approval_decision")
    assert decided["approval_source"] in ("tool_guard_deny", "pre_tool_use_hook_deny")
    assert "post_tool_use" not in made.names


@pytest.mark.parametrize("how", ["fails", "hangs"])
@pytest.mark.parametrize(
    "event", [row.native for row in PUBLIC if row.can_block and row.native not in DENYING]
)
def test_a_hook_whose_failure_blocks(tmp_path, how, event):
    """`on_error: block` ends what it guards, and never wedges the run."""
    hook = {**BROKEN[how], "on_error": "block"}
    made, result = play(tmp_path, add_everywhere(hook, {event}))

    ends = {"user_prompt_submit", "before_llm_call", "post_tool_use"}
    assert result.reason == ("hook_blocked" if event in ends else "normal")
    assert made.names[-1] == "session_end"


@pytest.mark.parametrize("event", ["before_agent_run", "after_agent_complete"])
@pytest.mark.parametrize("how", BROKEN)
def test_a_broken_control_hook_stops_the_agent(tmp_path, how, event):
    """These events deny on a failure."""
    made, result = play(tmp_path, add_everywhere(BROKEN[how], {event}))

    assert result.reason == "hook_blocked"
    assert made.names[-1] == "session_end"


@pytest.mark.parametrize("messages", [
    [{"role": "nobody", "content": "x"}], [{"content": "x"}], ["x"], [{"role": "user"}],
    [{"role": "assistant", "tool_calls": [{}]}], [{"role": "assistant", "content": "x"}],
    [{"role": "user", "content": 5}], [{"role": "tool", "content": "x"}],
])  # fmt: skip
def test_messages_of_a_hook_that_are_none(tmp_path, messages):
    """A rewrite that the model cannot get is an error of that turn, told as one."""
    document = json.dumps({"hook_specific_output": {"updated_messages": messages}})
    hook = command_hook(f"printf '%s' '{document}'")
    made, result = play(tmp_path, {"before_llm_call": [hook]})

    assert result.reason in ("normal", "error", "hook_blocked")
    if result.reason != "normal":
        assert "on_error" in made.names
    assert made.names[-1] == "session_end"
    assert made.names.count("turn_start") == made.names.count("turn_end")
