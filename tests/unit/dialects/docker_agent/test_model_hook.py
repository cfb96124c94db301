"""Model hooks of docker-agent, from the file to the decision, over a real connection."""

from __future__ import annotations

import asyncio
import json
from typing import TYPE_CHECKING, Any

import pytest

from hookline.core.dialect import Source
from hookline.dialects.docker_agent import DockerAgent
from hookline.engine.catalog import make_dialect
from hookline.engine.convert import convert
from hookline.engine.engine import Engine
from hookline.model.spec import SCOPES, Model
from hookline.model.verdict import Stance
from tests.unit.handlers.asking import at, chat
from tests.unit.handlers.serving import Asked, saying, serving

if TYPE_CHECKING:
    from pathlib import Path

CALL = {
    "session_id": "s1", "cwd": "/w", "hook_event_name": "pre_tool_use", "tool_name": "shell",
    "tool_use_id": "c", "tool_input": {"cmd": "rm -rf /"},
}  # fmt: skip
AGENT = """\
agents:
  root:
    hooks:
      pre_tool_use:
        - matcher: "shell|edit_file"
          hooks:
            - type: model
              model: {model}
              timeout: 5
              schema: pre_tool_use_decision
              prompt: |
                Decide whether this call is safe.
                Tool: {{{{ .ToolName }}}}
                Args: {{{{ .ToolInput | toJSON }}}}
models:
  small: {{provider: acme, model: tiny, base_url: "{url}", token_key: ACME_KEY, max_tokens: 99}}
"""


def engine(
    folder: Path,
    environ: dict[str, str],
    *,
    model: str = "openai/gpt-4o-mini",
    url: str = "http://127.0.0.1:9/v1",
) -> Engine:
    file = folder / "agent.yaml"
    file.write_text(AGENT.format(model=model, url=url), encoding="utf-8")
    made = Engine(environ=environ)
    made.add_source(file)
    assert made.problems == ()
    return made


def test_a_judge_decides_a_call(tmp_path: Path) -> None:
    """With the documented template; the same on an event loop."""
    with serving(
        saying(chat('```json\n{"decision": "deny", "reason": "it deletes everything"}\n```'))
    ) as service:
        asked = engine(tmp_path, at(service))
        decisions = [asked.fire("pre_tool_use", CALL, dialect="docker-agent")]
        decisions.append(
            asyncio.run(asked.fire_async("pre_tool_use", CALL, dialect="docker-agent"))
        )
        asked.close()
    prompts = [json.loads(sent.body)["messages"][-1]["content"] for sent in service.sent]

    assert [(decision.stance, decision.reason) for decision in decisions] == [
        (Stance.DENY, "it deletes everything")
    ] * 2
    assert (
        prompts
        == ['Decide whether this call is safe.\nTool: shell\nArgs: {"cmd":"rm -rf /"}\n'] * 2
    )


def test_a_judge_that_fails_denies(tmp_path: Path) -> None:
    """As every failed hook of a call does, here with what is missing."""
    decision = engine(tmp_path, {}).fire("pre_tool_use", CALL, dialect="docker-agent")

    assert decision.stance is Stance.DENY
    assert (
        "the variable `OPENAI_API_KEY`, which holds the key of openai, is not set"
        in decision.reason
    )


def test_a_model_of_the_file_is_asked_where_it_is_said_to_be(tmp_path: Path) -> None:
    """With its own key and bound, whatever the environment says of other providers."""
    with serving(saying(chat('{"decision": "allow", "reason": "ok"}'))) as service:
        environ = {
            "ACME_KEY": "mine",
            "OPENAI_API_KEY": "other",
            "OPENAI_BASE_URL": "http://127.0.0.1:9/v1",
        }
        decision = engine(tmp_path, environ, model="small", url=service.url("/v1")).fire(
            "pre_tool_use", CALL, dialect="docker-agent"
        )
    (sent,) = service.sent
    body = json.loads(sent.body)

    assert decision.stance is Stance.ALLOW
    assert sent.headers["authorization"] == "Bearer mine"
    assert (body["model"], body["max_tokens"]) == ("tiny", 99)


def test_equal_hooks_that_ask_different_models_are_different(tmp_path: Path) -> None:
    """The name of a model means what its own file says."""
    one = engine(tmp_path, {}, model="small", url="http://127.0.0.1:8/v1").hooks[0]
    two = engine(tmp_path, {}, model="small", url="http://127.0.0.1:9/v1").hooks[0]

    assert one.identity != two.identity


@pytest.mark.parametrize("scope", SCOPES[:-1])
@pytest.mark.parametrize("key", ["base_url", "token_key"])
def test_a_clone_chooses_neither_an_address_nor_a_key(scope: str, key: str) -> None:
    """The user's own files, and a file that the user named, may choose them."""
    entry = {
        "provider": "openai",
        "model": "m",
        key: "http://10.0.0.1/v1" if key == "base_url" else "ANTHROPIC_API_KEY",
    }
    hook = {"type": "model", "model": "mine", "prompt": "x"}
    tree = {"models": {"mine": entry}, "agents": {"root": {"hooks": {"turn_start": [hook]}}}}
    loaded = DockerAgent().load(Source(file="agent.yaml", tree=tree, scope=scope))

    cloned = scope in ("project", "local")
    # Another provider's key is a warning even then.
    assert [problem.severity for problem in loaded.problems] == (
        ["error"] if cloned else ["warning"] if key == "token_key" else []
    )
    assert {problem.name for problem in loaded.problems} <= {"handler.model"}
    assert isinstance(loaded.specs[0].handler, Model) is not cloned


@pytest.mark.parametrize(
    ("entry", "names"),
    [
        ({"model": "m"}, ["key.missing", "handler.model"]),
        ({"provider": "openai"}, ["key.missing", "handler.model"]),
        ({"provider": "openai", "model": "m", "max_tokens": 0}, ["value.range"]),
        ({"provider": "openai", "model": "m", "base_url": "ftp://x"}, ["handler.model"]),
        ({"provider": "nobody", "model": "m"}, ["handler.model"]),
        ("openai/m", ["value.type"]),
    ],
)
def test_an_unusable_model_of_the_file_is_an_error(entry: Any, names: list[str]) -> None:
    """The hook that names it fails with a notice."""
    tree = {
        "models": {"mine": entry},
        "agents": {
            "root": {"hooks": {"turn_start": [{"type": "model", "model": "mine", "prompt": "x"}]}}
        },
    }
    loaded = DockerAgent().load(Source(file="agent.yaml", tree=tree))

    assert [problem.name for problem in loaded.problems] == names
    assert not isinstance(loaded.specs[0].handler, Model)


def test_a_judge_is_relayed_where_its_entry_says_everything(tmp_path: Path) -> None:
    """It is a loss if the file describes its model elsewhere."""
    inline, named = engine(tmp_path, {}), engine(tmp_path, {}, model="small")
    done = convert(inline, make_dialect("claude-code"))
    lost = convert(named, make_dialect("claude-code"))

    assert done.hooks == 1
    assert "the limit on calls of its model" in [loss.what for loss in done.losses]
    assert (lost.hooks, lost.losses[0].whole) == (0, True)
    assert "another part of its file describes the model" in lost.losses[0].why


def test_a_judge_that_hangs_denies_in_time(tmp_path: Path) -> None:
    """A cancelled wait on an event loop is over at once, too."""

    async def given_up(asked: Engine) -> None:
        async with asyncio.timeout(0.5):
            await asked.fire_async("pre_tool_use", CALL, dialect="docker-agent")

    with serving(Asked.hang) as service:
        asked = engine(tmp_path, at(service))
        with pytest.raises(TimeoutError):
            asyncio.run(given_up(asked))
