"""A problem is a document that says what is wrong, by a stable code."""

from __future__ import annotations

import json

import pytest

from hookline.errors import CodecError, HookError
from hookline.server.problems import (
    APPROVE,
    RequestError,
    make_document,
    make_problem,
    make_refusal,
)


@pytest.mark.parametrize(
    ("error", "status", "said"),
    [
        (
            CodecError("no", hint="h"),
            400,
            {
                "code": "HKL4001",
                "title": "wire.payload",
                "detail": "no",
                "hint": "h",
                "status": 400,
            },
        ),
        (
            RequestError(503, "serve.busy", "full"),
            503,
            {"code": "HKL5007", "type": "urn:hookline:problem:HKL5007", "status": 503},
        ),
        (HookError("internal error"), 400, {"code": "HKL9001"}),
    ],
)
def test_an_error_is_a_problem_document(
    error: HookError, status: int, said: dict[str, object]
) -> None:
    """RFC 9457, with the code and the hint beside."""
    answer = make_problem(error)

    assert answer.status_code == status
    assert answer.media_type == "application/problem+json"
    assert said.items() <= json.loads(answer.body).items()


def test_an_error_brings_its_headers() -> None:
    """Such as when to come again."""
    assert (
        make_problem(RequestError(503, "serve.busy", "full", headers={"Retry-After": "1"})).headers[
            "retry-after"
        ]
        == "1"
    )


def test_a_refusal_has_the_words_that_a_format_promises_there() -> None:
    """On that path, and on no other."""
    error = HookError("no hook is declared", name="trust.unmatched")

    assert {"ok": False, "error": "not declared"}.items() <= json.loads(
        make_refusal(error, APPROVE).body
    ).items()
    assert make_refusal(error, "/v1/fire").body == make_problem(error).body


def test_a_document_is_ascii_and_json() -> None:
    """Whatever a payload held; what JSON cannot say is no document."""
    assert json.loads(make_document({"a": "\ud800 ü"}).body) == {"a": "\ud800 ü"}
    with pytest.raises(ValueError, match="JSON"):
        make_document({"a": float("nan")})
