"""Models: one question to a language model over its provider's wire, and the text of its reply; the only module that loads pydantic-ai.

The request goes to the one address that was asked for, with the one key that belongs there: no proxy, no redirect, no retry, no
compression, and no header that a client library takes from this process's environment.
"""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import httpx2
from pydantic_ai.direct import model_request
from pydantic_ai.exceptions import AgentRunError, ModelConnectionError, ModelHTTPError, ModelTimeoutError
from pydantic_ai.messages import ModelRequest
from pydantic_ai.models import ModelRequestParameters
from pydantic_ai.output import OutputObjectDefinition
from pydantic_ai.settings import ModelSettings

from hookline.model.outcome import Failure
from hookline.wire.providers import ANTHROPIC, OPENAI

if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Any

    from pydantic_ai.models import Model as Asked

    from hookline.model.handler import Model
    from hookline.wire.providers import Endpoint

# What a request may say of itself, besides its key.
_HEADERS = frozenset({"host", "content-type", "content-length", "accept", "anthropic-version", "anthropic-beta"})
_KEY_HEADERS = frozenset({"authorization", "x-api-key"})
# The client libraries want a key even where none is sent.
_NO_KEY = "none"


class ReplyError(Exception):
    """A question that brought no reply: which failure that is, and what makes it concrete."""

    def __init__(self, failure: Failure, detail: str) -> None:
        super().__init__(detail)
        self.failure = failure
        self.detail = detail


def ready(speaks: str) -> None:
    """Load what a wire needs.

    Raises:
        ImportError: it is not installed.
    """
    if speaks == ANTHROPIC:
        import pydantic_ai.models.anthropic  # noqa: PLC0415 - most machines ask one provider
    else:
        import pydantic_ai.models.openai  # noqa: F401, PLC0415 - as above


async def ask(endpoint: Endpoint, model: Model, prompt: str, *, largest: int, transport: httpx2.AsyncBaseTransport | None = None) -> str:
    """What a model replies to a prompt; whoever calls bounds the time.

    `largest`: bytes of the provider's answer.

    Raises:
        ReplyError: there is no reply.
    """
    wire = _Wire(transport or httpx2.AsyncHTTPTransport(trust_env=False, retries=0), endpoint, largest)
    async with httpx2.AsyncClient(transport=wire, trust_env=False, follow_redirects=False, timeout=None) as client:
        asked = _anthropic(endpoint, client) if endpoint.speaks == ANTHROPIC else _openai(endpoint, client)
        request = ModelRequest.user_text_prompt(prompt, instructions=model.system or None)
        wanted = _parameters(model, endpoint, asked)
        try:
            response = await model_request(
                asked, [request], model_settings=_settings(model, asked), model_request_parameters=wanted, instrument=False
            )
        except ReplyError:
            raise
        except Exception as error:
            raise wire.failed or _reply_error(error, answered=wire.answered) from error
    return response.text or ""


def _settings(model: Model, asked: Asked) -> ModelSettings:
    """How the reply is made: no longer than it may be, and the same each time where the model lets itself be told so."""
    profile: Mapping[str, Any] = {**asked.profile}
    if any(profile.get(refuses) for refuses in _NO_TEMPERATURE):
        return ModelSettings(max_tokens=model.most_tokens)
    return ModelSettings(max_tokens=model.most_tokens, temperature=0.0)


def _parameters(model: Model, endpoint: Endpoint, asked: Asked) -> ModelRequestParameters:
    """How the reply's schema is asked for: binding where the provider can do that, else as a part of the instructions."""
    if not model.schema:
        return ModelRequestParameters()
    wanted = OutputObjectDefinition(json_schema=dict(model.schema), name=model.shape or None, strict=True)
    binding = endpoint.binds and asked.profile.get("supports_json_schema_output", False)
    return ModelRequestParameters(
        output_mode="native" if binding else "prompted", output_object=wanted, prompted_output_template=None if binding else _TEMPLATE
    )


# Marks of models that refuse a temperature.
_NO_TEMPERATURE = ("openai_supports_reasoning", "anthropic_disallows_sampling_settings")
_TEMPLATE = "Reply with one JSON object that fits this JSON Schema, and with nothing else:\n\n{schema}"


def _openai(endpoint: Endpoint, client: httpx2.AsyncClient) -> Asked:
    from openai import AsyncOpenAI  # noqa: PLC0415 - as above
    from pydantic_ai.models.openai import OpenAIChatModel  # noqa: PLC0415 - as above
    from pydantic_ai.profiles.openai import OpenAIModelProfile  # noqa: PLC0415 - as above
    from pydantic_ai.providers.openai import OpenAIProvider  # noqa: PLC0415 - as above

    made = AsyncOpenAI(base_url=endpoint.base_url, api_key=endpoint.key or _NO_KEY, max_retries=0, http_client=client)
    profile = OpenAIModelProfile(
        supports_json_object_output=endpoint.binds, openai_chat_supports_max_completion_tokens=endpoint.provider == OPENAI
    )
    return OpenAIChatModel(endpoint.model, provider=OpenAIProvider(openai_client=made), profile=profile)


def _anthropic(endpoint: Endpoint, client: httpx2.AsyncClient) -> Asked:
    from anthropic import AsyncAnthropic  # noqa: PLC0415 - as above
    from pydantic_ai.models.anthropic import AnthropicModel  # noqa: PLC0415 - as above
    from pydantic_ai.providers.anthropic import AnthropicProvider  # noqa: PLC0415 - as above

    made = AsyncAnthropic(base_url=endpoint.base_url, api_key=endpoint.key or _NO_KEY, max_retries=0, http_client=client)
    return AnthropicModel(endpoint.model, provider=AnthropicProvider(anthropic_client=made))


def _reply_error(error: Exception, *, answered: bool) -> ReplyError:
    """What went wrong, in words that repeat nothing which the other side chose.

    `answered`: there was an answer, so that whatever a client library stumbled over was in it.
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


class _Wire(httpx2.AsyncBaseTransport):
    """A transport that sends what `endpoint` allows, and reads no more than `largest` bytes of JSON."""

    def __init__(self, inner: httpx2.AsyncBaseTransport, endpoint: Endpoint, largest: int) -> None:
        self.inner = inner
        self.kept = _HEADERS | (_KEY_HEADERS if endpoint.key else frozenset())
        self.secret = endpoint.key
        self.largest = largest
        self.failed: ReplyError | None = None
        self.answered = False

    async def handle_async_request(self, request: httpx2.Request) -> httpx2.Response:
        headers = [(name, value) for name, value in request.headers.items() if name in self.kept and self._is_ours(name, value)]
        sent = httpx2.Request(
            request.method,
            request.url,
            headers=[*headers, ("accept-encoding", "identity"), ("user-agent", "hookline"), ("connection", "close")],
            stream=request.stream,
            extensions=request.extensions,
        )
        answer = await self.inner.handle_async_request(sent)
        try:
            body = await self._read(answer)
        finally:
            await answer.aclose()
        return httpx2.Response(answer.status_code, headers={"content-type": "application/json"}, content=body, request=request)

    def _is_ours(self, name: str, value: str) -> bool:
        """Whether a key is the one that was asked for: a client library may bring another from the environment along."""
        return name not in _KEY_HEADERS or value.removeprefix("Bearer ") == self.secret

    async def _read(self, answer: httpx2.Response) -> bytes:
        if answer.headers.get("content-encoding", "identity").lower() != "identity":
            raise self._fail(Failure.UNREADABLE, "it is compressed, which was not asked for")
        if 300 <= answer.status_code < 400:  # noqa: PLR2004 - HTTP's redirects
            raise self._fail(Failure.REJECTED, f"status {answer.status_code}, and redirects are not followed")
        body = bytearray()
        async for part in answer.stream:  # type: ignore[union-attr]  # an asynchronous transport's
            body += part
            if len(body) > self.largest:
                raise self._fail(Failure.FLOODED, f"more than {self.largest:,} bytes")
        if answer.is_success:
            try:
                json.loads(body)
            except (ValueError, RecursionError):
                raise self._fail(Failure.UNREADABLE, "the provider's answer is no JSON") from None
        self.answered = True
        return bytes(body)

    def _fail(self, failure: Failure, detail: str) -> ReplyError:
        self.failed = ReplyError(failure, detail)
        return self.failed

    async def aclose(self) -> None:
        await self.inner.aclose()
