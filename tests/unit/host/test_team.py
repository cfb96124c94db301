"""Agents with hooks of their own, sub-agents that fail, and cancellation, in real runs."""

from __future__ import annotations

import asyncio
import json

import pytest

from tests.unit.handlers.support import is_gone, pid_in, until
from tests.unit.host.play import Face, Play, agent, command_hook, shell, write_script

pytestmark = pytest.mark.process
ALLOW = {"allow": ["*"]}
TASK = ("transfer_task", {"agent": "helper", "task": "look"})
STOPPED = {"parent_session_id": "a", "parent_agent_name": "root", "stop_response": ""}


def note(who: str) -> dict[str, object]:
    """Return a hook that writes down who it belongs to, and the event, agent and session."""
    return command_hook(
        f"jq -r '\"{who} \\(.hook_event_name) \\(.agent_name) \\(.session_id)\"' >> notes"
    )


def read_notes(made: Play) -> list[str]:
    return (made.work / "notes").read_text().splitlines()


def test_each_agent_has_its_own_hooks(tmp_path):
    """Events run the hooks of their agent; `subagent_stop` runs those of the parent."""
    flat = ("session_start", "turn_start", "stop", "session_end", "subagent_stop")

    def hooks(who):
        every = {event: [note(who)] for event in (*flat, "on_agent_switch")}
        return every | {"tool_guard": [{"matcher": "*", "hooks": [note(who)]}]}

    write_script(tmp_path, scripts={"root": [TASK, "Done."], "helper": [shell("echo 1"), "Found."]})
    made = Play(
        tmp_path,
        {"root": agent(sub_agents=["helper"], hooks=hooks("r")), "helper": agent(hooks=hooks("h"))},
        permissions=ALLOW,
    )

    made.run()

    assert read_notes(made) == [
        "r session_start root a", "r turn_start root a", "r tool_guard root a",
        "r on_agent_switch root a",
        "h session_start helper b", "h turn_start helper b", "h tool_guard helper b",
        "h turn_start helper b", "h stop helper b", "h session_end helper b",
        "r subagent_stop helper b", "h on_agent_switch helper a",
        "r turn_start root a", "r stop root a", "r session_end root a",
    ]  # fmt: skip


def test_a_sub_agent_that_fails(tmp_path):
    """The parent's model reads the error, and its hooks an empty answer."""
    broken = {"error": {"status": 500, "message": "broken"}}
    write_script(tmp_path, scripts={"root": [TASK, "Done anyway."], "helper": [broken]})
    made = Play(tmp_path, {"root": agent(sub_agents=["helper"]), "helper": agent()},
                permissions=ALLOW)  # fmt: skip

    result = made.run()

    assert result.text == "Done anyway."
    assert made.payloads("subagent_stop") == [STOPPED]
    read = made.payloads("before_llm_call")[-1]["messages"][-1]["content"]
    assert read.startswith("the agent `helper` did not finish: ")
    assert "broken" in read
    assert [each["agent_switch_kind"] for each in made.payloads("on_agent_switch")] == [
        "transfer_task", "transfer_task_return",
    ]  # fmt: skip


@pytest.mark.parametrize(
    ("given", "said"),
    [
        ({"agent": "nobody", "task": "x"}, "there is no sub-agent `nobody`; there are: helper"),
        ({"agent": "root", "task": "x"}, "there is no sub-agent `root`"),
    ],
)
def test_an_agent_that_is_no_sub_agent(tmp_path, given, said):
    """The model reads which there are."""
    write_script(tmp_path, scripts={"root": [("transfer_task", given), "Done."]})
    made = Play(tmp_path, {"root": agent(sub_agents=["helper"]), "helper": agent()},
                permissions=ALLOW)  # fmt: skip

    made.run()

    assert made.payloads("before_llm_call")[-1]["messages"][-1]["content"].startswith(said)
    assert "subagent_stop" not in made.names


def test_agents_that_call_one_another_end(tmp_path):
    """Eight sessions below one another are enough."""
    again = ("transfer_task", {"agent": "root", "task": "x"})
    write_script(tmp_path, *[again] * 9, *["Done."] * 9)
    made = Play(tmp_path, {"root": agent(sub_agents=["root"])}, permissions=ALLOW)

    result = made.run()

    assert result.reason == "normal"
    assert made.names.count("subagent_stop") == 8
    texts = [json.dumps(each["messages"]) for each in made.payloads("before_llm_call")]
    assert any("agents are nested 8 deep" in text for text in texts)


def test_a_refused_task(tmp_path):
    """The parent's guard decides whether a sub-agent starts."""
    deny = [{"matcher": "transfer_task", "hooks": [command_hook("echo no >&2; exit 2")]}]
    write_script(tmp_path, scripts={"root": [TASK, "Done."], "helper": ["Never."]})
    made = Play(
        tmp_path, {"root": agent(sub_agents=["helper"], hooks={"tool_guard": deny}),
                   "helper": agent()}, permissions=ALLOW,
    )  # fmt: skip

    made.run()

    assert "subagent_stop" not in made.names
    assert made.names.count("session_start") == 1


def test_tasks_at_once_ask_one_question_at_a_time(tmp_path):
    """The person sees one question, also if two sub-agents have one."""

    class SlowFace(Face):
        open = most = 0

        async def approve(self, question):
            self.open += 1
            self.most = max(self.most, self.open)
            await made.wait_for("permission_request", 2)
            self.open -= 1
            return await super().approve(question)

    other = ("transfer_task", {"agent": "other", "task": "look"})
    steps = [shell("touch made"), "Found."]
    write_script(
        tmp_path, scripts={"root": [[TASK, other], "Done."], "helper": steps, "other": steps}
    )
    made = Play(
        tmp_path,
        {"root": agent(sub_agents=["helper", "other"]), "helper": agent(), "other": agent()},
        permissions={"allow": ["transfer_task"]},
    )
    face = SlowFace("approve", "approve")

    made.run(face=face)

    assert len(face.questions) == 2
    assert face.most == 1
    assert made.names.count("subagent_stop") == 2


def test_what_the_person_allows_a_sub_agent_holds_for_the_team(tmp_path):
    """Grants and the mode are those of the whole run."""
    scripts = {
        "root": [TASK, shell("touch two"), TASK, "Done."],
        "helper": [shell("mkdir one"), "Found.", shell("rmdir one"), "Found."],
    }
    write_script(tmp_path, scripts=scripts)
    made = Play(tmp_path, {"root": agent(sub_agents=["helper"]), "helper": agent()},
                permissions={"allow": ["transfer_task"]})  # fmt: skip

    made.run(face=Face("approve-autonomous"))

    assert (made.work / "two").exists()
    assert not (made.work / "one").exists()
    assert made.session.mode == "autonomous"


def test_a_sub_agent_has_the_mode_of_its_own(tmp_path):
    """`safety` of an agent holds for its sessions, unless the person chose a mode."""
    write_script(
        tmp_path, scripts={"root": [TASK, "Done."], "helper": [shell("touch made"), "Found."]}
    )
    made = Play(
        tmp_path,
        {
            "root": agent(sub_agents=["helper"], safety="autonomous"),
            "helper": agent(safety="strict"),
        },
    )

    made.run()

    assert not (made.work / "made").exists()
    decided = [each["approval_source"] for each in made.payloads("on_tool_approval_decision")]
    assert decided == ["yolo", "non_interactive_deny"]


# -- cancellation ----------------------------------------------------------------------------------


def test_cancellation_inside_a_sub_agent(tmp_path):
    """Both sessions end with their events, the child first, and its program ends too."""
    scripts = {"root": [TASK, "Never."], "helper": [shell("echo $$ > pid; sleep 60"), "Never."]}
    write_script(tmp_path, scripts=scripts)
    made = Play(tmp_path, {"root": agent(sub_agents=["helper"]), "helper": agent()},
                permissions=ALLOW)  # fmt: skip

    async def cancel(_run):
        await made.wait_for("on_tool_approval_decision", 2)
        await made.wait_for_pid("pid")
        made.task.cancel()

    with pytest.raises(asyncio.CancelledError):
        made.run(during=cancel)

    assert made.names[-6:] == [
        "turn_end", "session_end", "subagent_stop", "on_agent_switch", "turn_end", "session_end",
    ]  # fmt: skip
    assert made.payloads("turn_end") == [{"reason": "canceled"}] * 2
    assert made.payloads("subagent_stop") == [STOPPED]
    assert until(lambda: is_gone(pid_in(made.work / "pid")))


def test_cancellation_while_a_question_waits(tmp_path):
    """The call is canceled, which is no denial, and does not run."""

    class DeafFace(Face):
        async def approve(self, question):
            self.questions.append(question)
            await asyncio.Event().wait()
            raise AssertionError

    write_script(tmp_path, [shell("touch one"), shell("touch two")], "Never.")
    made = Play(tmp_path, {"root": agent()})

    face = DeafFace(interactive=True)

    async def cancel(_run):
        await made.wait_for("permission_request", 2)
        assert await asyncio.to_thread(until, lambda: face.questions)
        made.task.cancel()

    with pytest.raises(asyncio.CancelledError):
        made.run(face=face, during=cancel)

    assert [each["approval_decision"] for each in made.payloads("on_tool_approval_decision")] == [
        "canceled", "canceled",
    ]  # fmt: skip
    assert len(face.questions) == 1
    assert list(made.work.iterdir()) == []
    assert made.names[-3:] == ["turn_end", "session_end", "on_user_input"]
    assert made.payloads("turn_end") == [{"reason": "canceled"}]
    assert made.payloads("session_end") == [{"reason": "stream_ended"}]


@pytest.mark.parametrize(
    "event", ["session_start", "user_prompt_submit", "turn_start", "before_llm_call", "tool_guard"]
)
def test_cancellation_while_a_hook_runs(tmp_path, event):
    """The hook's program ends, and the run has its last events."""
    hook = command_hook("echo $$ > pid; sleep 60")
    hooks = {event: [{"matcher": "*", "hooks": [hook]}] if event == "tool_guard" else [hook]}
    write_script(tmp_path, shell("touch one"), "Never.")
    made = Play(tmp_path, {"root": agent(hooks=hooks)}, permissions=ALLOW)

    async def cancel(_run):
        await made.wait_for_pid("pid")
        made.task.cancel()

    with pytest.raises(asyncio.CancelledError):
        made.run(during=cancel)

    assert made.names[-1] == "session_end"
    assert made.names.count("turn_end") == (event not in ("session_start", "user_prompt_submit"))
    assert until(lambda: is_gone(pid_in(made.work / "pid")))
    assert not (made.work / "one").exists()


def test_a_session_that_was_cancelled_goes_on(tmp_path):
    """Its conversation is valid: each call has a result."""
    write_script(tmp_path, shell("sleep 60"), "Again.")
    made = Play(tmp_path, {"root": agent()}, permissions=ALLOW)

    async def cancel(run):
        await made.wait_for("on_tool_approval_decision")
        made.task.cancel()
        await asyncio.wait([made.task])
        made.task = asyncio.ensure_future(made.host.continue_session(run).run("and now"))

    result = made.run(during=cancel)

    assert result.text == "Again."
    roles = [each["role"] for each in made.payloads("before_llm_call")[-1]["messages"]]
    assert roles == ["user", "assistant", "tool", "user"]
