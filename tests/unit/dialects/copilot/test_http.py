"""HTTP hooks of Copilot's files: TLS only, fail open, at most 10 MiB (docs/formats/copilot.md)."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import pytest

import hookline
from hookline.core.dialect import Source
from hookline.dialects.copilot import Copilot
from hookline.handlers.checked_connection import make_tls_context
from hookline.model.spec import Http
from tests.unit.handlers.serving import Asked, certificate, saying, serving

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path

CALL = {"sessionId": "s", "cwd": "/", "toolName": "bash", "toolArgs": '{"command":"ls"}'}
MIB = 1 << 20
pytestmark = pytest.mark.process


@pytest.fixture
def trusted(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """A certificate for this machine, which is trusted."""
    file = certificate(tmp_path, "localhost")
    if file is None:
        pytest.skip("there is no openssl to make a certificate")
    monkeypatch.setenv("SSL_CERT_FILE", str(file))
    make_tls_context.cache_clear()
    yield file
    make_tls_context.cache_clear()


def fired(
    answer: Callable[[Asked], None], file: Path, native: str = "preToolUse", **keys: Any
) -> tuple[hookline.Decision, Any]:
    """The decision about a call with this reply to its one hook, and the request."""
    with serving(answer, file) as service:
        hook = {"type": "http", "url": service.url(scheme="https", host="localhost"), **keys}
        tree = {"version": 1, "hooks": {native: [hook]}}
        engine = hookline.Engine.from_config(
            tree, dialect="copilot", options={"allow_local": True}, environ={"TOKEN": "t-1"}
        )
        assert engine.problems == ()
        return engine.fire(
            native, {**CALL, **({"toolResult": {}} if "post" in native else {})}, dialect="copilot"
        ), service.sent


def test_the_payload_is_posted_and_the_answer_counts(trusted: Path) -> None:
    """With the headers that it declares."""
    answer = saying({"permissionDecision": "deny", "permissionDecisionReason": "frozen"})
    decision, (sent,) = fired(
        answer, trusted, headers={"Authorization": "Bearer $TOKEN"}, allowedEnvVars=["TOKEN"]
    )

    assert (decision.stance, decision.reason) == (hookline.Stance.DENY, "frozen")
    assert (json.loads(sent.body)["toolName"], sent.headers["authorization"]) == (
        "bash",
        "Bearer t-1",
    )


@pytest.mark.parametrize(("size", "fits"), [(2 * MIB, True), (10 * MIB, False)])
def test_an_answer_may_be_long(trusted: Path, size: int, *, fits: bool) -> None:
    """Longer than what is kept of a program's output, up to 10 MiB.

    Beyond that it is a failure, which stops nothing.
    """
    answer = saying({"modifiedResult": {"resultType": "success", "textResultForLlm": "x" * size}})
    decision, _ = fired(answer, trusted, "postToolUse")

    assert (decision.rewrite is not None, decision.verdicts[0].fault is None) == (fits, fits)


def test_what_fails_stops_nothing(trusted: Path) -> None:
    """Not even before a tool runs, where a command that fails denies."""
    decision, _ = fired(saying({"permissionDecision": "deny"}, 503), trusted)

    assert (decision.stance, decision.verdicts[0].fault) == (
        hookline.Stance.SILENT,
        "answered with an error: 503 Service Unavailable",
    )


def test_what_is_declared_is_what_is_called() -> None:
    """Under either spelling of the key."""
    hook = {
        "type": "http",
        "url": "https://policy.example/h",
        "headers": {"A": "$B"},
        "allowedEnvVars": ["B"],
    }
    loaded = Copilot().load(
        Source(tree={"version": 1, "hooks": {"preToolUse": [hook], "PreToolUse": [hook]}})
    )

    assert [spec.handler for spec in loaded.specs] == [
        Http(url="https://policy.example/h", headers={"A": "$B"}, env=("B",), largest=10 * MIB)
    ] * 2
