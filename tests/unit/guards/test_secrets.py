"""The guards `secrets` and `pii`, event by event, through an engine."""

import pytest

import hookline
from hookline import Stance

KEY = "sk-proj-" + "aB3dE6gH9jK2mN5pQ8sT1vW4yZ7b"
PHRASE = "legal winner thank year wave sausage worth useful legal winner thank yellow"
EVENTS = {"session_id": "s1", "cwd": "/"}


@pytest.fixture
def engine():
    return hookline.Engine.from_config(
        {"version": 1, "hooks": [{"use": "secrets"}, {"use": "pii"}]},
        dialect="hookline",
        trust="all",
    )


def fire(engine, event, **payload):
    return engine.fire(event, {**EVENTS, **payload})


def test_a_pasted_secret_is_refused_without_repeating_it(engine):
    """The model never sees a message with a secret, and the reason does not hold it."""
    decision = fire(engine, "prompt.submit", prompt=f"use {KEY} please")
    assert decision.stance is Stance.DENY
    assert "an OpenAI key" in decision.reason
    assert KEY not in str(decision.to_dict())
    assert (
        fire(engine, "prompt.submit", prompt="use the key of the project").stance is Stance.SILENT
    )


def test_a_name_beside_a_key_does_not_make_it_a_guess(engine):
    """A file that would hold a vendor's key is refused, whatever the variable is called."""
    key = "xoxb-280619205798-609605756670-" + "pLIix6MEOLeMa61EqJomTEI1"
    text = f"SLACK_BOT_TOKEN={key}\nSECRET={KEY}\n"
    decision = fire(engine, "tool.before", tool="write", input={"path": ".env", "content": text})

    assert decision.stance is Stance.DENY
    assert "a Slack token" in decision.reason


def test_a_secret_in_a_message_is_masked(engine):
    """A message tool sends the text without the secret, and the user is told."""
    payload = {"tool": "send_to_telegram", "input": {"message": f"key {KEY}", "chat": 7}}
    decision = fire(engine, "tool.before", **payload)
    assert decision.stance is Stance.SILENT
    assert decision.rewrite.value["message"] == "key [redacted: an OpenAI key]"
    assert decision.rewrite.value["chat"] == 7
    assert "masked an OpenAI key" in decision.for_user[0]


@pytest.mark.parametrize("event", ["tool.before", "message.outbound"])
def test_a_seed_phrase_is_never_sent(engine, event):
    """What cannot be masked is refused on its way out."""
    payload = {"tool": "send_message", "input": {"text": f"seed: {PHRASE}"}}
    if event == "message.outbound":
        payload = {"text": f"seed: {PHRASE}"}
    decision = fire(engine, event, **payload)
    assert decision.stance is Stance.DENY
    assert PHRASE not in str(decision.to_dict())


def test_a_written_secret_is_refused(engine):
    """A file does not get a secret; the removal of one is fine."""
    decision = fire(
        engine, "tool.before", tool="write", input={"path": "a.py", "content": f"k='{KEY}'"}
    )
    assert decision.stance is Stance.DENY
    edit = {"path": "a.py", "old_string": f"k='{KEY}'", "new_string": "k=os.environ['K']"}
    assert fire(engine, "tool.before", tool="edit", input=edit).stance is Stance.SILENT
    edits = {"path": "a.py", "edits": [{"oldText": f"k='{KEY}'", "newText": "k=1"}]}  # pi
    assert fire(engine, "tool.before", tool="edit", input=edits).stance is Stance.SILENT
    code = {"path": "a.py", "content": "password = 'hunter2!'\n"}
    assert fire(engine, "tool.before", tool="write", input=code).stance is Stance.SILENT


def test_results_and_replies_are_masked(engine):
    """What the agent and the user see has no secret, whatever the shape of the result."""
    result = {"output": [f"export K={KEY}"], "code": 0}
    decision = fire(engine, "tool.result", tool="shell", input={}, result=result)
    assert decision.rewrite.value == {"output": ["export K=[redacted: an OpenAI key]"], "code": 0}
    decision = fire(engine, "response.before", response=f"It is {KEY}.")
    assert decision.rewrite.value == "It is [redacted: an OpenAI key]."


def test_personal_data_is_masked_and_never_refused(engine):
    """`pii` masks e-mail addresses and numbers in replies and results."""
    decision = fire(engine, "response.before", response="Write to ada@firma.de or +49 30 1234567.")
    assert decision.stance is Stance.SILENT
    assert decision.rewrite.value == (
        "Write to [redacted: an e-mail address] or [redacted: a phone number]."
    )


def test_starchild_shows_the_ends_of_a_key():
    """In Starchild's events a vendor's key keeps its first and last characters."""
    engine = hookline.Engine.from_config(
        {"version": 1, "hooks": [{"use": "secrets"}]}, dialect="hookline", trust="all"
    )
    payload = {"event": "on_response_end", **EVENTS, "response": f"It is {KEY}."}
    decision = engine.fire("on_response_end", payload, dialect="starchild")
    assert decision.rewrite.value == f"It is {KEY[:6]}***{KEY[-4:]} [redacted]."
