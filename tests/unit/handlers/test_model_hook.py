"""Judge: a question over a real connection, everything that its other side may do, and the bounds of asking."""

from __future__ import annotations

import json
import subprocess
import sys
import threading
from typing import TYPE_CHECKING, Any

import pytest

from hookline.core.dispatch import Run
from hookline.engine.engine import Engine
from hookline.handlers.model_hook import MOST_AT_ONCE, CallCounter, ask_model, make_request
from hookline.handlers.process_spec import Cancel
from hookline.handlers.table import perform_all
from hookline.model.event import Event
from hookline.model.handler import Command, Model
from hookline.model.outcome import Failure, Outcome
from hookline.model.spec import HookSpec
from hookline.wire.providers import resolve_endpoint
from tests.unit.handlers.serving import (
    PATIENCE,
    Asked,
    Service,
    closed_port,
    resolving,
    saying,
    serving,
)

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from hookline.model.verdict import Decision

SCHEMA = {
    "type": "object",
    "properties": {"decision": {"type": "string"}},
    "required": ["decision"],
    "additionalProperties": False,
}
PAYLOAD = '{"session_id": "s", "tool_name": "shell"}\n'


def chat(text: str | None, **fields: Any) -> dict[str, Any]:
    """A chat completion as OpenAI's interface answers it."""
    choice = {
        "index": 0,
        "finish_reason": "stop",
        "message": {"role": "assistant", "content": text},
    }
    return {
        "id": "c",
        "object": "chat.completion",
        "created": 1,
        "model": "m",
        "choices": [choice],
        **fields,
    }


def ended(how: str) -> dict[str, Any]:
    """A chat completion that permits something, and came to an end in some way."""
    said = chat('{"decision": "allow"}')
    return {**said, "choices": [{**said["choices"][0], "finish_reason": how}]}


def message(text: str) -> dict[str, Any]:
    """A message as Anthropic's interface answers it."""
    said = {
        "id": "m",
        "type": "message",
        "role": "assistant",
        "model": "m",
        "content": [{"type": "text", "text": text}],
    }
    return {
        **said,
        "stop_reason": "end_turn",
        "stop_sequence": None,
        "usage": {"input_tokens": 1, "output_tokens": 1},
    }


def model(name: str = "openai/gpt-4o-mini", **fields: Any) -> Model:
    return Model(
        **{"names": (name,), "prompt": "Is {{ .ToolName }} safe?", "system": "Judge.", **fields}
    )


def at(service: Service, **more: str) -> dict[str, str]:
    """An environment in which both providers are this service."""
    return {
        "OPENAI_BASE_URL": service.url("/v1"), "OPENAI_API_KEY": "sk-open", "ANTHROPIC_BASE_URL": service.url(""), "ANTHROPIC_API_KEY": "sk-ant",
        **more,
    }  # fmt: skip


def ask(environ: Mapping[str, str], asked: Model | None = None, **options: Any) -> Outcome:
    return ask_model(
        asked or model(),
        PAYLOAD,
        **{"seconds": PATIENCE, "environ": environ, "counter": CallCounter(), **options},
    )


# -- what is asked -------------------------------------------------------------------------------------------------------


def test_a_chat_completion_is_asked_for() -> None:
    """One request, with the filled prompt, the system prompt, the bound on tokens, and nothing of this process's environment."""
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
        "host", "authorization", "accept", "content-type", "content-length", "accept-encoding", "user-agent", "connection",
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
    """Elsewhere the schema is a part of the instructions only, because not every interface knows more."""
    asked = model(name, schema=SCHEMA, shape="verdict")
    keyed = {"OPENAI_API_KEY": "k", "ANTHROPIC_API_KEY": "k", "MISTRAL_API_KEY": "k"}
    _, _, body = make_request(resolve_endpoint(asked, keyed), asked, "?")
    found: Any = body if keys else None
    for key in keys:
        found = found[key]

    assert found == (SCHEMA if keys else None)
    assert ("Reply with one JSON object" in json.dumps(body)) == (not keys)


def test_thoughts_before_a_reply_are_no_part_of_it() -> None:
    """As models on this machine write them."""
    with serving(saying(chat('<think>"allow"?\nno</think>\n{"decision": "deny"}'))) as service:
        outcome = ask(at(service))

    assert outcome.stdout == '{"decision": "deny"}'


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
    """Neither headers nor keys nor a proxy: the hook's environment is an argument."""
    for name, value in {
        "OPENAI_ORG_ID": "org", "OPENAI_CUSTOM_HEADERS": "x-secret: 1", "ANTHROPIC_AUTH_TOKEN": "other", "ANTHROPIC_CUSTOM_HEADERS": "x-secret: 2",
        "HTTP_PROXY": f"http://127.0.0.1:{closed_port()}", "ALL_PROXY": f"http://127.0.0.1:{closed_port()}", "OPENAI_API_KEY": "other",
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
            counter=CallCounter(),
        )

    assert outcome.failure is None
    assert json.loads(service.sent[0].body)["messages"][-1]["content"] == "Is ? safe?"


# -- what comes back -----------------------------------------------------------------------------------------------------


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
    """Which says what went wrong, is not tried again, and repeats nothing that the other side chose."""
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
    """Although what there is of it can be read, and permits."""
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


def test_nobody_there_is_a_failure() -> None:
    """The port is closed."""
    outcome = ask(
        {"OPENAI_BASE_URL": f"http://127.0.0.1:{closed_port()}/v1", "OPENAI_API_KEY": "k"}
    )

    assert (outcome.failure, outcome.detail) == (Failure.UNREACHABLE, "connection refused")


# -- time ----------------------------------------------------------------------------------------------------------------


def test_a_provider_that_hangs_is_not_waited_for() -> None:
    """Longer than the hook may take."""
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


def test_whoever_shuts_the_socket_ends_the_call() -> None:
    """It is how a batch of calls is given up."""
    with serving(Asked.hang) as service:
        outcome = ask(
            at(service), opened=lambda sock: threading.Timer(0.1, sock.shutdown, (2,)).start()
        )

    assert outcome.failure is Failure.UNREACHABLE
    assert outcome.seconds < PATIENCE / 2


def test_a_call_that_was_given_up_before_it_began_asks_nobody() -> None:
    """The socket is refused."""

    def refuse(_: object) -> None:
        raise ConnectionAbortedError

    with serving(saying(chat("x"))) as service:
        outcome = ask(at(service), opened=refuse)

    assert (outcome.failure, service.sent) == (Failure.UNREACHABLE, [])


# -- bounds --------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("environ", "asked", "detail"),
    [
        ({}, model(), "the variable `OPENAI_API_KEY`, which holds the key of openai, is not set"),
        ({}, model("nobody/x"), "names no provider"),
        ({"OPENAI_API_KEY": "k"}, model(prompt="{{ .a | nope }}"), "no function `nope`"),
        (
            {"OPENAI_API_KEY": "k", "HOOKLINE_MODEL_CALLS": "many"},
            model(),
            "`HOOKLINE_MODEL_CALLS=many` is no number of calls",
        ),
    ],
)
def test_what_is_wrong_on_this_side_is_said_before_anybody_is_asked(
    environ: dict[str, str], asked: Model, detail: str
) -> None:
    """It is a failure to start."""
    outcome = ask(environ, asked)

    assert outcome.failure is Failure.NOT_STARTED
    assert detail in outcome.detail


def test_a_session_has_so_many_calls() -> None:
    """Beyond them its hooks fail, and say so; another session has its own."""
    tally = CallCounter()
    with serving(saying(chat("x"))) as service:
        environ = at(service, HOOKLINE_MODEL_CALLS="2")
        outcomes = [ask(environ, counter=tally) for _ in range(4)]
        other = ask_model(
            model(), '{"session_id": "t"}', seconds=PATIENCE, environ=environ, counter=tally
        )

    assert [outcome.failure for outcome in outcomes] == [
        None,
        None,
        Failure.NOT_STARTED,
        Failure.NOT_STARTED,
    ]
    assert "this session has had its 2 model calls" in outcomes[-1].detail
    assert (other.failure, len(service.sent)) == (None, 3)


def test_sessions_are_forgotten_in_the_order_in_which_they_asked() -> None:
    """So that a server that lives long does not remember them all."""
    tally = CallCounter()
    for number in range(1100):
        tally.count(str(number), 1)
    tally.count("0", 1)

    with pytest.raises(Exception, match="has had its 1 model calls"):
        tally.count("1099", 1)


def test_a_long_prompt_is_cut_and_says_so() -> None:
    """At the hook's own bound; nothing of what its author wrote is missing."""
    with serving(saying(chat("x"))) as service:
        ask_model(
            model(prompt="{{ .ToolName }}" + "y" * 45, most_prompt=50), '{"tool_name": "shell and more"}',
            seconds=PATIENCE, environ=at(service), counter=CallCounter(),
        )  # fmt: skip
    prompt = json.loads(service.sent[0].body)["messages"][-1]["content"]

    assert prompt.startswith(
        "shell…[9 characters cut off]" + "y" * 45 + "\n\n[What was quoted of the event is longer"
    )


# -- who is called -------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "place",
    [
        "169.254.169.254",
        "fd00:ec2::254",
        "100.100.100.200",
        "169.254.1.1",
        "64:ff9b::a9fe:a9fe",
        "0.0.0.0",
    ],
)
def test_a_name_that_stands_for_what_nobody_may_call_is_not_dialled(place: str) -> None:
    """What counts is what the one look-up said; no socket is made, and no key is sent."""
    opened: list[Any] = []
    environ = {"OPENAI_BASE_URL": "https://meta.example/v1", "OPENAI_API_KEY": "k"}
    outcomes = [
        ask(
            environ,
            model(allow_local=allow_local),
            resolve=resolving(*places),
            opened=opened.append,
        )
        for allow_local, places in ((True, ("127.0.0.1", place)), (False, ("93.184.216.34", place)))
    ]

    assert ([outcome.failure for outcome in outcomes], opened) == ([Failure.UNREACHABLE] * 2, [])
    assert all(f"`meta.example` resolves to `{place}`" in outcome.detail for outcome in outcomes)


@pytest.mark.parametrize("place", ["127.0.0.1", "10.0.0.1", "::1", "fd00::1", "::ffff:127.0.0.1"])
@pytest.mark.parametrize(
    "environ",
    [
        {},
        {"OPENAI_BASE_URL": "https://far.example/v1"},
        {"OPENAI_BASE_URL": "http://far.example/v1", "OPENAI_API_KEY": ""},
    ],
)
def test_a_public_name_leads_to_no_local_address(place: str, environ: dict[str, str]) -> None:
    """Whoever owns the name does not choose whom of this network we call; the author of the address may allow it."""
    opened: list[Any] = []

    def refuse(sock: Any) -> None:
        opened.append(sock)
        raise ConnectionAbortedError

    given = {"OPENAI_API_KEY": "k", **environ}
    outcome = ask(given, resolve=resolving("93.184.216.34", place), opened=refuse)

    assert (outcome.failure, opened) == (Failure.UNREACHABLE, [])
    assert "`-o allow_local=true`" in outcome.detail
    ask(given, model(allow_local=True), resolve=resolving(place), opened=refuse)
    assert len(opened) == bool(environ)


def test_who_is_called_is_who_was_looked_up() -> None:
    """Once, for the one connection; a second answer of its name's owner would come too late."""
    asked: list[str] = []
    with serving(saying(chat("x"))) as service:
        environ = {
            "OPENAI_BASE_URL": service.url("/v1", host="near.example"),
            "OPENAI_API_KEY": "k",
        }
        outcome = ask(environ, model(allow_local=True), resolve=resolving("127.0.0.1", asked=asked))

    assert (outcome.stdout, asked, len(service.sent)) == ("x", ["near.example"], 1)
    assert service.sent[0].headers["host"].startswith("near.example:")


@pytest.mark.parametrize(
    "places", [("93.184.216.34",), ("127.0.0.1", "93.184.216.34"), ("2606:2800:21f:cb07::1",)]
)
def test_a_key_goes_unencrypted_to_no_public_address(places: tuple[str, ...]) -> None:
    """Nobody is connected to; without a key, or with TLS, one is tried."""
    opened: list[Any] = []

    def refuse(sock: Any) -> None:
        opened.append(sock)
        raise ConnectionAbortedError

    plain = {"OPENAI_BASE_URL": "http://far.example/v1", "OPENAI_API_KEY": "k"}
    outcome = ask(plain, model(allow_local=True), resolve=resolving(*places), opened=refuse)

    assert (outcome.failure, opened) == (Failure.UNREACHABLE, [])
    assert "a key would be sent to it unencrypted" in outcome.detail
    for other in ({"OPENAI_API_KEY": ""}, {"OPENAI_BASE_URL": "https://far.example/v1"}):
        ask(plain | other, model(allow_local=True), resolve=resolving(*places), opened=refuse)
    assert len(opened) == 2


def test_a_look_up_that_hangs_is_not_waited_for() -> None:
    """By a batch; and its thread keeps no process from its end."""
    code = """
import socket, threading
from hookline.handlers.table import perform_all
from tests.unit.handlers.test_model_hook import model, run
socket.getaddrinfo = lambda *_, **__: threading.Event().wait()
from hookline.handlers import http, model_hook
model_hook.ask_model.__kwdefaults__["resolve"] = socket.getaddrinfo
environ = {"OPENAI_BASE_URL": "http://slow.example/v1", "OPENAI_API_KEY": "k"}
print(perform_all([run(model(), timeout=0.2)], environ=environ)[0].failure.name)
"""
    done = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, timeout=60, check=False
    )

    assert (done.stdout, done.returncode) == ("TIMED_OUT\n", 0), done.stderr


# -- no way round --------------------------------------------------------------------------------------------------------


def test_a_provider_that_asks_again_from_another_thread_ends() -> None:
    """In whatever session: each question leads to the next, until one gets no turn, and then all of them are answered."""
    asks = {
        "type": "model",
        "model": "openai/m",
        "prompt": "?",
        "schema": "pre_tool_use_decision",
        "timeout": 4,
    }
    said: list[Decision] = []

    def again(asked: Asked) -> None:
        said.append(
            engine.fire(
                "pre_tool_use",
                {"session_id": str(len(service.sent)), "tool_name": "shell"},
                dialect="docker-agent",
            )
        )
        asked.say(chat('{"decision": "deny", "reason": "a loop"}'))

    with serving(again) as service:
        tree = {"hooks": {"pre_tool_use": [{"hooks": [asks]}]}}
        engine = Engine.from_config(tree, dialect="docker-agent", environ=at(service))
        outermost = engine.fire(
            "pre_tool_use", {"session_id": "s", "tool_name": "shell"}, dialect="docker-agent"
        )

    assert len(service.sent) == len(said) == MOST_AT_ONCE
    assert outermost.reason == "a loop"
    assert f"this process has {MOST_AT_ONCE} questions to models under way" in said[0].reason
    assert {decision.reason for decision in said[1:]} == {"a loop"}


def test_a_question_waits_for_its_turn() -> None:
    """For a part of its time; without one nobody is asked, and the session's calls are not counted."""
    turns, counted = threading.BoundedSemaphore(1), CallCounter()
    turns.acquire()
    with serving(saying(chat("x"))) as service:
        refused = ask(at(service), seconds=0.2, turns=turns, counter=counted)
        turns.release()
        asked = [
            ask(at(service, HOOKLINE_MODEL_CALLS="2"), turns=turns, counter=counted)
            for _ in range(2)
        ]

    assert (refused.failure, refused.stdout) == (Failure.NOT_STARTED, "")
    assert [outcome.stdout for outcome in asked] == ["x", "x"]
    assert len(service.sent) == 2
    assert turns.acquire(blocking=False)


# -- in a batch ----------------------------------------------------------------------------------------------------------


def run(handler: Model | Command, *, timeout: float = PATIENCE) -> Run:
    spec = HookSpec(
        id="h",
        dialect="docker-agent",
        kind="tool.before",
        native_event="pre_tool_use",
        handler=handler,
        timeout=timeout,
    )
    return Run(spec=spec, event=Event(kind="tool.before"), payload=PAYLOAD)


@pytest.mark.process
def test_models_are_asked_at_once_beside_commands() -> None:
    """Two questions that wait for each other both get their reply, in the order of the runs."""
    both = threading.Barrier(2)

    def together(asked: Asked) -> None:
        both.wait(PATIENCE)
        asked.say(chat("x"))

    with serving(together) as service:
        runs = [run(model()), run(Command(argv=("printf", "c"))), run(model())]
        outcomes = perform_all(runs, environ=at(service, PATH="/usr/bin:/bin"))

    assert [outcome.stdout for outcome in outcomes] == ["x", "c", "x"]


def test_a_cancellation_ends_the_wait_for_a_model() -> None:
    """And the connection, so that nobody pays for the rest of the reply."""
    cancel = Cancel()
    gone = threading.Event()

    def cancelled(asked: Asked) -> None:
        cancel.set()
        if asked.hung_up():
            gone.set()

    with serving(cancelled) as service:
        (outcome,) = perform_all(
            [run(model(), timeout=PATIENCE)], cancel=cancel, environ=at(service)
        )
        assert gone.wait(PATIENCE)
    cancel.close()

    assert outcome.failure is Failure.CANCELLED


def test_a_batch_does_not_wait_longer_than_its_hook() -> None:
    """As an HTTP hook's would not."""
    with serving(Asked.hang) as service:
        (outcome,) = perform_all([run(model(), timeout=0.3)], environ=at(service))

    assert outcome.failure is Failure.TIMED_OUT
