"""A command hook's reply, as a host with HTTP hooks reads it, and as a stand-in for a command does."""

from __future__ import annotations

import json
from urllib.parse import unquote

import pytest

from hookline.model.verdict import Reply
from hookline.server import replies
from hookline.server.problems import RequestError


@pytest.mark.parametrize(
    ("stdout", "media_type"),
    [
        ('{"decision": "block"}\n', "application/json"),
        ('{\n  "a": 1\n}', "application/json"),
        ("plain\n", "text/plain; charset=utf-8"),
        ("", "text/plain; charset=utf-8"),
        ('["a"]', "text/plain; charset=utf-8"),
    ],
)
def test_the_body_is_what_a_command_would_print(stdout: str, media_type: str) -> None:
    """It is JSON where the host would take it for that (docs/formats/claude-code.md 8)."""
    answer = replies.make_body(Reply(stdout=stdout))

    assert answer.status_code == 200
    assert answer.body == stdout.encode()
    assert answer.headers["content-type"] == media_type
    assert answer.headers["hookline-exit-code"] == "0"


def test_standard_error_is_a_header() -> None:
    """Percent-encoded, and no longer than headers may be."""
    answer = replies.make_body(Reply(stdout="{}", stderr="ä\r\nSet-Cookie: x\ud800" + "y" * 5000))
    told = answer.headers["hookline-stderr"]

    assert unquote(told).startswith("ä\r\nSet-Cookie: x\\ud800yyy")
    assert told.isascii()
    assert told.isprintable()
    assert len(told) < 3000


def test_a_refusal_with_an_object_is_an_answer() -> None:
    """The object says it; the exit code stands beside."""
    answer = replies.make_body(Reply(stdout='{"decision": "deny"}', stderr="no", exit_code=2))

    assert answer.status_code == 200
    assert answer.headers["hookline-exit-code"] == "2"


def test_a_refusal_by_the_exit_code_alone_is_an_error() -> None:
    """An empty body would be consent.

    What is no success is shown to the user (docs/formats/claude-code.md 4).
    """
    with pytest.raises(RequestError, match="tests fail") as error:
        replies.make_body(Reply(stderr="tests fail\n", exit_code=2))
    assert (error.value.status, error.value.code) == (403, "HKL5008")
    assert error.value.headers == {"Hookline-Exit-Code": "2", "Hookline-Stderr": "tests fail%0A"}


def test_the_whole_reply_is_a_document() -> None:
    """Nothing of it is lost, a refusal included."""
    reply = Reply(stdout="a", stderr="b\ud800" * 3000, exit_code=2)

    assert json.loads(replies.make_whole_reply(reply).body) == {
        "schema": "hookline.reply/1",
        "stdout": "a",
        "stderr": reply.stderr,
        "exit_code": 2,
    }
