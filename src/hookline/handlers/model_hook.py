"""Model hooks: asks a language model one question by pydantic-ai, and returns its reply.

hookline sends the request itself, to the configured address, after a check of each resolved one,
with the key for that address. There are no retries, and of the environment only that key is sent.
Only this module loads pydantic-ai, which takes seconds once per process.
"""

from __future__ import annotations

import asyncio
import json
import socket
import time
from typing import TYPE_CHECKING

import httpx2
from anthropic import AsyncAnthropic
from openai import AsyncOpenAI
from pydantic_ai.direct import model_request
from pydantic_ai.messages import ModelRequest
from pydantic_ai.models import ModelRequestParameters
from pydantic_ai.models.anthropic import AnthropicModel
from pydantic_ai.models.openai import OpenAIChatModel
from pydantic_ai.output import OutputObjectDefinition
from pydantic_ai.profiles.openai import OpenAIModelProfile
from pydantic_ai.providers.anthropic import AnthropicProvider
from pydantic_ai.providers.openai import OpenAIProvider
from pydantic_ai.settings import ModelSettings

from hookline.errors import HandlerError
from hookline.handlers.http import LARGEST, send_request
from hookline.handlers.recursion_guard import MODEL_CALL_HEADER
from hookline.model.verdict import Failure, Outcome, RemoteHandlerError
from hookline.wire.providers import ANTHROPIC, OPENAI, Endpoint, resolve_endpoint
from hookline.wire.templates import fill_prompt

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from typing import Any, TypeAlias

    from pydantic_ai.models import Model as Client

    from hookline.handlers.checked_connection import Resolve
    from hookline.model.spec import Model

    # Sends a request (address, method, body, headers), and returns the JSON of a successful answer,
    # or raises a RemoteHandlerError.
    Send: TypeAlias = Callable[[str, str, bytes, Mapping[str, str]], str]

# The headers of a client library that are sent. What it takes from the environment is not, nor is
# another key.
_HEADERS = ("content-type", "accept", "anthropic-version", "anthropic-beta")
_KEY_HEADERS = ("authorization", "x-api-key")
_NO_KEY = "none"  # the client libraries demand a key even for an endpoint without one
# Marks of models that refuse a temperature.
_NO_TEMPERATURE = ("openai_supports_reasoning", "anthropic_disallows_sampling_settings")
_TEMPLATE = (
    "Reply with one JSON object that fits this JSON Schema, and with nothing else:\n\n{schema}"
)


def ask_model(
    model: Model,
    payload: str,
    *,
    seconds: float,
    environ: Mapping[str, str],
    largest: int = LARGEST,
    opened: Callable[[socket.socket], object] = lambda _: None,
    resolve: Resolve = socket.getaddrinfo,
) -> Outcome:
    """Ask a model about a payload and return its reply as `stdout`.

    It raises nothing for faults of the other side. The arguments are as in `http.call`. A hookline
    server that the provider calls runs no hooks, if the provider passes on the request's mark.
    """
    began = time.monotonic()
    try:
        endpoint = resolve_endpoint(model, environ)
        prompt = fill_prompt(model, payload, late=lambda: time.monotonic() - began > seconds)

        def send(address: str, method: str, body: bytes, headers: Mapping[str, str]) -> str:
            return send_request(
                address,
                method,
                body,
                {**headers, "User-Agent": "hookline", MODEL_CALL_HEADER: "1"},
                seconds=seconds,
                largest=largest,
                opened=opened,
                allow_local=endpoint.local,
                only_local=bool(endpoint.key) and endpoint.base_url.startswith("http:"),
                resolve=resolve,
            )

        reply = ask(endpoint, model, prompt.encode("utf-8", "replace").decode(), send)
    except HandlerError as error:
        failure, detail = Failure.NOT_STARTED, str(error)
    except RemoteHandlerError as error:
        failure, detail = error.failure, error.detail
    else:
        return Outcome(exit_code=0, stdout=reply, seconds=time.monotonic() - began)
    return Outcome(failure=failure, detail=detail, seconds=time.monotonic() - began)


def ask(endpoint: Endpoint, model: Model, prompt: str, send: Send) -> str:
    """Return a model's reply to a prompt; the caller limits the time.

    Raises:
        RemoteHandlerError: there is no complete reply.
    """
    return asyncio.run(_ask(endpoint, model, prompt, _Transport(send, endpoint.key)))


async def _ask(endpoint: Endpoint, model: Model, prompt: str, transport: _Transport) -> str:
    async with httpx2.AsyncClient(transport=transport, trust_env=False, timeout=None) as http:
        client = _make_client(endpoint, http)
        profile: Mapping[str, Any] = {**client.profile}
        settings = ModelSettings(max_tokens=model.most_tokens)
        if not any(profile.get(mark) for mark in _NO_TEMPERATURE):
            settings["temperature"] = 0.0
        try:
            response = await model_request(
                client,
                [ModelRequest.user_text_prompt(prompt, instructions=model.system or None)],
                model_settings=settings,
                model_request_parameters=_describe_reply(model, endpoint, profile),
                instrument=False,
            )
        except Exception as error:
            message = f"no reply of a model ({type(error).__name__})"
            raise transport.error or RemoteHandlerError(Failure.UNREADABLE, message) from error
    if response.finish_reason == "length":
        message = f"the model's reply was cut off at {model.most_tokens:,} tokens"
        raise RemoteHandlerError(Failure.UNREADABLE, message)
    # pydantic-ai keeps an unknown finish reason only in the details.
    is_unknown = "finish_reason" in (response.provider_details or {})
    if response.finish_reason != "stop" and (response.finish_reason or is_unknown):
        raise RemoteHandlerError(Failure.UNREADABLE, "the model's reply did not come to its end")
    return response.text or ""


class _Transport(httpx2.AsyncBaseTransport):
    """Sends the requests of a client library.

    `error`: why one failed, which such libraries hide in errors of their own.
    """

    def __init__(self, send: Send, key: str) -> None:
        self.send = send
        self.key = key
        self.error: RemoteHandlerError | None = None

    async def handle_async_request(self, request: httpx2.Request) -> httpx2.Response:
        headers = {name: value for name, value in request.headers.items() if name in _HEADERS}
        for name in _KEY_HEADERS:
            if self.key and request.headers.get(name, "").removeprefix("Bearer ") == self.key:
                headers[name] = request.headers[name]
        body = await request.aread()
        try:
            text = self.send(str(request.url), request.method, body, headers)
            json.loads(text)
        except RemoteHandlerError as error:
            self.error = error
            raise
        except ValueError:
            self.error = RemoteHandlerError(Failure.UNREADABLE, "the provider's answer is no JSON")
            raise self.error from None
        return httpx2.Response(200, headers={"content-type": "application/json"}, text=text)


def _describe_reply(
    model: Model, endpoint: Endpoint, profile: Mapping[str, Any]
) -> ModelRequestParameters:
    """Return how to request the schema: binding if the provider can, else by the instructions."""
    if not model.schema:
        return ModelRequestParameters()
    is_bound = endpoint.binds and profile.get("supports_json_schema_output", False)
    return ModelRequestParameters(
        output_mode="native" if is_bound else "prompted",
        output_object=OutputObjectDefinition(
            json_schema=dict(model.schema), name=model.shape or None, strict=True
        ),
        prompted_output_template=None if is_bound else _TEMPLATE,
    )


def _make_client(endpoint: Endpoint, http: httpx2.AsyncClient) -> Client:
    """Return the client of an API; it does not repeat a request."""
    options: dict[str, Any] = {
        "base_url": endpoint.base_url,
        "api_key": endpoint.key or _NO_KEY,
        "max_retries": 0,
        "http_client": http,
    }
    if endpoint.speaks == ANTHROPIC:
        provider = AnthropicProvider(anthropic_client=AsyncAnthropic(**options))
        return AnthropicModel(endpoint.model, provider=provider)
    return OpenAIChatModel(
        endpoint.model,
        provider=OpenAIProvider(openai_client=AsyncOpenAI(**options)),
        profile=OpenAIModelProfile(
            supports_json_object_output=endpoint.binds,
            openai_chat_supports_max_completion_tokens=endpoint.provider == OPENAI,
        ),
    )
