"""Over TCP the server refuses requests without the token, and every web page."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from hookline.server.auth import make_token_error
from hookline.server.responses import APPROVE
from tests.unit.server.support import CALL, TOKEN, claude, count_of, served

if TYPE_CHECKING:
    from collections.abc import Iterator

    from tests.unit.server.support import Served


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Served]:
    """A server with one hook."""
    with served(claude("exit 0"), tmp_path_factory.mktemp("border")) as running:
        yield running


PATHS = [
    ("POST", "/v1/fire"),
    ("POST", "/v1/answer/claude-code"),
    ("GET", "/v1/metrics"),
    ("GET", "/v1/openapi.json"),
    ("GET", "/nowhere"),
]


@pytest.mark.parametrize(
    "shown",
    ["", "Bearer", "Bearer wrong", f"Basic {TOKEN}", TOKEN, f"Bearer {TOKEN}x", "Bearer ümlaut"],
)
@pytest.mark.parametrize(("method", "path"), PATHS, ids=lambda value: value.rpartition("/")[2])
def test_without_the_token_every_request_is_refused(
    method: str, path: str, shown: str, server: Served
) -> None:
    """A missing, wrong or misplaced token gets a 401 on every path."""
    answer = server.tcp.ask(method, path, CALL if method == "POST" else None, Authorization=shown)

    assert answer.status == 401
    assert answer.headers["www-authenticate"] == 'Bearer realm="hookline"'
    assert answer.headers["content-type"] == "application/problem+json"
    assert answer.document["code"] == "HKL5003"


def test_a_refused_approval_does_not_name_the_tokens_file() -> None:
    """An agent must not learn how to approve its own hooks."""
    asked = make_token_error({"type": "http", "path": "/v1/fire"}).hint
    approval = make_token_error({"type": "http", "path": APPROVE}).hint

    assert asked.endswith("; `hookline serve` prints which file the token is in")
    assert approval.endswith("; or a person approves: hookline approve")


@pytest.mark.parametrize(
    ("headers", "status"),
    [
        ({"Authorization": ""}, 401),
        ({"Host": "attacker.example"}, 403),
        ({"Origin": "https://attacker.example"}, 403),
    ],
    ids=["no token", "foreign host", "web page"],
)
def test_a_refused_approval_is_refused_in_the_formats_words(
    headers: dict[str, str], status: int, server: Served
) -> None:
    """The format defines that reply (docs/formats/starchild.md 6.1).

    Any other request has a problem document alone.
    """
    answer = server.tcp.ask("POST", APPROVE, {"command": "x"}, **headers)
    other = server.tcp.ask("POST", "/v1/fire", {"event": "stop"}, **headers)

    assert (answer.status, answer.document["ok"], answer.document["error"]) == (
        status,
        False,
        answer.document["detail"],
    )
    assert (other.status, "ok" in other.document) == (status, False)


@pytest.mark.parametrize("scheme", ["Bearer", "bearer", "BEARER"])
def test_with_the_token_there_is_an_answer(scheme: str, server: Served) -> None:
    """The case of the scheme does not matter."""
    assert (
        server.tcp.ask(
            "POST", "/v1/answer/claude-code", CALL, Authorization=f"{scheme} {TOKEN}"
        ).status
        == 200
    )


def test_health_needs_no_token(server: Served) -> None:
    """The reply holds no details."""
    assert server.tcp.ask("GET", "/v1/health", Authorization="").document == {
        "schema": "hookline.health/1",
        "status": "ok",
    }


@pytest.mark.parametrize(
    ("host", "status"),
    [
        ("127.0.0.1", 200),
        ("127.0.0.1:80", 200),
        ("localhost:8465", 200),
        ("LOCALHOST", 200),
        ("localhost.", 200),
        ("[::1]:8465", 200),
        ("attacker.example", 403),
        ("attacker.example:8465", 403),
        ("127.0.0.1.attacker.example", 403),
        ("localhost.attacker.example", 403),
        ("localhost@attacker.example", 403),
        ("[::1].attacker.example", 403),
        ("", 403),
    ],
)
@pytest.mark.parametrize("path", ["/v1/health", "/v1/metrics"])
def test_a_name_that_is_not_ours_is_refused(
    host: str, status: int, path: str, server: Served
) -> None:
    """A web page that uses DNS rebinding still sends its own name."""
    answer = server.tcp.ask("GET", path, Host=host)

    assert answer.status == status
    assert status == 200 or answer.document["code"] == "HKL5004"


@pytest.mark.parametrize("origin", ["https://attacker.example", "http://127.0.0.1:8465", "null"])
def test_a_web_page_is_refused_even_with_the_token(origin: str, server: Served) -> None:
    """No web page belongs to hookline."""
    answer = server.tcp.ask("POST", "/v1/fire", {"event": "stop"}, Origin=origin)

    assert (answer.status, answer.document["code"]) == (403, "HKL5004")


def test_a_unix_socket_needs_neither(server: Served) -> None:
    """The mode of its file protects it."""
    assert server.unix.ask("POST", "/v1/answer/claude-code", CALL, Host="anything").status == 200


def test_refusals_are_counted(server: Served) -> None:
    """The metrics count them by code."""
    before = count_of(server.meter, "hookline_refusals_total", code="HKL5004")
    server.tcp.ask("GET", "/v1/health", Host="attacker.example")

    assert count_of(server.meter, "hookline_refusals_total", code="HKL5004") == before + 1
