"""Responses: problems by a stable code, hosts' replies, and the OpenAPI document."""

from __future__ import annotations

import json
import re
from urllib.parse import unquote

import pytest
from jsonschema import Draft202012Validator
from starlette.routing import Route

from hookline.cli.schema import read_schema
from hookline.engine.engine import Engine
from hookline.errors import CodecError, HookError
from hookline.model.verdict import Reply
from hookline.server.metrics import Meter
from hookline.server.responses import (
    APPROVE,
    RequestError,
    make_document,
    make_problem,
    make_reply,
)
from hookline.server.service import Service
from tests.unit.server.support import DOCUMENT

SCHEMAS = DOCUMENT["components"]["schemas"]


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
    """It follows RFC 9457, and has the code and the hint as well."""
    answer = make_problem(error)

    assert answer.status_code == status
    assert answer.media_type == "application/problem+json"
    assert said.items() <= json.loads(answer.body).items()


def test_an_error_brings_its_headers() -> None:
    """For example `Retry-After`."""
    assert (
        make_problem(RequestError(503, "serve.busy", "full", headers={"Retry-After": "1"})).headers[
            "retry-after"
        ]
        == "1"
    )


def test_a_refusal_has_the_words_that_a_format_promises_there() -> None:
    """Other paths do not have them."""
    error = HookError("no hook is declared", name="trust.unmatched")

    assert {"ok": False, "error": "not declared"}.items() <= json.loads(
        make_problem(error, path=APPROVE).body
    ).items()
    assert make_problem(error, path="/v1/fire").body == make_problem(error).body


def test_a_document_is_ascii_and_json() -> None:
    """For every payload; a value that JSON cannot express is refused."""
    assert json.loads(make_document({"a": "\ud800 ü"}).body) == {"a": "\ud800 ü"}
    with pytest.raises(ValueError, match="JSON"):
        make_document({"a": float("nan")})


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
    answer = make_reply(Reply(stdout=stdout), wants_all=False)

    assert answer.status_code == 200
    assert answer.body == stdout.encode()
    assert answer.headers["content-type"] == media_type
    assert answer.headers["hookline-exit-code"] == "0"


def test_standard_error_is_a_header() -> None:
    """It is percent-encoded, and cut at the limit for headers."""
    answer = make_reply(
        Reply(stdout="{}", stderr="ä\r\nSet-Cookie: x\ud800" + "y" * 5000), wants_all=False
    )
    told = answer.headers["hookline-stderr"]

    assert unquote(told).startswith("ä\r\nSet-Cookie: x\\ud800yyy")
    assert told.isascii()
    assert told.isprintable()
    assert len(told) < 3000


def test_a_refusal_with_an_object_is_an_answer() -> None:
    """The object holds the refusal, and a header the exit code."""
    answer = make_reply(
        Reply(stdout='{"decision": "deny"}', stderr="no", exit_code=2), wants_all=False
    )

    assert answer.status_code == 200
    assert answer.headers["hookline-exit-code"] == "2"


def test_a_refusal_by_the_exit_code_alone_is_an_error() -> None:
    """An empty body would be consent.

    What is no success is shown to the user (docs/formats/claude-code.md 4).
    """
    with pytest.raises(RequestError, match="tests fail") as error:
        make_reply(Reply(stderr="tests fail\n", exit_code=2), wants_all=False)
    assert (error.value.status, error.value.code) == (403, "HKL5008")
    assert error.value.headers == {"Hookline-Exit-Code": "2", "Hookline-Stderr": "tests fail%0A"}


def test_the_whole_reply_is_a_document() -> None:
    """It holds everything, a refusal included."""
    reply = Reply(stdout="a", stderr="b\ud800" * 3000, exit_code=2)

    assert json.loads(make_reply(reply, wants_all=True).body) == {
        "schema": "hookline.reply/1",
        "stdout": "a",
        "stderr": reply.stderr,
        "exit_code": 2,
    }


def test_every_endpoint_is_described_and_every_description_is_an_endpoint() -> None:
    """Path by path, method by method."""
    routes = Service(Engine(environ={}), meter=Meter(), contract=DOCUMENT).app().routes
    served = {
        (route.path, method.lower())
        for route in routes
        if isinstance(route, Route)
        for method in route.methods or ()
    }
    described = {
        (path, method) for path, methods in DOCUMENT["paths"].items() for method in methods
    }

    assert {(path, method) for path, method in served if method != "head"} == described


def test_a_decision_is_described_as_everywhere() -> None:
    """The schema is that of `hookline schema decision`."""
    assert SCHEMAS["decision"] == read_schema("decision")


@pytest.mark.parametrize("name", SCHEMAS)
def test_a_schema_is_one(name: str) -> None:
    """Each schema is valid in draft 2020-12."""
    Draft202012Validator.check_schema(SCHEMAS[name])


def test_what_is_referred_to_is_there() -> None:
    """Every reference has a target, and every component is referred to."""
    referred = set(re.findall(r'"#/components/schemas/(\w+)"', json.dumps(DOCUMENT["paths"])))

    assert referred == set(SCHEMAS)
    assert {name for one in DOCUMENT["security"] for name in one} == set(
        DOCUMENT["components"]["securitySchemes"]
    )


def test_it_says_its_version() -> None:
    """The document has the version of hookline."""
    assert (DOCUMENT["openapi"], DOCUMENT["info"]["version"]) == ("3.1.0", "0")
