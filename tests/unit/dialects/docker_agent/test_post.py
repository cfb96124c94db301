"""`http_post`: sends an event and ignores each answer (docs/formats/docker-agent.md 8)."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import pytest

import hookline
from tests.unit.handlers.serving import Asked, saying, serving

if TYPE_CHECKING:
    from collections.abc import Callable

CALL = {"session_id": "s", "tool_name": "shell", "tool_use_id": "c", "tool_input": {"cmd": "ls"}}


def fired(
    answer: Callable[[Asked], None], *body: str, mode: str = "fidelity"
) -> tuple[hookline.Decision, list[Any]]:
    """The decision about a call, and the request that a service got."""
    with serving(answer) as service:
        hook = {"type": "builtin", "command": "http_post", "args": [service.url(), *body]}
        tree = {"hooks": {"pre_tool_use": [{"hooks": [hook]}]}}
        engine = hookline.Engine()
        engine.add_source(tree, dialect="docker-agent", options={"allow_local": True}, mode=mode)
        assert engine.problems == ()
        return engine.fire("pre_tool_use", CALL, dialect="docker-agent"), service.sent


def test_a_fixed_body_is_sent_as_it_stands() -> None:
    """On each event."""
    _, (sent,) = fired(saying(), '{"text": "a tool is called"}')

    assert sent.body == b'{"text": "a tool is called"}'


@pytest.mark.parametrize(
    ("body", "sent"),
    [
        ('{"text": {{ toJSON .ToolName }}}', b'{"text": "shell"}'),
        ("{% if tool_input %}{{ tool_input.cmd }}{% endif %}", b"ls"),
    ],
)
def test_a_body_may_be_a_template(body: str, sent: bytes) -> None:
    """Over the payload."""
    _, (request,) = fired(saying(), body)

    assert request.body == sent


def test_a_body_that_cannot_be_filled_in_is_not_sent() -> None:
    """The call of the tool goes on, and the failure is recorded."""
    decision, sent = fired(saying(), "{{ .nope }}")

    assert sent == []
    assert decision.stance is hookline.Stance.SILENT
    assert "there is no `nope` in the payload" in str(decision.verdicts[0].fault)


def test_without_a_body_it_is_the_payload() -> None:
    """As a command would read it."""
    _, (sent,) = fired(saying())

    assert json.loads(sent.body)["tool_input"] == {"cmd": "ls"}


@pytest.mark.parametrize("mode", ["fidelity", "strict"])
@pytest.mark.parametrize(
    "answer", [saying({"decision": "block", "reason": "no"}), saying("no", 500), saying("no JSON")]
)
def test_no_answer_decides_anything(answer: Callable[[Asked], None], mode: str) -> None:
    """Also on an event whose hooks fail closed, and in strict mode: it is no guard."""
    decision, _ = fired(answer, mode=mode)

    assert (decision.stance, decision.for_user, decision.lowered) == (
        hookline.Stance.SILENT,
        (),
        (),
    )


@pytest.mark.parametrize("mode", ["fidelity", "strict"])
@pytest.mark.parametrize(
    "url", ["http://127.0.0.1:9/x", "http://[::1]:9/", "http://localhost:port/", "https://"]
)
def test_an_address_that_is_not_called_denies_nothing(url: str, mode: str) -> None:
    """The address is a warning at load.

    At run time the failure is recorded, and the call goes on.
    """
    hook = {"type": "builtin", "command": "http_post", "args": [url]}
    engine = hookline.Engine()
    engine.add_source(
        {"hooks": {"pre_tool_use": [{"hooks": [hook]}]}}, dialect="docker-agent", mode=mode
    )

    decision = engine.fire("pre_tool_use", CALL, dialect="docker-agent")

    assert [(problem.name, problem.severity) for problem in engine.problems] == [
        ("handler.url", "warning")
    ]
    assert (decision.stance, decision.for_user) == (hookline.Stance.SILENT, ())
    assert decision.verdicts[0].fault


@pytest.mark.parametrize("given", ["yes", 1])
def test_allow_local_is_a_switch(given: Any) -> None:
    """Nothing else."""
    with pytest.raises(
        hookline.ConfigError, match="`allow_local` of docker-agent must be true or false"
    ):
        hookline.Engine.from_config({}, dialect="docker-agent", options={"allow_local": given})
