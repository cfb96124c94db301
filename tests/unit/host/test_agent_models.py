"""Models and providers of an agent file."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from tests.unit.host.support import list_problems, load, read

if TYPE_CHECKING:
    from pathlib import Path


def with_model(reference: str, rest: str = "") -> str:
    """An agent file whose agent has this model."""
    return f"agents: {{root: {{model: {reference}}}}}\n{rest}"


def test_a_model_has_settings(tmp_path: Path) -> None:
    """A temperature of 0 is one."""
    text = """\
models:
  m:
    provider: anthropic
    model: claude-x
    temperature: 0
    max_tokens: 100
    parallel_tool_calls: false
    thinking_budget: adaptive/high
    provider_opts: {context_size: 8000, seed: 1}
    cost: {input: 3, output: 15}
    compaction_model: openai/small
    compaction_threshold: 0.5
"""
    model = read(tmp_path, with_model("m", text)).root.model

    assert (model.name, model.model_id) == ("m", "anthropic/claude-x")
    assert (model.temperature, model.max_tokens, model.context_window) == (0, 100, 8000)
    assert model.parallel_tool_calls is False
    assert model.thinking_budget == "adaptive/high"
    assert model.price is not None
    assert (model.price.input, model.price.output) == (3, 15)
    assert model.compaction_model is not None
    assert model.compaction_model.model_id == "openai/small"
    assert model.compaction_threshold == 0.5


def test_a_model_inherits_from_its_provider(tmp_path: Path) -> None:
    """What it has itself counts more."""
    text = """\
providers:
  corp: {base_url: "https://llm.example.com/v1", token_key: CORP_KEY, temperature: 0.5}
  native: {provider: anthropic, token_key: OTHER_KEY}
models:
  m: {provider: corp, model: big, temperature: 0.1}
"""
    model = read(tmp_path, with_model("m", text)).root.model

    assert (model.provider, model.base_url) == ("openai", "https://llm.example.com/v1")
    assert (model.token_key, model.temperature) == ("CORP_KEY", 0.1)
    native = read(tmp_path, with_model("native/claude", text)).root.model
    assert (native.provider, native.model, native.token_key) == (
        "anthropic",
        "claude",
        "OTHER_KEY",
    )


def test_a_model_as_a_switch_of_agents_names_it(tmp_path: Path) -> None:
    """By the provider of the file, with the address that unloads it."""
    text = """\
providers:
  eng: {base_url: "http://${env.ENGINE}/v1", unload_api: /api/unload}
"""
    model = read(tmp_path, with_model("eng/big", text)).root.model

    assert model.describe({"ENGINE": "localhost:8000"}) == {
        "provider": "eng",
        "model": "big",
        "base_url": "http://localhost:8000/v1",
        "unload_api": "/api/unload",
    }
    assert model.model_id == "eng/big"
    plain = read(tmp_path, with_model("openai/small", "")).root.model
    assert plain.describe({}) == {"provider": "openai", "model": "small"}


def test_the_first_available_model(tmp_path: Path) -> None:
    """It is a list of candidates."""
    text = "models:\n  m: {first_available: [openai/a, n]}\n  n: {provider: ollama, model: b}\n"
    model = read(tmp_path, with_model("m", text)).root.model

    assert [each.model_id for each in model.candidates] == ["openai/a", "ollama/b"]


def test_the_script_of_hookline(tmp_path: Path) -> None:
    """`demo` is the one that hookline brings along; `./demo` is a file beside the agent file."""
    brought = read(tmp_path, with_model("scripted/demo")).root.model.script
    (tmp_path / "demo").write_text("- text: my own\n", encoding="utf-8")
    own = read(tmp_path, with_model("scripted/./demo")).root.model.script

    assert brought is not None
    assert brought.path.endswith("hookline/host/demo.yaml")
    assert own is not None
    assert own.blocks[0].steps[0].text == "my own"


def test_a_scripted_model(tmp_path: Path) -> None:
    """Its path is relative to the agent file."""
    model = read(tmp_path, with_model("scripted/s.yaml"), s_yaml="- text: hi\n").root.model

    assert model.is_scripted
    assert model.script is not None
    assert model.script.blocks[0].steps[0].text == "hi"


def test_problems_of_a_script_are_those_of_the_file(tmp_path: Path) -> None:
    """With the line in the script."""
    loaded = load(tmp_path, with_model("scripted/s.yaml"), s_yaml="- txt: hi\n")

    assert [(each.origin.file.rpartition("/")[2], each.origin.line) for each in loaded.errors] == [
        ("agent.yaml", 1),
        ("s.yaml", 1),
        ("s.yaml", 1),
    ]


@pytest.mark.parametrize(
    ("text", "problem", "hint"),
    [
        (with_model("gpt-4o"), "unknown model `gpt-4o`", "name a key of `models`"),
        (with_model("fst", "models: {fast: {provider: openai, model: x}}"), "unknown", "`fast`"),
        (with_model("'openai/a,openai/b'"), "unknown model", "`fallback`"),
        (with_model("bedrock/x"), "unknown provider `bedrock`", "base_url"),
        (with_model("scripted/none.yaml"), "cannot read", ""),
        (with_model("m", "models: {m: {first_available: [m]}}"), "leads to itself", ""),
        (
            with_model("m", "models: {m: {first_available: [openai/a], model: x}}"),
            "no effect beside",
            "",
        ),
        (with_model("m", "models: {m: {provider: openai}}"), "`model` is missing", ""),
        (
            with_model("m", "models: {m: {provider: openai, model: x, temperature: 3}}"),
            "is not between 0 and 2",
            "",
        ),
        (
            with_model("m", "models: {m: {provider: openai, model: x, thinking_budget: lots}}"),
            "`thinking_budget: lots` is not known",
            "minimal",
        ),
        (
            with_model("m", "models: {m: {provider: openai, model: x, routing: [1]}}"),
            "cannot follow `routing`",
            "name one model",
        ),
        (with_model("corp/x", "providers: {corp: {token_key: K}}"), "has no address", "base_url"),
        (
            with_model("corp/x", "providers: {corp: {provider: azure}}"),
            "unknown provider `azure`",
            "one of",
        ),
        (
            with_model("corp/x", "providers: {corp: {base_url: 'ftp://x'}}"),
            "cannot be called",
            "",
        ),
    ],
)
def test_problems_of_models(tmp_path: Path, text: str, problem: str, hint: str) -> None:
    """Each says what is wrong and what to do."""
    found = list_problems(load(tmp_path, text))

    assert any(problem in message and hint in given for _, message, given in found)
