"""The terminal interface, driven by its pilot."""

from __future__ import annotations

import asyncio

import pytest
from textual.widgets import Input, OptionList

from hookline.host.agent_file import load_agent_file
from hookline.host.hook_sources import add_hooks
from hookline.host.host import Host
from hookline.host.tui import ApprovalScreen, Card, ContinueScreen, HostApp
from tests.unit.host.play import Play, agent, command_hook, shell, write_script

pytestmark = pytest.mark.process
ALLOW = {"allow": ["shell"]}


async def open_app(play: Play, act, prompt: str = "", resume: str = "") -> None:
    """Show an agent file in the interface, and act with its pilot."""
    loaded = load_agent_file(str(play.path))
    assert loaded.agent_file is not None, loaded.problems
    add_hooks(play.engine, loaded.agent_file)
    app = HostApp(prompt)
    cwd, environ = str(play.work), play.environ
    async with Host(loaded.agent_file, play.engine, app, cwd=cwd, environ=environ) as host:
        app.connect(host, host.open_session(resumed=resume))
        async with app.run_test() as pilot:
            await act(app, pilot)


async def type_line(app: HostApp, pilot, text: str) -> None:
    app.query_one("#prompt", Input).value = text
    await pilot.press("enter")


async def wait_for(pilot, condition) -> None:
    """Wait until something is true, for at most ten seconds."""
    async with asyncio.timeout(10):
        while not condition():
            await pilot.pause()


def read_cards(app: HostApp, kind: str) -> list[str]:
    return [str(card.content) for card in app.query(f"Card.{kind}").results(Card)]


def test_a_conversation(tmp_path):
    """Each prompt is a run of the same session."""
    write_script(tmp_path, "Hello **you**.", "Again.")
    play = Play(tmp_path, {"root": agent(welcome_message="Welcome.")})

    async def act(app, pilot):
        await type_line(app, pilot, "hi")
        await wait_for(pilot, lambda: not app.is_running_agent and "on_user_input" in play.names)
        await type_line(app, pilot, "and now")
        await wait_for(pilot, lambda: play.names.count("on_user_input") == 2)
        assert read_cards(app, "person") == ["hi", "and now"]
        assert len(app.query("Markdown")) == 3
        assert "4 out" in str(app.query_one("#state").content)

    asyncio.run(open_app(play, act))

    assert [each["source"] for each in play.payloads("session_start")] == ["startup", "resume"]
    assert [each["prompt"] for each in play.payloads("user_prompt_submit")] == ["hi", "and now"]


def test_a_resumed_session_shows_what_was_said(tmp_path):
    """The prompts, the replies, and the calls in a line each."""
    command = "echo 1\necho 2"
    write_script(tmp_path, shell(command), "Hello **you**.", "Again.")
    play = Play(tmp_path, {"root": agent(welcome_message="Welcome.")}, permissions=ALLOW)
    play.run("hi")

    async def act(app, pilot):
        await pilot.pause()
        shown = app.query_one("#conversation").children
        assert [type(each).__name__ for each in shown] == ["Card", "Card", "Markdown"]
        assert read_cards(app, "person") == ["hi"]
        assert read_cards(app, "call") == [f"shell {command}"]

    asyncio.run(open_app(play, act, resume=play.session.id))


def test_a_refused_call_is_a_card_with_sentence_and_command(tmp_path):
    """A person sees what was refused, and why."""
    write_script(tmp_path, shell("rm -rf /tmp/x"), "Well.")
    deny = {"matcher": "shell", "hooks": [command_hook("echo never do that >&2; exit 2")]}
    play = Play(tmp_path, {"root": agent(hooks={"pre_tool_use": [deny]})})

    async def act(app, pilot):
        await wait_for(pilot, lambda: "session_end" in play.names and not app.is_running_agent)
        await pilot.pause()
        [blocked] = app.query("Vertical.blocked")
        sentence, command = (str(card.content) for card in blocked.query(Card).results(Card))
        assert sentence == "Tool call blocked by hook: never do that"
        assert command == "rm -rf /tmp/x"

    asyncio.run(open_app(play, act, "clean up"))


@pytest.mark.parametrize(("answer", "made"), [("approve", True), ("reject", False)])
def test_the_person_decides(tmp_path, answer, made):
    """The answer decides whether the call runs."""
    write_script(tmp_path, shell("touch made"), "Done.")
    play = Play(tmp_path, {"root": agent()})

    async def act(app, pilot):
        await wait_for(pilot, lambda: isinstance(app.screen, ApprovalScreen))
        listed = app.screen.query_one(OptionList)
        await pilot.pause()
        listed.focus()
        listed.highlighted = listed.get_option_index(answer)
        await pilot.press("enter")
        await wait_for(pilot, lambda: "session_end" in play.names and not app.is_running_agent)

    asyncio.run(open_app(play, act, "make it"))

    assert (play.work / "made").exists() == made


def test_escape_stops_the_agent(tmp_path):
    """The run still ends with its events."""
    write_script(tmp_path, shell("sleep 60"), "Never.")
    play = Play(tmp_path, {"root": agent()}, permissions=ALLOW)

    async def act(app, pilot):
        await wait_for(pilot, lambda: "on_tool_approval_decision" in play.names)
        await pilot.press("escape")
        await wait_for(pilot, lambda: not app.is_running_agent)
        await pilot.pause()
        assert "stopped" in read_cards(app, "note")

    asyncio.run(open_app(play, act, "wait"))

    assert play.payloads("turn_end") == [{"reason": "canceled"}]
    assert "session_end" in play.names


@pytest.mark.parametrize("how", ["/quit", "/exit", "ctrl+d"])
def test_to_leave_stops_the_agent(tmp_path, how):
    """The run still ends with its events, and the interface without an error."""
    write_script(tmp_path, shell("sleep 60"), "Never.")
    play = Play(tmp_path, {"root": agent()}, permissions=ALLOW)

    async def act(app, pilot):
        await wait_for(pilot, lambda: "on_tool_approval_decision" in play.names)
        if how.startswith("/"):
            await type_line(app, pilot, how)
        else:
            app.query_one("#prompt", Input).value = "ab"
            app.query_one("#prompt", Input).cursor_position = 1
            await pilot.press(how)
            assert app.query_one("#prompt", Input).value == "a"
            assert app.is_running_agent
            await pilot.press("backspace", how)
        await wait_for(pilot, lambda: not app.is_running_agent)

    asyncio.run(open_app(play, act, "wait"))

    assert play.payloads("turn_end") == [{"reason": "canceled"}]
    assert "session_end" in play.names


def test_escape_ends_a_run_at_its_limit(tmp_path):
    """It answers the question whether the agent may go on."""
    write_script(tmp_path, shell("echo 1"), "Never.")
    play = Play(tmp_path, {"root": agent(max_iterations=1)}, permissions=ALLOW)

    async def act(app, pilot):
        await wait_for(pilot, lambda: isinstance(app.screen, ContinueScreen))
        await pilot.press("escape")
        await wait_for(pilot, lambda: "session_end" in play.names and not app.is_running_agent)

    asyncio.run(open_app(play, act, "go"))

    assert "on_session_resume" not in play.names


def test_commands(tmp_path):
    """What begins with a slash is for the host."""
    write_script(tmp_path, "Hello.")
    hooks = {"stop": [command_hook("exit 0", name="watch stop")]}
    play = Play(tmp_path, {"root": agent(hooks=hooks)})

    async def act(app, pilot):
        for line in ("/hooks", "/model", "/help", "/nonsense", "/compact"):
            await type_line(app, pilot, line)
            await pilot.pause()
        hooks, model, help_, wrong, *_ = read_cards(app, "note")
        assert "watch-stop" in hooks
        assert "without a sandbox" in hooks
        assert model == "scripted/script.yaml"
        assert "/compact" in help_
        assert "/quit" in help_
        assert "no command `/nonsense`" in wrong
        assert play.payloads("pre_compact") == [{"source": "manual"}]

    asyncio.run(open_app(play, act))


def test_what_is_written_meanwhile_reaches_the_next_turn(tmp_path):
    """It is not lost."""
    write_script(tmp_path, shell("until [ -e go ]; do sleep 0.01; done"), "Done.")
    play = Play(tmp_path, {"root": agent()}, permissions=ALLOW)

    async def act(app, pilot):
        await wait_for(pilot, lambda: "on_tool_approval_decision" in play.names)
        await type_line(app, pilot, "be quick")
        await pilot.pause()
        (play.work / "go").touch()
        await wait_for(pilot, lambda: "session_end" in play.names)

    asyncio.run(open_app(play, act, "wait"))

    assert play.payloads("user_steering_messages_submit") == [{"steering_messages": ["be quick"]}]


def test_a_message_for_when_the_agent_is_done(tmp_path):
    """It waits for the last answer, and is a prompt of its own if none is at work."""
    write_script(tmp_path, shell("touch begun; until [ -e go ]; do sleep 0.02; done"), "One.",
                 "Two.", "Three.")  # fmt: skip
    play = Play(tmp_path, {"root": agent()}, permissions=ALLOW)

    async def act(app, pilot):
        await type_line(app, pilot, "begin")
        await wait_for(pilot, (play.work / "begun").exists)
        await type_line(app, pilot, "/later and tell me")
        await wait_for(pilot, lambda: app.session_run.session.follow_ups)
        (play.work / "go").touch()
        await wait_for(pilot, lambda: "on_user_input" in play.names and not app.is_running_agent)
        await type_line(app, pilot, "/later at once")
        await wait_for(pilot, lambda: play.names.count("on_user_input") == 2)

    asyncio.run(open_app(play, act))

    assert play.payloads("user_followup_submit") == [{"prompt": "and tell me"}]
    assert [each["prompt"] for each in play.payloads("user_prompt_submit")] == ["begin", "at once"]


def test_a_message_after_the_last_turn_begins_a_run(tmp_path):
    """It is not lost while the hooks of the end are at work."""
    write_script(tmp_path, "One.", "Two.")
    end = "touch ended; until [ -e go ]; do sleep 0.02; done"
    play = Play(tmp_path, {"root": agent(hooks={"session_end": [command_hook(end)]})})

    async def act(app, pilot):
        await type_line(app, pilot, "first")
        await wait_for(pilot, (play.work / "ended").exists)
        await type_line(app, pilot, "second")
        await wait_for(pilot, lambda: app.session_run.session.queued)
        (play.work / "go").touch()
        await wait_for(pilot, lambda: play.names.count("on_user_input") == 2)

    asyncio.run(open_app(play, act))

    assert [each["prompt"] for each in play.payloads("user_prompt_submit")] == ["first", "second"]
