"""Models: clients of language models for an agent, and models that play a script."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, TypeAlias

from pydantic_ai.exceptions import ModelHTTPError, UnexpectedModelBehavior
from pydantic_ai.messages import ModelResponse, TextPart, ToolCallPart
from pydantic_ai.models import Model
from pydantic_ai.models.fallback import FallbackModel
from pydantic_ai.models.function import FunctionModel
from pydantic_ai.settings import ModelSettings
from pydantic_ai.usage import RequestUsage

from hookline.adapters.pydantic_messages import messages_to_json
from hookline.host.agent_spec import SCRIPTED
from hookline.host.script_file import START, ScriptEndError, next_step
from hookline.wire.providers import ANTHROPIC

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from pydantic_ai.messages import ModelMessage
    from pydantic_ai.models.function import AgentInfo

    from hookline.host.script_file import Script
    from hookline.wire.providers import Endpoint

Client: TypeAlias = Model  # of a language model

_NO_KEY = "none"  # the client libraries demand a key even for an endpoint without one


def make_model(endpoint: Endpoint, settings: Mapping[str, Any]) -> Model:
    """Return the client of a model; `settings` as pydantic-ai calls them, such as `temperature`."""
    chosen = ModelSettings(**settings)  # type: ignore[typeddict-item]  # checked by the agent file
    options: dict[str, Any] = {"base_url": endpoint.base_url, "api_key": endpoint.key or _NO_KEY}
    # Each client takes about a second to import.
    if endpoint.speaks == ANTHROPIC:
        from anthropic import AsyncAnthropic  # noqa: PLC0415 - as above
        from pydantic_ai.models.anthropic import AnthropicModel  # noqa: PLC0415
        from pydantic_ai.providers.anthropic import AnthropicProvider  # noqa: PLC0415

        client = AnthropicProvider(anthropic_client=AsyncAnthropic(**options))
        return AnthropicModel(endpoint.model, provider=client, settings=chosen)
    from openai import AsyncOpenAI  # noqa: PLC0415 - as above
    from pydantic_ai.providers.openai import OpenAIProvider  # noqa: PLC0415

    from hookline.host.framework.openai_chat import ChatModel  # noqa: PLC0415

    provider = OpenAIProvider(openai_client=AsyncOpenAI(**options))
    return ChatModel(endpoint.model, provider=provider, settings=chosen)


def join_models(models: Sequence[Model]) -> Model:
    """Return a model that tries the next one of a list when one fails."""
    return FallbackModel(*models) if len(models) > 1 else models[0]


async def close_model(model: Model) -> None:
    """Close the connections of a model, and of those that it falls back to."""
    for each in model.models if isinstance(model, FallbackModel) else (model,):
        if (client := getattr(each, "client", None)) is not None:  # a script has none
            await client.close()


class _Player:
    """Plays a script to an agent: what it says next depends on the conversation."""

    def __init__(self, script: Script, agent: str) -> None:
        self._script = script
        self._agent = agent
        self._state = START

    async def reply(self, messages: list[ModelMessage], _: AgentInfo) -> ModelResponse:
        described = messages_to_json(messages)
        try:
            step, self._state = next_step(self._script, self._state, described, self._agent)
        except ScriptEndError as error:
            raise UnexpectedModelBehavior(str(error)) from None
        if step.error is not None:
            raise ModelHTTPError(step.error.status, SCRIPTED, body={"message": step.error.message})
        parts: list[TextPart | ToolCallPart] = [TextPart(step.text)] if step.text else []
        for call in step.tool_calls:
            given = call.arguments if isinstance(call.arguments, str) else dict(call.arguments)
            parts.append(ToolCallPart(call.name, given, call.call_id))
        response = ModelResponse(parts=parts, model_name=SCRIPTED)
        if step.usage is not None:
            response.usage = RequestUsage(
                input_tokens=step.usage.input_tokens,
                output_tokens=step.usage.output_tokens,
                cache_read_tokens=step.usage.cache_read_tokens,
            )
        return response


def make_scripted_model(script: Script, agent: str) -> Model:
    """Return a model that plays a script to one agent."""
    return FunctionModel(_Player(script, agent).reply, model_name=SCRIPTED)
