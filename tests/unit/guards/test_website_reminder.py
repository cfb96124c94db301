"""The guard `inject_website_reminder`: once a turn, and in the words of the user's choice."""

import pytest

import hookline


def make_engine(**options):
    """An engine with the guard."""
    hook = {"use": "inject_website_reminder", **({"with": options} if options else {})}
    return hookline.Engine.from_config(
        {"version": 1, "hooks": [hook]}, dialect="hookline", trust="all", environ={"HOME": "/x"}
    )


def request(engine, message="Make a page", session="s1"):
    """What the model is told at a request to it."""
    payload = {
        "event": "pre_llm_call",
        "session_id": session,
        "cwd": "/",
        "last_user_message": message,
    }
    return list(engine.fire("pre_llm_call", payload, dialect="starchild").for_agent)


def send(engine, message="Make a page"):
    """Let the user send a message."""
    payload = {"event": "on_user_message", "session_id": "s1", "cwd": "/", "message": message}
    engine.fire("on_user_message", payload, dialect="starchild")


def test_the_model_is_reminded_once_a_turn():
    """Not at each request; the next message of the user begins the next turn."""
    engine = make_engine()
    send(engine)
    assert "before you say that it is published" in request(engine)[0]
    assert request(engine) == []
    send(engine)
    assert len(request(engine)) == 1
    assert len(request(engine, session="s2")) == 1


def test_another_last_message_begins_a_turn():
    """Where hookline does not see the message of the user itself."""
    engine = make_engine(text="Publish first.")
    told = [request(engine, message) for message in ("a", "a", "b", "b")]
    assert told == [["Publish first."], [], ["Publish first."], []]


@pytest.mark.parametrize("messages", [None, "x", [], [1, {"role": "assistant"}]])
def test_requests_without_a_message_are_one_turn(messages):
    """They cannot be told apart."""
    engine = make_engine()
    payload = {"session_id": "s1", "cwd": "/", "messages": messages}
    told = [engine.fire("model.request", payload).for_agent for _ in range(2)]
    assert [len(each) for each in told] == [1, 0]


def test_the_last_message_of_a_list_counts():
    """In hosts that send all messages."""
    engine = make_engine()
    first = [{"role": "user", "content": "a"}]
    later = [*first, {"role": "assistant", "content": "x"}]
    for messages, count in ((first, 1), (later, 0), ([*later, *first[:0]], 0)):
        payload = {"session_id": "s1", "cwd": "/", "messages": messages}
        assert len(engine.fire("model.request", payload).for_agent) == count
