"""The values of an agent file: addresses of models, and the hooks that flags add."""

from __future__ import annotations

import pytest

from hookline.errors import HandlerError
from hookline.host.agent_spec import AgentSpec, ModelSpec

MODEL = ModelSpec(name="m", provider="openai", model="gpt-4o")


def test_a_model_is_called_at_its_provider() -> None:
    """With the key of the provider."""
    endpoint = MODEL.resolve_endpoint({"OPENAI_API_KEY": "sk-1"})

    assert (endpoint.base_url, endpoint.model, endpoint.key) == (
        "https://api.openai.com/v1",
        "gpt-4o",
        "sk-1",
    )
    with pytest.raises(HandlerError, match="OPENAI_API_KEY"):
        MODEL.resolve_endpoint({})


def test_a_model_of_another_address_needs_its_own_key() -> None:
    """The provider's key does not leave for it."""
    model = MODEL.replace(base_url="https://${env.HOST_NAME}/v1")
    environ = {"HOST_NAME": "llm.example.com", "OPENAI_API_KEY": "sk-1", "MINE": "k"}

    assert model.resolve_endpoint(environ).base_url == "https://llm.example.com/v1"
    assert model.resolve_endpoint(environ).key == ""
    own = model.replace(token_key="MINE")  # noqa: S106 - the name of a variable
    assert own.resolve_endpoint(environ).key == "k"


def test_a_name_with_a_slash_stays_whole() -> None:
    """A provider that passes requests on has such names."""
    model = ModelSpec(name="m", provider="openrouter", model="openai/gpt-4o")

    endpoint = model.resolve_endpoint({"OPENROUTER_API_KEY": "k"})
    assert (endpoint.provider, endpoint.model) == ("openrouter", "openai/gpt-4o")


def test_flags_mount_hooks() -> None:
    """In the shape of the file."""
    agent = AgentSpec(
        name="a",
        model=MODEL,
        add_date=True,
        add_environment_info=True,
        add_prompt_files=("AGENTS.md",),
        prompt_files_depth=2,
    )
    hooks = agent.mounted_hooks

    assert [each["command"] for each in hooks["turn_start"]] == ["add_date", "add_prompt_files"]
    assert hooks["turn_start"][1]["args"] == ["--depth=2", "AGENTS.md"]
    assert hooks["session_start"][0]["command"] == "add_environment_info"
    assert [group["hooks"][0]["command"] for group in hooks["tool_response_transform"]] == [
        "redact_secrets",
        "limit_large_tool_results",
    ]


def test_an_agent_without_flags_limits_results() -> None:
    """That is always on."""
    agent = AgentSpec(name="a", model=MODEL, redact_secrets=False)

    assert sorted(agent.mounted_hooks) == ["session_end", "tool_response_transform"]
