"""`unload`: which engines are asked, and that nothing of it fails."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import pytest

from hookline.model.event import Event, Lifecycle
from tests.unit.handlers.builtins.support import asked
from tests.unit.handlers.serving import saying, serving

if TYPE_CHECKING:
    from hookline.model.verdict import Outcome

NONE = "unload: the previous agent has no local engine that can unload"


def switched(models: Any) -> Outcome:
    body = Lifecycle(facts={"from_agent_models": models})
    event = Event(kind="agent.switch", native_name="on_agent_switch", body=body)
    return asked("unload", event)


def model(base: str = "", provider: str = "dmr", api: str = "") -> dict[str, str]:
    return {"provider": provider, "model": "ai/qwen", "base_url": base, "unload_api": api}


@pytest.mark.parametrize(
    ("base", "api", "path"),
    [
        ("/engines/v1", "", "/engines/_unload"),
        ("/engines/v1/", "", "/engines/_unload"),
        ("/v1", "/api/generate", "/api/generate"),
        ("/v1", "api/generate", "/api/generate"),
    ],
)
def test_an_engine_is_asked(base: str, api: str, path: str) -> None:
    """At its own address, or at the one that its provider names; once for each."""
    with serving(saying({})) as service:
        root = service.url("")
        outcome = switched([model(root + base, api=api)] * 2)
        (sent,) = service.sent

    assert (outcome.failure, outcome.note, outcome.stdout) == (None, "", "")
    assert sent.path == path
    assert json.loads(sent.body)["models"] == ["ai/qwen"]


@pytest.mark.parametrize(
    "models",
    [None, [], "x", [1], [model()], [model("https://api.openai.com/v1", "openai")], [{"model": 1}]],
)
def test_where_there_is_no_engine_it_says_so(models: Any) -> None:
    """Models of a service are skipped."""
    outcome = switched(models)

    assert (outcome.failure, outcome.note) == (None, NONE)


@pytest.mark.parametrize(
    ("base", "why"),
    [
        ("http://127.0.0.1:9/v1", "connection refused"),
        ("http://93.184.215.14/v1", "`ai/qwen` stays loaded"),
        ("file:///etc", "`ai/qwen` stays loaded"),
        ("http://[x/v1", "`ai/qwen` stays loaded"),
    ],
)
def test_what_cannot_be_asked_is_reported(base: str, why: str) -> None:
    """An engine that does not run, and addresses that are not on this machine or network."""
    outcome = switched([model(base)])

    assert outcome.failure is None
    assert why in outcome.note


def test_an_engine_that_refuses_is_reported() -> None:
    """With its status."""
    with serving(saying({}, 500)) as service:
        outcome = switched([model(service.url())])

    assert "`ai/qwen` stays loaded: 500" in outcome.note
