"""Model hooks: a question over a real connection, bad replies to it, and its limits."""

from __future__ import annotations

import json
import threading
from typing import TYPE_CHECKING, Any

import pytest

from hookline.handlers import model_hook
from hookline.handlers.model_hook import ask_model
from hookline.handlers.table import perform_all
from hookline.model.verdict import Failure, RemoteHandlerError
from hookline.wire.providers import resolve_endpoint
from tests.unit.handlers.asking import SCHEMA, ask, at, chat, ended, message, model, run
from tests.unit.handlers.serving import (
    PATIENCE,
    Asked,
    closed_port,
    saying,
    serving,
)

if TYPE_CHECKING:
    from collections.abc import Callable


# -- what is asked ---------------------------------------------------------------------------------


def test_a_chat_completion_is_asked_for() -> None:
    """One request with the prompts and the limit on tokens, and without this environment."""
    with serving(saying(chat('{"decision": "deny"}'))) as service:
        outcome = ask(at(service), model(schema=SCHEMA, shape="verdict", most_tokens=77))
    (sent,) = service.sent
    body = json.loads(sent.body)

    assert (outcome.exit_code, outcome.stdout, outcome.failure) == (0, '{"decision": "deny"}', None)
    assert sent.path == "/v1/chat/completions"
    assert (sent.headers["authorization"], sent.headers["hookline-judging"]) == (
        "Bearer sk-open",
        "1",
    )
    assert set(sent.headers) <= {
        "host", "authorization", "accept", "content-type", "content-length", "accept-encoding",
        "user-agent", "connection",
        "hookline-judging",
    }  # fmt: skip
    assert body["messages"][0] == {"role": "system", "content": "Judge."}
    assert '"decision"' in body["messages"][1]["content"]
    assert body["messages"][-1] == {"role": "user", "content": "Is shell safe?"}
    assert (body["model"], body["max_completion_tokens"], body["temperature"], body["stream"]) == (
        "gpt-4o-mini",
        77,
        0.0,
        False,
    )


def test_a_message_is_asked_for() -> None:
    """Of Anthropic's interface."""
    with serving(saying(message("fine"))) as service:
        outcome = ask(at(service), model("anthropic/claude-haiku-4-5"))
    (sent,) = service.sent
    body = json.loads(sent.body)

    assert (outcome.stdout, outcome.failure, sent.headers["hookline-judging"]) == (
        "fine",
        None,
        "1",
    )
    assert sent.path == "/v1/messages"
    assert "sk-ant" in sent.headers.get("authorization", "") + sent.headers.get("x-api-key", "")
    assert "sk-open" not in str(sent.headers)
    assert (body["model"], body["max_tokens"], body["temperature"]) == (
        "claude-haiku-4-5",
        1024,
        0.0,
    )
    assert body["messages"][0]["content"][0]["text"] == "Is shell safe?"


@pytest.mark.parametrize("name", ["openai/gpt-5.6", "openai/o4-mini", "anthropic/claude-haiku-5-5"])
def test_a_model_that_takes_no_temperature_is_sent_none(name: str) -> None:
    """It would refuse the call."""
    with serving(saying(message("x") if name.startswith("anthropic") else chat("x"))) as service:
        outcome = ask(at(service), model(name))

    assert outcome.failure is None
    assert "temperature" not in json.loads(service.sent[0].body)


@pytest.mark.parametrize(
    ("name", "keys"),
    [
        ("openai/gpt-4o-mini", ("response_format", "json_schema", "schema")),
        ("anthropic/claude-haiku-4-5", ("output_config", "format", "schema")),
        ("anthropic/claude-3-haiku-20240307", ()),
        ("mistral/mistral-small", ()),
    ],
)
def test_a_provider_at_its_own_address_is_bound_to_the_schema(
    name: str, keys: tuple[str, ...]
) -> None:
    """Elsewhere the schema stands in the instructions, because not every API has more."""
    asked = model(name, schema=SCHEMA, shape="verdict")
    keyed = {"OPENAI_API_KEY": "k", "ANTHROPIC_API_KEY": "k", "MISTRAL_API_KEY": "k"}
    sent: list[bytes] = []

    def send(_address: str, _method: str, body: bytes, _headers: object) -> str:
        sent.append(body)
        raise RemoteHandlerError(Failure.REJECTED, "no")

    with pytest.raises(RemoteHandlerError, match="no"):
        model_hook.ask(resolve_endpoint(asked, keyed), asked, "?", send)
    found: Any = json.loads(sent[0]) if keys else {}
    for key in keys:
        found = found[key]

    assert set(found) == (set(SCHEMA) if keys else set())
    assert (b"Reply with one JSON object" in sent[0]) == (not keys)


def test_a_local_interface_is_asked_as_it_is_used_to() -> None:
    """Without a key where there is none, and with the older name of the bound on tokens."""
    with serving(saying(chat("hi"))) as service:
        outcome = ask({}, model("acme/tiny", base_url=service.url("/v1"), schema=SCHEMA))
    body = json.loads(service.sent[0].body)

    assert outcome.stdout == "hi"
    assert "authorization" not in service.sent[0].headers
    assert body["max_tokens"] == 1024
    assert "response_format" not in body


def test_what_libraries_take_from_the_environment_is_not_sent(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Only the hook's environment counts, for headers, keys and proxies."""
    for name, value in {
        "OPENAI_ORG_ID": "org", "OPENAI_CUSTOM_HEADERS": "x-secret: 1",
        "ANTHROPIC_AUTH_TOKEN": "other", "ANTHROPIC_CUSTOM_HEADERS": "x-secret: 2",
        "HTTP_PROXY": f"http://127.0.0.1:{closed_port()}",
        "ALL_PROXY": f"http://127.0.0.1:{closed_port()}", "OPENAI_API_KEY": "other",
    }.items():  # fmt: skip
        monkeypatch.setenv(name, value)
    with serving(
        lambda asked: asked.say(message("x") if asked.path == "/v1/messages" else chat("x"))
    ) as service:
        outcomes = [
            ask(at(service), model(name))
            for name in ("openai/gpt-4o", "anthropic/claude-haiku-4-5")
        ]

    assert [outcome.failure for outcome in outcomes] == [None, None]
    assert not any(
        word in str(sent.headers) for sent in service.sent for word in ("org", "x-secret", "other")
    )


def test_half_a_character_is_sent_as_a_whole_one() -> None:
    """A payload may hold what no UTF-8 can say."""
    with serving(saying(chat("x"))) as service:
        outcome = ask_model(
            model(),
            '{"tool_name": "\\ud800"}',
            seconds=PATIENCE,
            environ=at(service),
        )

    assert outcome.failure is None
    assert json.loads(service.sent[0].body)["messages"][-1]["content"] == "Is ? safe?"


# -- what comes back -------------------------------------------------------------------------------


def compressed(asked: Asked) -> None:
    asked.say(b"\x1f\x8b\x08\x00", Content_Encoding="gzip")


ANSWERS: list[tuple[str, Callable[[Asked], None], Failure, str]] = [
    (
        "an error of the provider's",
        saying("boom", 500),
        Failure.REJECTED,
        "500 Internal Server Error",
    ),
    (
        "too many requests, which are not repeated",
        saying("{}", 429, Retry_After="0"),
        Failure.REJECTED,
        "429 Too Many Requests",
    ),
    (
        "a key that is not taken",
        saying('{"error": "sk-open"}', 401),
        Failure.REJECTED,
        "401 Unauthorized",
    ),
    (
        "a redirect",
        saying("", 307, Location="http://127.0.0.1:1/"),
        Failure.REJECTED,
        "redirects are not followed",
    ),
    ("no JSON", saying("<html>"), Failure.UNREADABLE, "no JSON"),
    ("JSON of another shape", saying('{"choices": "none"}'), Failure.UNREADABLE, "no reply"),
    ("a list", saying("[]"), Failure.UNREADABLE, "no reply"),
    ("no choices", saying(chat("x") | {"choices": []}), Failure.UNREADABLE, "no reply"),
    ("more than there may be", saying(chat("x" * 5000)), Failure.FLOODED, "more than 4,000 bytes"),
    ("compressed", compressed, Failure.UNREADABLE, "no text in UTF-8"),
    ("half of it", saying("{", length=100), Failure.UNREADABLE, "it broke off"),
    (
        "nothing at all",
        lambda asked: asked.connection.close(),
        Failure.UNREACHABLE,
        "it hung up without an answer",
    ),
    (
        "no HTTP",
        lambda asked: asked.wfile.write(b"SSH-2.0\r\n\r\n"),
        Failure.UNREADABLE,
        "it does not speak HTTP",
    ),
    (
        "a reply that was cut off",
        saying(ended("length")),
        Failure.UNREADABLE,
        "the model's reply was cut off at 1,024 tokens",
    ),
    (
        "a reply that was held back",
        saying(ended("content_filter")),
        Failure.UNREADABLE,
        "did not come to its end",
    ),
    (
        "a reply that ended oddly",
        saying(ended("guardrail_intervened")),
        Failure.UNREADABLE,
        "did not come to its end",
    ),
]


@pytest.mark.parametrize(
    ("what", "answer", "failure", "detail"), ANSWERS, ids=[what for what, *_ in ANSWERS]
)
def test_an_answer_without_a_reply_is_a_failure(
    what: str, answer: Callable[[Asked], None], failure: Failure, detail: str
) -> None:
    """It says what went wrong, repeats no text of the service, and is not tried again."""
    with serving(answer) as service:
        outcome = ask(at(service), largest=4000)

    assert outcome.failure is failure
    assert detail in outcome.detail
    assert "sk-open" not in outcome.detail
    assert len(service.sent) == 1


@pytest.mark.parametrize(
    ("how", "detail"),
    [
        ("max_tokens", "was cut off at 1,024 tokens"),
        ("refusal", "did not come to its end"),
        ("pause_turn", "did not come to its end"),
    ],
)
def test_a_message_that_does_not_end_by_itself_is_a_failure(how: str, detail: str) -> None:
    """Its text may be readable and permit the call."""
    with serving(saying({**message('{"decision": "allow"}'), "stop_reason": how})) as service:
        outcome = ask(at(service), model("anthropic/claude-haiku-4-5"))

    assert (outcome.failure, outcome.stdout) == (Failure.UNREADABLE, "")
    assert detail in outcome.detail


@pytest.mark.parametrize("text", ["", None])
def test_an_empty_reply_is_a_reply(text: str | None) -> None:
    """What it means is the dialect's affair."""
    with serving(saying(chat(text))) as service:
        outcome = ask(at(service))

    assert (outcome.stdout, outcome.failure) in (("", None), ("", Failure.UNREADABLE))


def test_a_missing_service_is_a_failure() -> None:
    """The port is closed."""
    outcome = ask(
        {"OPENAI_BASE_URL": f"http://127.0.0.1:{closed_port()}/v1", "OPENAI_API_KEY": "k"}
    )

    assert (outcome.failure, outcome.detail) == (Failure.UNREACHABLE, "connection refused")


# -- time ------------------------------------------------------------------------------------------


def test_a_provider_that_hangs_is_not_waited_for() -> None:
    """The call ends at the hook's time limit."""
    with serving(Asked.hang) as service:
        outcome = ask(at(service), seconds=0.3)

    assert outcome.failure is Failure.TIMED_OUT
    assert 0.2 < outcome.seconds < PATIENCE / 2


def test_a_provider_that_answers_drop_by_drop_is_not_waited_for() -> None:
    """The limit is of the whole call, not of each byte."""

    def drip(asked: Asked) -> None:
        asked.send_response(200)
        asked.send_header("Content-Length", "1000000")
        asked.end_headers()
        while not asked.server.released.wait(0.01):
            asked.wfile.write(b" ")
            asked.wfile.flush()

    with serving(drip) as service:
        (outcome,) = perform_all([run(model(), timeout=0.3)], environ=at(service))

    assert outcome.failure is Failure.TIMED_OUT


def test_a_closed_socket_ends_the_call() -> None:
    """It is how a batch of calls is given up."""
    with serving(Asked.hang) as service:
        outcome = ask(
            at(service), opened=lambda sock: threading.Timer(0.1, sock.shutdown, (2,)).start()
        )

    assert outcome.failure is Failure.UNREACHABLE
    assert outcome.seconds < PATIENCE / 2


def test_a_call_that_is_cancelled_before_it_began_asks_no_model() -> None:
    """The socket is refused."""

    def refuse(_: object) -> None:
        raise ConnectionAbortedError

    with serving(saying(chat("x"))) as service:
        outcome = ask(at(service), opened=refuse)

    assert (outcome.failure, service.sent) == (Failure.UNREACHABLE, [])
