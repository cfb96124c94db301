"""Model client: one question to a language model over its provider's API, and the text of the reply. Only this module loads pydantic-ai.

The request goes to the configured address, after a check of each resolved one, with the key for that address. It uses no proxy,
no redirect, no retry, no compression, and no header that a client library takes from the environment.
"""

from __future__ import annotations

import asyncio
import contextlib
import threading
from functools import cache
from typing import TYPE_CHECKING

import httpx2
from pydantic_ai.direct import model_request
from pydantic_ai.exceptions import (
    AgentRunError,
    ModelConnectionError,
    ModelHTTPError,
    ModelTimeoutError,
)
from pydantic_ai.messages import ModelRequest, ModelResponse
from pydantic_ai.models import ModelRequestParameters
from pydantic_ai.output import OutputObjectDefinition
from pydantic_ai.settings import ModelSettings

from hookline.handlers.model_transport import GuardedTransport, ReplyError
from hookline.model.handler import Model
from hookline.model.outcome import Failure
from hookline.wire.providers import ANTHROPIC, OPENAI, PROVIDERS, Endpoint

if TYPE_CHECKING:
    from collections.abc import Coroutine, Mapping
    from typing import Any

    from pydantic_ai.models import Model as Asked

# The client libraries demand a key even for an endpoint without one.
_NO_KEY = "none"


@cache
def load_client(speaks: str) -> None:
    """Load everything for an API by a rehearsal without a connection, because its libraries load parts on first use.

    It takes up to some seconds once per process, which do not count as a hook's time.

    Raises:
        ImportError: a library is not installed.
    """
    if speaks == ANTHROPIC:
        import pydantic_ai.models.anthropic  # noqa: PLC0415 - most machines ask one provider
    else:
        import pydantic_ai.models.openai  # noqa: F401, PLC0415 - as above
    row = PROVIDERS[ANTHROPIC if speaks == ANTHROPIC else OPENAI]
    placeholder = Endpoint(
        provider=row.name,
        speaks=row.speaks,
        model="placeholder",
        base_url=row.base_url,
        key="",
        binds=row.binds,
    )
    asked = Model(
        names=("placeholder",), prompt="", system="?", schema={"type": "object"}, shape="nothing"
    )
    rehearsal = ask(
        placeholder,
        asked,
        "?",
        largest=1 << 20,
        transport=httpx2.MockTransport(lambda _: httpx2.Response(200, json=_REHEARSED)),
    )
    # The caller may be on an event loop's own thread, where no second loop can run.
    thread = threading.Thread(
        target=lambda: asyncio.run(_ignore_failure(rehearsal)),
        name="hookline rehearsal",
        daemon=True,
    )
    thread.start()
    thread.join()


async def _ignore_failure(rehearsal: Coroutine[Any, Any, str]) -> None:
    with contextlib.suppress(ReplyError):  # the real call will report the fault
        await rehearsal


# A provider's answer that fits both APIs.
_REHEARSED: Mapping[str, Any] = {
    "id": "r", "object": "chat.completion", "created": 1, "model": "placeholder", "type": "message", "role": "assistant",
    "choices": [{"index": 0, "finish_reason": "stop", "message": {"role": "assistant", "content": "{}"}}],
    "content": [{"type": "text", "text": "{}"}], "stop_reason": "end_turn", "stop_sequence": None,
    "usage": {"input_tokens": 1, "output_tokens": 1, "prompt_tokens": 1, "completion_tokens": 1, "total_tokens": 2},
}  # fmt: skip


async def ask(
    endpoint: Endpoint,
    model: Model,
    prompt: str,
    *,
    largest: int,
    transport: httpx2.AsyncBaseTransport,
) -> str:
    """Return a model's reply to a prompt; the caller limits the time.

    `largest`: the most bytes of the provider's answer. `transport`: what carries the request, such as `ConnectionTransport`.

    Raises:
        ReplyError: there is no complete reply.
    """
    wire = GuardedTransport(transport, endpoint, largest)
    async with httpx2.AsyncClient(
        transport=wire, trust_env=False, follow_redirects=False, timeout=None
    ) as client:
        asked = (
            _anthropic(endpoint, client)
            if endpoint.speaks == ANTHROPIC
            else _openai(endpoint, client)
        )
        request = ModelRequest.user_text_prompt(prompt, instructions=model.system or None)
        wanted = _parameters(model, endpoint, asked)
        try:
            response = await model_request(
                asked,
                [request],
                model_settings=_settings(model, asked),
                model_request_parameters=wanted,
                instrument=False,
            )
        except ReplyError:
            raise
        except Exception as error:
            raise wire.failed or _reply_error(error, answered=wire.answered) from error
    return _complete_text(response, model.most_tokens)


def _complete_text(response: ModelResponse, most_tokens: int) -> str:
    """Return the text of a reply that the model finished by itself."""
    if response.finish_reason == "length":
        raise ReplyError(
            Failure.UNREADABLE, f"the model's reply was cut off at {most_tokens:,} tokens"
        )
    # pydantic-ai keeps an unknown finish reason only in the details.
    if response.finish_reason not in ("stop", None) or (
        response.finish_reason is None and "finish_reason" in (response.provider_details or {})
    ):
        raise ReplyError(Failure.UNREADABLE, "the model's reply did not come to its end")
    return response.text or ""


def _settings(model: Model, asked: Asked) -> ModelSettings:
    """Return the settings of a request: a bounded length, and temperature 0 where the model accepts it."""
    profile: Mapping[str, Any] = {**asked.profile}
    if any(profile.get(refuses) for refuses in _NO_TEMPERATURE):
        return ModelSettings(max_tokens=model.most_tokens)
    return ModelSettings(max_tokens=model.most_tokens, temperature=0.0)


def _parameters(model: Model, endpoint: Endpoint, asked: Asked) -> ModelRequestParameters:
    """Return how to request the schema: binding where the provider can, else as a part of the instructions."""
    if not model.schema:
        return ModelRequestParameters()
    wanted = OutputObjectDefinition(
        json_schema=dict(model.schema), name=model.shape or None, strict=True
    )
    binding = endpoint.binds and asked.profile.get("supports_json_schema_output", False)
    return ModelRequestParameters(
        output_mode="native" if binding else "prompted",
        output_object=wanted,
        prompted_output_template=None if binding else _TEMPLATE,
    )


# Marks of models that refuse a temperature.
_NO_TEMPERATURE = ("openai_supports_reasoning", "anthropic_disallows_sampling_settings")
_TEMPLATE = (
    "Reply with one JSON object that fits this JSON Schema, and with nothing else:\n\n{schema}"
)


def _openai(endpoint: Endpoint, client: httpx2.AsyncClient) -> Asked:
    from openai import AsyncOpenAI  # noqa: PLC0415 - as above
    from pydantic_ai.models.openai import OpenAIChatModel  # noqa: PLC0415 - as above
    from pydantic_ai.profiles.openai import OpenAIModelProfile  # noqa: PLC0415 - as above
    from pydantic_ai.providers.openai import OpenAIProvider  # noqa: PLC0415 - as above

    made = AsyncOpenAI(
        base_url=endpoint.base_url,
        api_key=endpoint.key or _NO_KEY,
        max_retries=0,
        http_client=client,
    )
    profile = OpenAIModelProfile(
        supports_json_object_output=endpoint.binds,
        openai_chat_supports_max_completion_tokens=endpoint.provider == OPENAI,
    )
    return OpenAIChatModel(
        endpoint.model, provider=OpenAIProvider(openai_client=made), profile=profile
    )


def _anthropic(endpoint: Endpoint, client: httpx2.AsyncClient) -> Asked:
    from anthropic import AsyncAnthropic  # noqa: PLC0415 - as above
    from pydantic_ai.models.anthropic import AnthropicModel  # noqa: PLC0415 - as above
    from pydantic_ai.providers.anthropic import AnthropicProvider  # noqa: PLC0415 - as above

    made = AsyncAnthropic(
        base_url=endpoint.base_url,
        api_key=endpoint.key or _NO_KEY,
        max_retries=0,
        http_client=client,
    )
    return AnthropicModel(endpoint.model, provider=AnthropicProvider(anthropic_client=made))


def _reply_error(error: Exception, *, answered: bool) -> ReplyError:
    """Return the fault in words that repeat nothing from the other side.

    `answered`: the provider answered, so an error of the client library comes from that answer.
    """
    if isinstance(error, ModelHTTPError):
        return ReplyError(Failure.REJECTED, f"status {error.status_code} of the model's provider")
    if isinstance(error, ModelTimeoutError):
        return ReplyError(Failure.TIMED_OUT, "")
    if isinstance(error, ModelConnectionError | httpx2.TransportError):
        return ReplyError(Failure.UNREACHABLE, "no connection to the model's provider")
    if answered or isinstance(error, AgentRunError):
        return ReplyError(Failure.UNREADABLE, f"no reply of a model ({type(error).__name__})")
    return ReplyError(Failure.RAISED, type(error).__name__)
