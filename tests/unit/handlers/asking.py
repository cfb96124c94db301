"""Helpers for model hooks: a service that replies like a language model, and questions to it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from hookline.core.dispatch import Run
from hookline.handlers.model_hook import ask_model
from hookline.model.event import Event
from hookline.model.spec import Command, HookSpec, Model
from tests.unit.handlers.serving import (
    PATIENCE,
    Service,
)

if TYPE_CHECKING:
    from collections.abc import Mapping

    from hookline.model.verdict import Outcome


SCHEMA = {
    "type": "object",
    "properties": {"decision": {"type": "string"}},
    "required": ["decision"],
    "additionalProperties": False,
}
PAYLOAD = '{"session_id": "s", "tool_name": "shell"}\n'


def chat(text: str | None, **fields: Any) -> dict[str, Any]:
    """A chat completion as OpenAI's interface answers it."""
    choice = {
        "index": 0,
        "finish_reason": "stop",
        "message": {"role": "assistant", "content": text},
    }
    return {
        "id": "c",
        "object": "chat.completion",
        "created": 1,
        "model": "m",
        "choices": [choice],
        **fields,
    }


def ended(how: str) -> dict[str, Any]:
    """A chat completion that permits, with a given finish reason."""
    said = chat('{"decision": "allow"}')
    return {**said, "choices": [{**said["choices"][0], "finish_reason": how}]}


def message(text: str) -> dict[str, Any]:
    """A message as Anthropic's interface answers it."""
    said = {
        "id": "m",
        "type": "message",
        "role": "assistant",
        "model": "m",
        "content": [{"type": "text", "text": text}],
    }
    return {
        **said,
        "stop_reason": "end_turn",
        "stop_sequence": None,
        "usage": {"input_tokens": 1, "output_tokens": 1},
    }


def model(name: str = "openai/gpt-4o-mini", **fields: Any) -> Model:
    return Model(
        **{"names": (name,), "prompt": "Is {{ .ToolName }} safe?", "system": "Judge.", **fields}
    )


def at(service: Service, **more: str) -> dict[str, str]:
    """An environment in which this service is the address of both providers."""
    return {
        "OPENAI_BASE_URL": service.url("/v1"), "OPENAI_API_KEY": "sk-open",
        "ANTHROPIC_BASE_URL": service.url(""), "ANTHROPIC_API_KEY": "sk-ant",
        **more,
    }  # fmt: skip


def ask(environ: Mapping[str, str], asked: Model | None = None, **options: Any) -> Outcome:
    return ask_model(
        asked or model(),
        PAYLOAD,
        **{"seconds": PATIENCE, "environ": environ, **options},
    )


def run(handler: Model | Command, *, timeout: float = PATIENCE) -> Run:
    spec = HookSpec(
        id="h",
        dialect="docker-agent",
        kind="tool.before",
        native_event="pre_tool_use",
        handler=handler,
        timeout=timeout,
    )
    return Run(spec=spec, event=Event(kind="tool.before"), payload=PAYLOAD)
