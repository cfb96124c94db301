"""The guard `notifier`: what it sends, to whom, and what a failure means."""

import json

import pytest

import hookline
from hookline.guards.notifier import judge
from hookline.guards.world import World
from hookline.model.event import Event, Lifecycle, Message, Stop, ToolCall

HOOK = "https://hooks.slack.com/services/T0/B0/x"
TOKEN = "ghp_" + "aB3dE6gH9jK2mN5pQ8sT1vW4yZ7bC0dF3gH6"
WORLD = World(project="/home/ada/shop", environ={"HOOK": HOOK, "OTHER": "secret"})


def send(kind, body, **options):
    """The handler that carries the message."""
    event = Event(kind=kind, dialect="codex", cwd="/home/ada/shop", body=body)
    return judge(event, options, WORLD).sends


@pytest.mark.parametrize(
    ("kind", "body", "text"),
    [
        ("stop", Stop(last_message="I did it."), "codex in shop: the agent is done"),
        (
            "notification",
            Message(text="May I run make?"),
            "codex in shop: the agent waits for you: May I run make?",
        ),
        (
            "notification",
            Lifecycle(facts={"message": " <!channel> & me "}),
            "codex in shop: the agent waits for you: &lt;!channel&gt; &amp; me",
        ),
        (
            "error",
            Lifecycle(facts={"error": f"401: bearer {TOKEN}"}),
            "codex in shop: an error stopped the agent: 401: bearer [masked 40]",
        ),
        (
            "stop.failure",
            Lifecycle(facts={"error": {"type": "x"}}),
            "codex in shop: an error stopped the agent",
        ),
    ],
)
def test_a_webhook_gets_the_message_in_the_form_of_slack(kind, body, text):
    """Without secrets, and without marks that would call a channel."""
    sent = send(kind, body, webhook=HOOK)
    assert sent.url == HOOK
    assert not sent.allow_local
    assert json.loads(sent.body) == {"text": text}


def test_the_last_reply_is_sent_only_if_wished():
    """Its beginning, because it may be long and private."""
    sent = send("stop", Stop(last_message="word " * 500), webhook=HOOK, details=True)
    text = json.loads(sent.body)["text"]
    assert text.startswith("codex in shop: the agent is done: word word")
    assert len(text) < 400


def test_the_address_may_be_in_a_variable():
    """So that no file holds it; a variable that holds no address is not shown."""
    assert send("stop", Stop(), webhook="$HOOK").url == HOOK
    for name in ("$OTHER", "$NONE"):
        with pytest.raises(ValueError, match="holds no https address") as raised:
            send("stop", Stop(), webhook=name)
        assert "secret" not in str(raised.value)


def test_other_events_send_nothing():
    """A call of a tool is no reason to call somebody."""
    assert judge(Event(kind="tool.before", body=ToolCall(tool="shell")), {}, WORLD) is None


@pytest.fixture
def desktop(tmp_path):
    """An engine with the guard, and a program that takes the place of the desktop."""

    class Desktop:
        folder = tmp_path / "bin"
        shown = tmp_path / "shown"

        def add(self, code=0):
            self.folder.mkdir()
            program = self.folder / "notify-send"
            program.write_text(
                f'#!/bin/sh\nprintf "%s\\n" "$@" > {self.shown}\necho no >&2\nexit {code}\n'
            )
            program.chmod(0o755)

        def fire(self, message, **options):
            hook = {"use": "notifier", **({"with": options} if options else {})}
            engine = hookline.Engine.from_config(
                {"version": 1, "hooks": [hook]},
                dialect="hookline",
                trust="all",
                cwd=tmp_path,
                environ={"HOME": str(tmp_path), "PATH": f"{self.folder}:/usr/bin:/bin"},
            )
            payload = {"session_id": "s1", "cwd": str(tmp_path / "gone"), "message": message}
            return engine.fire("notification", payload)

    return Desktop()


@pytest.mark.process
@pytest.mark.parametrize("message", ["-x $(id) `id` \"'", "a\0\ud800b"])
def test_the_desktop_shows_the_message_as_it_is(desktop, message):
    """As an argument, which no shell reads, and no program takes for an option."""
    desktop.add()
    decision = desktop.fire(message)
    assert decision.verdicts[0].fault is None
    assert decision.stance is hookline.Stance.SILENT
    dashes, _, text = desktop.shown.read_text().splitlines()
    assert dashes == "--"
    if "\0" not in message:
        assert text == f"the agent waits for you: {message}"


@pytest.mark.process
def test_a_message_that_is_not_shown_is_a_failure(desktop):
    """A program that fails, or none at all, is told, and stops nothing."""
    missing = desktop.fire("x").verdicts[0]
    assert "neither notify-send nor osascript" in missing.fault
    desktop.add(code=2)
    decision = desktop.fire("x")
    assert decision.stance is hookline.Stance.SILENT
    assert "exit code 2: no" in decision.verdicts[0].fault


@pytest.mark.parametrize("address", ["http://127.0.0.1:9/x", "http://169.254.169.254/x"])
def test_an_address_of_this_network_is_refused(desktop, address):
    """By the rules for all HTTP hooks."""
    decision = desktop.fire("x", webhook=address)
    assert "must not be called" in decision.verdicts[0].fault
    assert decision.stance is hookline.Stance.SILENT
