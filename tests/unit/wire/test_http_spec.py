"""HTTP specs: a file's entry becomes a handler, and each error a problem with its place."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from hookline.model.spec import Http
from hookline.wire.fields import Node
from hookline.wire.http_spec import read_http_spec
from hookline.wire.parsers import Tree

if TYPE_CHECKING:
    from hookline.model.spec import Problem

URL = "https://policy.example/h"


def read(hook: dict[str, Any], **how: Any) -> tuple[Http, list[tuple[str, str, str]]]:
    """The handler, and each problem by its name, the key at fault and its hint."""
    problems: list[Problem] = []
    made = read_http_spec(
        Node(Tree(value=hook), "f.json", "user", problems), **{"allow_local": False, **how}
    )
    return made, [(problem.name, problem.origin.pointer, problem.hint) for problem in problems]


def test_what_is_declared_is_what_is_called() -> None:
    """Address, headers, the names of variables, and what the dialect says of the answer."""
    made, problems = read(
        {"url": URL, "headers": {"A": "$B", "N": 3}, "allowedEnvVars": ["B"]}, largest=5
    )

    assert (made, problems) == (
        Http(url=URL, headers={"A": "$B", "N": "3"}, env=("B",), largest=5),
        [],
    )


@pytest.mark.parametrize(
    ("hook", "how", "name", "key"),
    [
        ({}, {}, "key.missing", ""),
        ({"url": 3}, {}, "value.type", "url"),
        ({"url": ""}, {}, "handler.url", "url"),
        ({"url": "file:///etc/passwd"}, {}, "handler.url", "url"),
        ({"url": "https://me:secret@policy.example/"}, {}, "handler.url", "url"),
        ({"url": "http://policy.example/"}, {"only_https": True}, "handler.url", "url"),
        (
            {"url": "http://localhost/"},
            {"only_https": True, "allow_local": True},
            "handler.url",
            "url",
        ),
        ({"url": "http://169.254.169.254/"}, {"allow_local": True}, "handler.url", "url"),
        ({"url": URL, "headers": ["A: b"]}, {}, "value.type", "headers"),
        ({"url": URL, "allowedEnvVars": "B"}, {}, "value.type", "allowedEnvVars"),
    ],
)
def test_what_is_wrong_is_told_once_with_its_key(
    hook: dict[str, Any], how: dict[str, Any], name: str, key: str
) -> None:
    """Without a hint at the option, which would not help here."""
    assert read(hook, **how)[1] == [(name, key, "")]


@pytest.mark.parametrize(
    "url", ["https://me:s3cret@x.example/", "http://10.0.0.1/s3cret?key=s3cret"]
)
def test_a_problem_repeats_nothing_of_an_address_that_may_be_secret(url: str) -> None:
    """Its scheme and its host are enough to find it."""
    problems: list[Problem] = []
    read_http_spec(Node(Tree(value={"url": url}), "f.json", "user", problems), allow_local=False)

    assert [problem.name for problem in problems] == ["handler.url"]
    assert "s3cret" not in problems[0].message + problems[0].hint


def test_a_header_of_the_connection_is_told_to_be_ignored() -> None:
    """In whatever case; the others count."""
    made, problems = read(
        {"url": URL, "headers": {"Host": "a", "content-Length": "1", "X-Host": "b"}}
    )

    assert problems == [
        ("key.ignored", "headers.Host", ""),
        ("key.ignored", "headers.content-Length", ""),
    ]
    assert made.headers["X-Host"] == "b"


@pytest.mark.parametrize(
    "url", ["http://localhost:8080/h", "https://127.0.0.1/h", "https://10.0.0.7/h"]
)
def test_an_address_near_by_needs_the_option(url: str) -> None:
    """The hint names it."""
    (problem,) = read({"url": url})[1]

    assert problem == (
        "handler.url",
        "url",
        (
            "`-o allow_local=true` with `--config`, in Python `allow_local=True`, opens this "
            "machine "
            "and private networks"
        ),
    )
    assert read({"url": url}, allow_local=True) == (Http(url=url, allow_local=True), [])
