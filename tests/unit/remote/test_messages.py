"""A question holds what is asked, and its answer is the decision, or the error that was raised where it was decided."""

from __future__ import annotations

import json
from typing import Any

import pytest

from hookline import CodecError, ConfigError, Engine, HookError, deny
from hookline.errors import CODES
from hookline.remote.messages import (
    make_answer_request,
    make_error,
    make_fire_request,
    make_unreachable_error,
    parse_error,
    read_decision,
)
from hookline.remote.proto import bridge_pb2 as pb
from hookline.remote.stream import LinkError


def test_an_event_is_asked_about_as_it_is() -> None:
    """Without a payload it has an empty one."""
    asked = make_fire_request("7", "pre_tool_use", {"tool": "é"}, "a3s", 0)

    assert (asked.request_id, asked.event, asked.dialect) == ("7", "pre_tool_use", "a3s")
    assert json.loads(asked.payload_json) == {"tool": "é"}
    assert make_fire_request("7", "stop", None, "", 0).payload_json == b"{}"


@pytest.mark.parametrize(
    ("seconds", "budget"),
    [(0, 0), (-1, 0), (0.0001, 1), (1.5, 1500), (1e9, 2**32 - 1)],
    ids=["none", "less", "least", "some", "most"],
)
def test_a_time_limit_is_whole_milliseconds(seconds: float, budget: int) -> None:
    """Never 0 where there is one, because 0 is none."""
    assert make_fire_request("1", "stop", {}, "", seconds).budget_ms == budget


@pytest.mark.parametrize("payload", ['{"a": 1.0}', b'{"a": 1.0}'], ids=["text", "bytes"])
def test_what_a_host_sent_goes_on_as_it_sent_it(payload: str | bytes) -> None:
    """To the last byte; what is no JSON is for the engine to say."""
    assert make_answer_request("codex", payload).payload_json == b'{"a": 1.0}'
    assert json.loads(make_answer_request("codex", {"a": 1.0}).payload_json) == {"a": 1.0}


def _endless() -> dict[str, Any]:
    inside: dict[str, Any] = {}
    inside["again"] = inside
    return inside


@pytest.mark.parametrize(
    "payload", [{"a": object()}, {"a": float("nan")}, _endless()], ids=["object", "nan", "endless"]
)
def test_what_is_no_json_is_not_sent(payload: dict[str, Any]) -> None:
    """Neither as an event nor as a host's payload."""
    with pytest.raises(CodecError, match="cannot be sent"):
        make_fire_request("1", "stop", payload, "", 0)
    with pytest.raises(CodecError, match="cannot be sent"):
        make_answer_request("codex", payload)


def test_a_decision_is_read() -> None:
    """It is the one that was made."""
    engine = Engine(environ={})
    engine.on("tool.before")(lambda _: deny("no"))
    made = engine.fire("tool.before", {"tool": "x"})

    assert (
        read_decision(pb.FireReply(decision_json=json.dumps(made.to_dict()).encode())).to_dict()
        == made.to_dict()
    )


@pytest.mark.parametrize(
    "text", [b"", b"{", b"[" * 100_000, b"\xff"], ids=["nothing", "half", "deep", "no text"]
)
def test_an_answer_that_is_no_json_is_an_error(text: bytes) -> None:
    """Nothing was decided then."""
    with pytest.raises(CodecError, match="not JSON"):
        read_decision(pb.FireReply(decision_json=text))


@pytest.mark.parametrize(
    ("name", "kind"),
    [("wire.event", CodecError), ("config.option", ConfigError), ("serve.busy", HookError)],
)
def test_an_error_is_raised_as_it_was_there(name: str, kind: type[HookError]) -> None:
    """By its code, as its own class and with its words."""
    with pytest.raises(kind, match="the words") as caught:
        read_decision(pb.FireReply(error_code=CODES[name], error="the words"))

    assert (type(caught.value), caught.value.name) == (kind, name)
    assert make_error("HKL0000", "the words").name == "internal"


@pytest.mark.parametrize(
    ("words", "found"),
    [
        (f"{CODES['serve.busy']}: too much", ("serve.busy", "too much")),
        (f"RESOURCE_EXHAUSTED: {CODES['serve.busy']}: too much", ("serve.busy", "too much")),
        ("HKL0000: of a later version", None),
        ("UNAVAILABLE: nobody there", None),
        ("", None),
    ],
)
def test_words_may_begin_with_a_code(words: str, found: tuple[str, str] | None) -> None:
    """Also behind a status of gRPC."""
    error = parse_error(words)

    assert (error and (error.name, error.message)) == found


def test_nobody_there_is_no_decision() -> None:
    """Unless the engine said itself what is wrong."""
    lost = make_unreachable_error("unix:/s", LinkError("it hung up"))

    assert (lost.name, lost.message) == (
        "remote.unreachable",
        "`unix:/s` cannot be reached: it hung up",
    )
    assert "a gate must deny" in lost.hint
    assert (
        make_unreachable_error("unix:/s", LinkError(f"{CODES['remote.token']}: wrong")).name
        == "remote.token"
    )
