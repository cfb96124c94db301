"""Answers as they are sent, and what is made of those that somebody sends who means no good."""

from __future__ import annotations

import json

import pytest

from hookline.a3s import HookResponse
from hookline.model.verdict import Failure, Outcome, RemoteHandlerError
from hookline.remote.limits import Bounds
from hookline.remote.proto import bridge_pb2 as pb
from hookline.remote.results import read_answer, to_result

BOUNDS = Bounds(payload=1000)
SAID = [
    ("nothing", None, {"action": "Continue"}),
    ("a block", HookResponse.block("no"), {"action": "Block", "reason": "no"}),
    ("a block without a reason", HookResponse.block(), {"action": "Block"}),
    ("an empty reason stays one", HookResponse.block(""), {"action": "Block", "reason": ""}),
    ("a retry at once", HookResponse.retry(0), {"action": "Retry", "retry_delay_ms": 0}),
    ("a skip", {"action": "skip"}, {"action": "Skip"}),
    (
        "a rewrite",
        {"action": "Continue", "modified": {"a": [1, None]}},
        {"action": "Continue", "modified": {"a": [1, None]}},
    ),
    (
        "a rewrite that is nothing much",
        {"action": "Continue", "modified": 0},
        {"action": "Continue", "modified": 0},
    ),
]


@pytest.mark.parametrize(
    ("answer", "arrives"), [row[1:] for row in SAID], ids=[row[0] for row in SAID]
)
def test_what_is_said_arrives(answer, arrives) -> None:
    """A handler's answer is the same on the other side."""
    assert (
        read_answer(
            pb.Result.FromString(to_result(Outcome(answer=answer), "1").SerializeToString()), BOUNDS
        )
        == arrives
    )


FAILED = [
    ("an exception", Outcome(failure=Failure.RAISED, detail="ValueError: x"), Failure.RAISED, "ValueError: x"),
    ("no thread", Outcome(failure=Failure.NOT_STARTED, detail="64 run"), Failure.UNREADABLE, "could not be started: 64 run"),
    ("an unknown action", Outcome(answer={"action": "allow"}), Failure.UNREADABLE, "unknown action the text `allow`, not one of Continue, Block, Retry, Skip"),
    ("no answer at all", Outcome(answer=7), Failure.UNREADABLE, "the answer is `7`, not an object with an `action`"),
    ("words that are no UTF-8", Outcome(failure=Failure.RAISED, detail="\ud800"), Failure.RAISED, "\\ud800"),
]  # fmt: skip


@pytest.mark.parametrize(
    ("outcome", "failure", "words"), [row[1:] for row in FAILED], ids=[row[0] for row in FAILED]
)
def test_a_failure_arrives_in_its_words(outcome, failure, words) -> None:
    """And never as a Continue."""
    result = to_result(outcome, "1")

    assert result.action == pb.ACTION_UNSPECIFIED
    with pytest.raises(RemoteHandlerError) as caught:
        read_answer(result, BOUNDS)
    assert (caught.value.failure, caught.value.detail) == (failure, words)


HOSTILE = [
    ("garbage", {"action": 1, "modified_json": b"{"}, "is not JSON"),
    ("no UTF-8", {"action": 1, "modified_json": b'"\xff"'}, "is not JSON"),
    ("nothing", {"action": 1, "modified_json": b""}, "is not JSON"),
    ("a number that is none", {"action": 1, "modified_json": b"NaN"}, "`NaN` is no number of JSON"),
    (
        "nested without an end",
        {"action": 1, "modified_json": b"[" * 900 + b"]" * 99},
        "is not JSON",
    ),
    ("too large", {"action": 1, "modified_json": b"1" * 1001}, "more than 1,000 bytes"),
    ("a number without an end", {"action": 1, "modified_json": b"1" * 999}, ""),
    ("an unknown action", {"action": 9}, "unknown action 9"),
    ("a failure beside an action", {"action": 1, "failure": "broken"}, "broken"),
    ("a failure without a word", {"action": 1, "failure": ""}, "gave no reason"),
]


@pytest.mark.parametrize(
    ("fields", "words"),
    [row[1:] for row in HOSTILE if row[2]],
    ids=[row[0] for row in HOSTILE if row[2]],
)
def test_what_cannot_be_used_is_a_failure(fields, words) -> None:
    """Every field is looked at."""
    with pytest.raises(RemoteHandlerError, match=words):
        read_answer(pb.Result(invocation_id="1", **fields), BOUNDS)


def test_what_is_nested_too_deeply_is_a_failure() -> None:
    """On either side, whichever notices."""
    deep = b"[" * 100_000 + b"]" * 100_000
    with pytest.raises(RemoteHandlerError, match="nested too deeply"):
        read_answer(pb.Result(action=pb.CONTINUE, modified_json=deep), Bounds())
    value: list = []
    for _ in range(100_000):
        value = [value]

    assert (
        "nested too deeply"
        in to_result(Outcome(answer={"action": "Continue", "modified": value}), "1").failure
    )
    while value:  # or its end would be a recursion too
        value = value[0]


def test_a_huge_delay_is_a_number_that_json_has() -> None:
    """Whoever waits that long is blocked, which the handler could have said as well."""
    answer = read_answer(pb.Result(action=pb.RETRY, retry_delay_ms=2**64 - 1), BOUNDS)

    assert json.loads(json.dumps(answer))["retry_delay_ms"] == 2**53


def test_a_failures_words_have_an_end() -> None:
    """They are shown to people."""
    with pytest.raises(RemoteHandlerError) as caught:
        read_answer(pb.Result(failure="x" * 100_000), BOUNDS)
    assert len(caught.value.detail) == 4000
