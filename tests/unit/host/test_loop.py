"""The order of events in real runs, with their payloads (docs/formats/docker-agent.md 7)."""

from __future__ import annotations

import asyncio

import pytest

from tests.unit.host.play import Face, Play, agent, command_hook, shell, write_script

pytestmark = pytest.mark.process
SHELL = {"type": "shell"}
START = ["session_start", "user_prompt_submit", "before_agent_run"]
TURN = ["turn_start", "before_llm_call", "after_llm_call"]
CALL = [
    "tool_input_transform", "tool_guard", "pre_tool_use:preempt", "pre_tool_use:default",
]  # fmt: skip
RAN = ["on_tool_approval_decision", "tool_response_transform", "post_tool_use"]
END = ["after_agent_complete", "session_end"]
ERROR = ["notification", "on_error"]


def test_a_run_without_tools(tmp_path):
    """The events of one turn come in their order, with their payloads."""
    write_script(tmp_path, "Hello.")
    play = Play(tmp_path, {"root": agent()})

    result = play.run("hi")

    assert result.text == "Hello."
    assert play.names == [*START, *TURN, "stop", "turn_end", *END]
    facts = dict(play.events)
    assert facts["session_start"] == {"source": "startup"}
    assert facts["user_prompt_submit"] == {"prompt": "hi"}
    assert facts["turn_start"] == {}
    assert facts["before_llm_call"] == {
        "model_id": "scripted/script.yaml",
        "iteration": 1,
        "messages": [{"role": "user", "content": "hi"}],
    }
    assert facts["after_llm_call"]["stop_response"] == "Hello."
    assert facts["after_llm_call"]["last_user_message"] == "hi"
    assert facts["after_llm_call"]["usage"]["input_tokens"] == 10
    assert facts["stop"] == {"stop_response": "Hello.", "last_user_message": "hi"}
    assert facts["turn_end"] == {"reason": "normal"}
    assert facts["session_end"] == {"reason": "stream_ended"}


def test_a_call_of_a_tool(tmp_path):
    """A call passes each event of its pipeline, and the next turn reads its result."""
    write_script(tmp_path, shell("echo one"), "Done.")
    play = Play(tmp_path, {"root": agent()}, permissions={"allow": ["shell"]})

    play.run()

    assert play.names == [
        *START, *TURN, *CALL, *RAN, "turn_end", *TURN, "stop", "turn_end", *END,
    ]  # fmt: skip
    tool = {
        "tool_name": "shell",
        "tool_use_id": "call_1",
        "tool_input": {"cmd": "echo one"},
        "tool_category": "shell",
        "tool_read_only": False,
    }
    facts = dict(play.events)
    for name in CALL:
        assert facts[name] == tool, name
    assert facts["on_tool_approval_decision"] == tool | {
        "approval_decision": "allow",
        "approval_source": "team_permissions_allow",
        "safety_label": "safe",
    }
    done = tool | {"tool_response": "[stdout]\none\n", "tool_error": False}
    assert facts["tool_response_transform"] == facts["post_tool_use"] == done
    assert [each["reason"] for each in play.payloads("turn_end")] == ["continue", "normal"]


def test_a_failed_call_says_so(tmp_path):
    """A command that fails is a result with `tool_error`."""
    write_script(tmp_path, shell("echo no >&2; exit 3"), "Done.")
    play = Play(tmp_path, {"root": agent()}, permissions={"allow": ["shell"]})

    play.run()

    [payload] = play.payloads("post_tool_use")
    assert payload["tool_error"] is True
    assert "exit code: 3" in payload["tool_response"]


def test_a_denied_call_does_not_run(tmp_path):
    """The model reads the reason of the hook instead of a result."""
    write_script(tmp_path, shell("touch made"), "Done.")
    deny = {"matcher": "shell", "hooks": [command_hook("echo never >&2; exit 2")]}
    play = Play(tmp_path, {"root": agent(hooks={"pre_tool_use": [deny]})},
                permissions={"allow": ["shell"]})  # fmt: skip

    play.run()

    assert not (play.work / "made").exists()
    assert "post_tool_use" not in play.names
    [decided] = play.payloads("on_tool_approval_decision")
    assert decided["approval_source"] == "pre_tool_use_hook_deny"
    [refused] = play.shown("tool.refused")
    assert refused["reason"] == "Tool call blocked by hook: never"
    asked = play.payloads("before_llm_call")[1]["messages"]
    assert asked[-1]["content"] == "Tool call blocked by hook: never"


def test_a_person_is_asked(tmp_path):
    """A call that nothing decides is the person's to decide."""
    write_script(tmp_path, shell("touch made"), shell("touch other"), "Done.")
    play = Play(tmp_path, {"root": agent()})

    play.run(face=Face("approve", "reject"))

    assert (play.work / "made").exists()
    assert not (play.work / "other").exists()
    first = [*CALL, "permission_request", "on_user_input", *RAN]
    second = [*CALL, "permission_request", "on_user_input", "on_tool_approval_decision"]
    assert play.names == [
        *START, *TURN, *first, "turn_end", *TURN, *second, "turn_end", *TURN, "stop", "turn_end",
        *END, "on_user_input",
    ]  # fmt: skip
    assert [each["approval_source"] for each in play.payloads("on_tool_approval_decision")] == [
        "user_approved", "user_rejected",
    ]  # fmt: skip


def test_nobody_to_ask_is_a_refusal(tmp_path):
    """Without a person such a call is refused."""
    write_script(tmp_path, shell("touch made"), "Done.")
    play = Play(tmp_path, {"root": agent()})

    play.run()

    assert not (play.work / "made").exists()
    [decided] = play.payloads("on_tool_approval_decision")
    assert decided["approval_source"] == "non_interactive_deny"


def test_a_refused_prompt_ends_the_run(tmp_path):
    """The model is not asked about it."""
    write_script(tmp_path, "Hello.")
    refuse = [command_hook("echo not this >&2; exit 2")]
    play = Play(tmp_path, {"root": agent(hooks={"user_prompt_submit": refuse})})

    result = play.run()

    assert result.reason == "hook_blocked"
    assert result.error == "not this"
    assert play.names == ["session_start", "user_prompt_submit", *ERROR, "session_end"]


def test_a_refused_model_call_ends_the_turn(tmp_path):
    """The turn ends with its events."""
    write_script(tmp_path, "Hello.")
    refuse = [command_hook("echo no calls >&2; exit 2")]
    play = Play(tmp_path, {"root": agent(hooks={"before_llm_call": refuse})})

    result = play.run()

    assert result.reason == "hook_blocked"
    assert play.names == [
        *START, "turn_start", "before_llm_call", *ERROR, "turn_end", *END,
    ]  # fmt: skip
    assert play.payloads("turn_end") == [{"reason": "hook_blocked"}]


def test_a_model_error(tmp_path):
    """The turn and the run end with their events, and the hooks get the error."""
    write_script(tmp_path, {"error": {"status": 500, "message": "broken"}})
    play = Play(tmp_path, {"root": agent()})

    result = play.run()

    assert result.reason == "error"
    assert "broken" in result.error
    assert play.names == [*START, "turn_start", "before_llm_call", *ERROR, "turn_end", *END]
    assert play.payloads("turn_end") == [{"reason": "error"}]
    assert play.payloads("notification")[0]["notification_level"] == "error"


def test_a_hook_ends_the_run_after_a_tool(tmp_path):
    """No other turn begins."""
    write_script(tmp_path, [shell("echo one"), shell("echo two")], "Never.")
    stop = {"matcher": "*", "hooks": [command_hook("echo enough >&2; exit 2")]}
    play = Play(tmp_path, {"root": agent(hooks={"post_tool_use": [stop]})},
                permissions={"allow": ["shell"]})  # fmt: skip

    result = play.run()

    assert result.reason == "hook_blocked"
    assert play.names[-5:] == [*ERROR, "turn_end", *END]
    assert play.payloads("turn_end") == [{"reason": "hook_blocked"}]


def test_the_loop_detector(tmp_path):
    """The same call five times in a row ends the run."""
    write_script(tmp_path, *[shell("echo again")] * 9)
    play = Play(tmp_path, {"root": agent()}, permissions={"allow": ["shell"]})

    result = play.run()

    assert result.reason == "loop_detected"
    assert len(play.payloads("turn_end")) == 5
    assert play.payloads("turn_end")[-1] == {"reason": "loop_detected"}
    assert play.names[-5:] == [*ERROR, "turn_end", *END]


def test_the_limit_of_iterations(tmp_path):
    """Without a person the limit ends the run."""
    write_script(tmp_path, shell("echo 1"), shell("echo 2"), "Done.")
    play = Play(tmp_path, {"root": agent(max_iterations=2)}, permissions={"allow": ["shell"]})

    result = play.run()

    assert result.reason == "max_iterations"
    assert play.names[-6:] == [
        "turn_end",
        "notification",
        "on_max_iterations",
        "on_user_input",
        *END,
    ]


def test_the_limit_of_a_sub_agent_waits_for_no_person(tmp_path):
    """Where none is there, the hooks of waiting for one are not asked."""
    task = ("transfer_task", {"agent": "helper", "task": "look"})
    write_script(tmp_path, scripts={"root": [task, "Done."], "helper": [shell("echo 1"), "x"]})
    play = Play(tmp_path, {"root": agent(sub_agents=["helper"]),
                           "helper": agent(max_iterations=1)},
                permissions={"allow": ["*"]})  # fmt: skip

    play.run()

    assert "on_max_iterations" in play.names
    assert "on_user_input" not in play.names


def test_a_person_allows_more_iterations(tmp_path):
    """The limit grows by ten."""
    write_script(tmp_path, shell("echo 1"), "Done.")
    play = Play(tmp_path, {"root": agent(max_iterations=1)}, permissions={"allow": ["shell"]})

    result = play.run(face=Face(extends=True, interactive=True))

    assert result.reason == "normal"
    assert play.payloads("on_session_resume") == [
        {"previous_max_iterations": 1, "new_max_iterations": 11}
    ]


def test_steering_and_follow_up(tmp_path):
    """What the person writes meanwhile has events of its own."""
    write_script(tmp_path, shell("echo 1"), "First.", "Second.")
    play = Play(tmp_path, {"root": agent()}, permissions={"allow": ["shell"]})

    async def write(run):
        run.session.queued.append("and be quick")
        run.session.follow_ups.append("now the rest")

    result = play.run(during=write)

    assert result.text == "Second."
    assert play.payloads("user_steering_messages_submit") == [
        {"steering_messages": ["and be quick"]}
    ]
    assert play.payloads("user_followup_submit") == [{"prompt": "now the rest"}]


def test_cancellation_still_ends_the_turn_and_the_session(tmp_path):
    """The events of the end are fired also then."""
    write_script(tmp_path, shell("sleep 60"), "Never.")
    play = Play(tmp_path, {"root": agent()}, permissions={"allow": ["shell"]})

    async def cancel(run):
        while "on_tool_approval_decision" not in play.names:  # noqa: ASYNC110 - another task's
            await asyncio.sleep(0)
        tasks = [each for each in asyncio.all_tasks() if each is not asyncio.current_task()]
        for task in tasks:
            if task.get_coro().__name__ == "run":
                task.cancel()

    with pytest.raises(asyncio.CancelledError):
        play.run(during=cancel)

    assert play.names[-2:] == ["turn_end", "session_end"]
    assert play.payloads("turn_end") == [{"reason": "canceled"}]


def test_a_sub_agent(tmp_path):
    """A task runs in a session of its own, and its end is the parent's event."""
    task = ("transfer_task", {"agent": "helper", "task": "look", "expected_output": "a word"})
    write_script(tmp_path, scripts={"root": [task, "Done."], "helper": ["Found."]})
    helper = agent()
    play = Play(tmp_path, {"root": agent(sub_agents=["helper"]), "helper": helper},
                permissions={"allow": ["*"]})  # fmt: skip

    play.run()

    child = ["session_start", "before_agent_run", *TURN, "stop", "turn_end", *END]
    assert play.names == [
        *START, *TURN, *CALL, "on_tool_approval_decision",
        "on_agent_switch", *child, "subagent_stop", "on_agent_switch",
        "tool_response_transform", "turn_end", *TURN, "stop", "turn_end", *END,
    ]  # fmt: skip
    [stopped] = play.payloads("subagent_stop")
    assert stopped == {
        "parent_session_id": "a", "parent_agent_name": "root", "stop_response": "Found.",
    }  # fmt: skip
    switches = play.payloads("on_agent_switch")
    assert [each["agent_switch_kind"] for each in switches] == [
        "transfer_task", "transfer_task_return",
    ]  # fmt: skip


def test_a_session_that_cannot_be_saved(tmp_path):
    """The run ends as usual, with a warning."""
    write_script(tmp_path, "Done.")
    play = Play(tmp_path, {"root": agent()})
    (play.home / ".local").write_text("a file", encoding="utf-8")

    result = play.run()

    assert (result.reason, result.text) == ("normal", "Done.")
    assert play.names[-1] == "session_end"
    [told] = play.payloads("notification")
    assert told["notification_level"] == "warning"
    assert told["notification_message"].startswith("the session could not be saved")
    assert not play.session.is_saved  # so no line says how to go on with it


def test_a_handoff(tmp_path):
    """The same session goes on under another agent."""
    write_script(
        tmp_path, scripts={"root": [("handoff", {"agent": "other"})], "other": ["I am other."]}
    )
    play = Play(tmp_path, {"root": agent(handoffs=["other"]), "other": agent()},
                permissions={"allow": ["*"]})  # fmt: skip

    result = play.run()

    assert result.text == "I am other."
    assert play.names.count("session_start") == 1
    assert "subagent_stop" not in play.names
    [switch] = play.payloads("on_agent_switch")
    assert switch["agent_switch_kind"] == "handoff"
    assert (switch["from_agent"], switch["to_agent"]) == ("root", "other")


def test_an_overflow_is_compacted_once(tmp_path):
    """The turn that failed is taken again with a summary."""
    write_script(
        tmp_path, shell("echo 1"), shell("echo 2"), shell("echo 3"), {"error": "overflow"},
        "The summary.", "Done.",
    )  # fmt: skip
    play = Play(tmp_path, {"root": agent()}, permissions={"allow": ["shell"]})

    result = play.run()

    assert result.text == "Done."
    assert play.payloads("pre_compact") == [{"source": "overflow"}]
    [before] = play.payloads("before_compaction")
    assert before["compaction_reason"] == "overflow"
    [after] = play.payloads("after_compaction")
    assert after["summary"] == "The summary."
    assert [each["reason"] for each in play.payloads("turn_end")] == [
        "continue", "continue", "continue", "error", "normal",
    ]  # fmt: skip


def test_a_hook_supplies_the_summary(tmp_path):
    """No model writes it then."""
    write_script(
        tmp_path, shell("echo 1"), shell("echo 2"), shell("echo 3"), {"error": "overflow"}, "Done."
    )
    supply = """echo '{"hookSpecificOutput": {"summary": "By a hook."}}'"""
    play = Play(tmp_path, {"root": agent(hooks={"before_compaction": [command_hook(supply)]})},
                permissions={"allow": ["shell"]})  # fmt: skip

    play.run()

    assert play.payloads("after_compaction")[0]["summary"] == "By a hook."


def test_a_hook_vetoes_a_compaction(tmp_path):
    """The conversation stays, and the error counts."""
    write_script(tmp_path, shell("echo 1"), shell("echo 2"), shell("echo 3"), {"error": "overflow"})
    veto = [command_hook("exit 2")]
    play = Play(tmp_path, {"root": agent(hooks={"before_compaction": veto})},
                permissions={"allow": ["shell"]})  # fmt: skip

    result = play.run()

    assert result.reason == "error"
    assert "after_compaction" not in play.names


def test_a_resumed_session_keeps_messages_and_context(tmp_path):
    """Another process goes on where one ended."""
    add = """echo '{"hook_specific_output": {"additional_context": "The log is here."}}'"""
    write_script(tmp_path, "First.", "Second.")
    hooks = {"session_start": [command_hook(add)]}
    play = Play(tmp_path, {"root": agent(hooks=hooks)})
    play.run("one")
    write_script(tmp_path, "Second.")
    again = Play(tmp_path, {"root": agent(hooks=hooks)})

    result = again.run("two", resume=play.session.id)

    assert result.text == "Second."
    assert again.payloads("session_start") == [{"source": "resume"}]
    contents = [each["content"] for each in again.payloads("before_llm_call")[0]["messages"]]
    assert contents == ["one", "First.", "two"]
    assert again.session.contexts["session"] == ("The log is here.",)


def test_a_kept_answer_is_replayed(tmp_path):
    """With `cache_response` the second run of a prompt asks no model."""
    write_script(tmp_path, "An answer.")
    keep = {"type": "builtin", "command": "cache_response"}
    play = Play(tmp_path, {"root": agent(hooks={"stop": [keep]})})
    play.run("why?")
    again = Play(tmp_path, {"root": agent(hooks={"stop": [keep]})})

    result = again.run("why?")

    assert result.text == "An answer."
    assert again.names == ["session_start", "user_prompt_submit", "session_end"]


def test_a_call_of_no_tool_is_shown_and_asks_no_hook(tmp_path):
    """A person sees what the model reads of a tool that is missing, or of a wrong input."""
    write_script(tmp_path, [("nothing", {"a": 1}), ("shell", {"command": "ls"})], "Done.")
    play = Play(tmp_path, {"root": agent()})

    play.run()

    assert "tool_guard" not in play.names
    first, second = play.shown("tool.done")
    assert (first["tool"], first["failed"]) == ("nothing", True)
    assert "Unknown tool name" in first["text"]
    assert (second["tool"], second["failed"]) == ("shell", True)
    assert "cmd" in second["text"]
