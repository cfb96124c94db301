"""An agent asks an engine that is elsewhere, by every transport, as if it were here."""

from __future__ import annotations

import asyncio
import json
from concurrent.futures import ThreadPoolExecutor
from typing import TYPE_CHECKING, Any

import pytest

from hookline import CodecError, Engine, HookError, Stance, context, deny, note, retry, rewrite
from hookline.errors import CODES
from hookline.remote import Client, Opened, SyncClient, serve_engine
from hookline.remote.client import _Asking, parse_decision
from hookline.remote.grpc_transport import REMOTE
from hookline.remote.proto import bridge_pb2 as pb
from tests.unit.remote.support import CALL, OTHER, TOKEN, TRANSPORTS, addresses

if TYPE_CHECKING:
    from collections.abc import Iterator


class Served:
    def __init__(self, opened: Opened, engine: Engine, token: str) -> None:
        self.opened, self.engine, self.token = opened, engine, token
        self.address = opened.addresses[0]


@pytest.fixture(params=TRANSPORTS)
def served(request: pytest.FixtureRequest, tmp_path) -> Iterator[Served]:
    """An engine with a guard, at an address of each transport."""
    address, token = addresses(tmp_path)[request.param]
    engine = Engine()
    engine.on("tool.before", command="rm")(lambda event: deny(f"no {event.session_id}"))
    with serve_engine(engine, address, token=token) as opened:
        yield Served(opened, engine, token)


def timeless(decision) -> dict:
    """A decision document without its times."""
    document = decision.to_dict()
    return document | {
        "seconds": 0,
        "verdicts": [verdict | {"seconds": 0} for verdict in document["verdicts"]],
    }


def test_a_decision_is_the_one_that_the_engine_made(served: Served) -> None:
    """With and without an event loop."""
    here = [
        timeless(served.engine.fire("pre_tool_use", payload, dialect="a3s"))
        for payload in (CALL, OTHER)
    ]

    async def asked() -> list[dict]:
        async with Client(served.address, token=served.token) as client:
            return [
                timeless(await client.fire("pre_tool_use", payload, dialect="a3s"))
                for payload in (CALL, OTHER)
            ]

    with SyncClient(served.address, token=served.token) as client:
        assert [
            timeless(client.fire("pre_tool_use", payload, dialect="a3s", seconds=5))
            for payload in (CALL, OTHER)
        ] == here
    assert asyncio.run(asked()) == here


def test_a_reply_is_the_one_that_the_host_reads(served: Served) -> None:
    """From an object, or from the text that the host sent."""
    payload = {"event_type": "pre_tool_use", "payload": CALL}
    here = served.engine.answer("a3s", payload)
    with SyncClient(served.address, token=served.token) as client:
        assert client.answer("a3s", payload) == here
        assert (
            client.answer(
                "a3s", '{"event_type": "pre_tool_use", "payload": {"tool": "Read"}}'
            ).exit_code
            == 0
        )
        with pytest.raises(HookError, match="no JSON"):
            client.answer("a3s", "{")
        with pytest.raises(HookError, match="klingon"):
            client.answer("klingon", {})


def test_two_hundred_events_on_a_stream_are_told_apart(served: Served) -> None:
    """Each reply finds its request."""

    async def asked() -> list[str]:
        async with Client(served.address, token=served.token) as client, client.stream() as stream:
            fired = (
                stream.fire("pre_tool_use", {**CALL, "session_id": f"{at}"}, dialect="a3s")
                for at in range(200)
            )
            return [decision.reason for decision in await asyncio.gather(*fired)]

    assert asyncio.run(asked()) == [f"no {at}" for at in range(200)]


def test_a_stream_is_for_several_threads(served: Served) -> None:
    """Programs without an event loop can use one stream from several threads."""
    with (
        SyncClient(served.address, token=served.token) as client,
        client.stream() as stream,
        ThreadPoolExecutor(8) as threads,
    ):
        reasons = threads.map(
            lambda at: (
                stream.fire("pre_tool_use", {**CALL, "session_id": f"{at}"}, dialect="a3s").reason
            ),
            range(50),
        )

        assert list(reasons) == [f"no {at}" for at in range(50)]
        with pytest.raises(HookError, match="klingon"):
            stream.fire("klingon_event", {}, dialect="a3s")


def test_an_engine_that_ends_is_an_error(served: Served) -> None:
    """Calls and open streams raise an error, and return no decision."""
    with SyncClient(served.address, token=served.token) as client, client.stream() as stream:
        assert stream.fire("pre_tool_use", CALL, dialect="a3s").stance is Stance.DENY
        served.opened.close(0)
        for ask in (stream.fire, client.fire):
            with pytest.raises(HookError) as caught:
                ask("pre_tool_use", CALL, dialect="a3s")
            assert caught.value.name == "remote.unreachable"


def test_a_payload_that_is_no_json_is_not_sent(served: Served) -> None:
    """The fault is the caller's."""
    with (
        SyncClient(served.address, token=served.token) as client,
        pytest.raises(CodecError, match="cannot be sent"),
    ):
        client.fire("pre_tool_use", {"args": object()}, dialect="a3s")


def test_without_the_token_no_client_is_answered(tmp_path) -> None:
    """Single calls, streams and replies."""
    with serve_engine(Engine(), "127.0.0.1:0", token=TOKEN) as opened:
        for token in ("", "wrong", "righ", "rightt"):
            with SyncClient(opened.addresses[0], token=token) as client:
                with pytest.raises(HookError, match="the token is missing or wrong") as caught:
                    client.fire("pre_tool_use", CALL, dialect="a3s")
                assert caught.value.name == "remote.token"
                with pytest.raises(HookError, match="token"), client.stream() as stream:
                    stream.fire("pre_tool_use", CALL, dialect="a3s")
                with pytest.raises(HookError, match="token"):
                    client.answer("a3s", {})


def test_a_missing_engine_is_an_error(tmp_path) -> None:
    """Calls and streams raise an error that says how to go on."""
    with SyncClient(f"unix:{tmp_path}/x") as client, client.stream() as stream:
        for asking in (client, stream):
            with pytest.raises(HookError, match="a gate must deny") as caught:
                asking.fire("pre_tool_use", CALL, dialect="a3s")
            assert caught.value.name == "remote.unreachable"


# -- what is sent, and what comes back -------------------------------------------------------------


class Asked(_Asking):
    """What fires events at an engine that is a test."""

    def __init__(self, reply: pb.FireReply) -> None:
        self.reply = reply
        self.sent: list[pb.FireRequest] = []

    async def _exchange(self, request: pb.FireRequest) -> pb.FireReply:
        self.sent.append(request)
        return self.reply


def ask(reply: pb.FireReply, payload: Any = None, **more: Any) -> Any:
    """What comes back for an event."""
    return REMOTE.run(Asked(reply).fire("stop", payload, **more))


@pytest.mark.parametrize(
    ("seconds", "budget"), [(0, 0), (0.0001, 1), (1.5, 1500)], ids=["none", "least", "some"]
)
def test_a_time_limit_is_whole_milliseconds(seconds: float, budget: int) -> None:
    """Never 0 where there is one, because 0 is none.

    Without a payload an event has an empty one.
    """
    asked = Asked(pb.FireReply(error_code="HKL9001"))
    with pytest.raises(HookError):
        REMOTE.run(asked.fire("stop", seconds=seconds))

    assert (asked.sent[0].budget_ms, asked.sent[0].payload_json) == (budget, b"{}")


def test_a_time_that_is_over_is_an_error() -> None:
    """The client sends nothing."""
    with pytest.raises(ValueError, match="range"):
        ask(pb.FireReply(), seconds=-1)


def _endless() -> dict[str, Any]:
    inside: dict[str, Any] = {}
    inside["again"] = inside
    return inside


@pytest.mark.parametrize(
    "payload", [{"a": object()}, {"a": float("nan")}, _endless()], ids=["object", "nan", "endless"]
)
def test_what_is_no_json_is_not_sent(payload: dict[str, Any]) -> None:
    """The client raises the error."""
    with pytest.raises(CodecError, match="cannot be sent"):
        ask(pb.FireReply(), payload)


WRONG = [b"", b"{", b"[" * 100_000, b"\xff", b"null", b"[]", b"{}", b'{"schema": "other/1"}']
WRONG += [b'{"schema": "hookline.decision/1"}', b'{"schema": "hookline.decision/1", "stance": "?"}']


@pytest.mark.parametrize("text", WRONG, ids=lambda text: repr(text[:40]))
def test_what_is_no_decision_is_an_error(text: bytes) -> None:
    """The client never takes it for a yes."""
    with pytest.raises(CodecError, match=r"no decision|not a document"):
        ask(pb.FireReply(decision_json=text))


def test_an_error_of_the_engine_has_its_code_and_words() -> None:
    """The client accepts unknown codes, which a later version may send."""
    for code, name in ((CODES["serve.busy"], "serve.busy"), ("HKL0000", "remote.unreachable")):
        with pytest.raises(HookError, match="the words") as caught:
            ask(pb.FireReply(error_code=code, error="the words"))
        assert caught.value.name == name


ANSWERS: dict[str, Any] = {
    "nothing": lambda _: None,
    "a denial": lambda _: deny("no", evidence={"a": 1}),
    "a rewrite": lambda _: rewrite({"command": "pwd"}),
    "words": lambda _: context("for the agent"),
    "a note": lambda _: note("for the user"),
    "a retry": lambda _: retry(3, "later"),
    "a fault": lambda _: 1 / 0,
}


@pytest.mark.parametrize("answer", ANSWERS.values(), ids=ANSWERS)
@pytest.mark.parametrize("event", ["tool.before", "session.start"])
def test_a_document_is_the_same_again(event: str, answer: Any) -> None:
    """Whatever a hook said."""
    engine = Engine()
    engine.on(event)(answer)
    fired = engine.fire(event, {**CALL, "tool": "shell", "input": {"command": "ls"}})
    document = json.loads(json.dumps(fired.to_dict()))
    decision = parse_decision(document)

    assert decision.to_dict() == document
    assert decision.allowed is (decision.stance < Stance.ASK)
