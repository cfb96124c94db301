"""Model hooks: asks a language model one question over its provider's API, and returns the text of the reply.

The request goes to the configured address, after a check of each resolved one, with the key for that address. There are no
retries, and nothing of the environment is sent but what the hook names.
"""

from __future__ import annotations

import json
import re
import socket
import threading
import time
from contextlib import contextmanager

from hookline.errors import HandlerError
from hookline.handlers.http import LARGEST, CallError, send_request
from hookline.handlers.recursion_guard import MODEL_CALL_HEADER
from hookline.model.outcome import Failure, Outcome
from hookline.wire.providers import ANTHROPIC, OPENAI, resolve_endpoint
from hookline.wire.templates import fill_prompt

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping
    from typing import Any

    from hookline.handlers.checked_connection import Resolve
    from hookline.model.handler import Model
    from hookline.wire.providers import Endpoint

MOST_AT_ONCE = 16  # concurrent questions of this process
# The share of its time that a question waits for its turn. In a loop of questions the innermost one never gets its turn. It gives
# up while the others still have time, so that each of them gets an answer and none runs in its place.
_WAIT = 0.5
MOST_CALLS = 200  # per session, unless the environment says otherwise
CALLS_VARIABLE = "HOOKLINE_MODEL_CALLS"
_MOST_SESSIONS = 1000
_ANTHROPIC_VERSION = "2026-10-21"
_TEMPLATE = "Reply with one JSON object that fits this JSON Schema, and with nothing else:\n\n"
# The beginnings of models that refuse a temperature.
_NO_TEMPERATURE = (
    *("o1", "o3", "o4", "gpt-5"),
    *("claude-opus-4-7", "claude-opus-4-8", "claude-opus-5", "claude-sonnet-5", "claude-haiku-5-5"),
    *("claude-fable", "claude-mythos"),
)
# The beginnings of models whose reply cannot be bound to a schema.
_UNBOUND = (
    "claude-3",
    "claude-opus-4-0",
    "claude-opus-4-2",
    "claude-sonnet-4-0",
    "claude-sonnet-4-2",
)
_THOUGHTS = re.compile(r"<think>.*?</think>\s*", re.DOTALL)


class CallCounter:
    """Counts the model calls of each session in this process; forgets the sessions with the oldest calls first.

    It serves engines without session state. With session state, `engine.budget` counts across processes.
    """

    def __init__(self) -> None:
        self._counts: dict[str, int] = {}
        self._lock = threading.Lock()

    def count(self, session: str, most: int) -> None:
        """Count one call.

        Raises:
            HandlerError: the session has used all its calls.
        """
        with self._lock:
            had = self._counts.pop(session, 0)
            self._counts[session] = min(had + 1, most)
            while len(self._counts) > _MOST_SESSIONS:
                del self._counts[next(iter(self._counts))]
        if had >= most:
            raise make_budget_error(most)


def make_budget_error(most: int) -> HandlerError:
    """Return the error for a session that has used all its model calls."""
    return HandlerError(
        f"this session has had its {most} model calls", hint=f"`{CALLS_VARIABLE}` says how many"
    )


_COUNTER = CallCounter()
_TURNS = threading.BoundedSemaphore(MOST_AT_ONCE)


def ask_model(
    model: Model,
    payload: str,
    *,
    seconds: float,
    environ: Mapping[str, str],
    largest: int = LARGEST,
    opened: Callable[[socket.socket], object] = lambda _: None,
    counter: CallCounter = _COUNTER,
    turns: threading.Semaphore = _TURNS,
    resolve: Resolve = socket.getaddrinfo,
) -> Outcome:
    """Ask a model about a payload and return its reply as `stdout`; raises nothing for faults of the other side.

    `seconds`, `largest`, `opened` and `resolve` are as in `http.call`. A hookline server that the provider calls runs no hooks, if
    the provider passes on the request's mark. A provider inside this process may fire events, like any other event;
    `turns` limits those.
    """
    began = time.monotonic()
    try:
        endpoint = resolve_endpoint(model, environ)
        prompt = fill_prompt(model, payload, late=lambda: time.monotonic() - began > seconds)
        path, headers, body = make_request(endpoint, model, prompt)
        with _take_turn(turns, _WAIT * (began + seconds - time.monotonic())):
            counter.count(_session(payload), read_call_limit(environ))
            answer = send_request(
                endpoint.base_url.rstrip("/") + path,
                "POST",
                json.dumps(body).encode("utf-8"),
                headers,
                seconds=seconds,
                largest=largest,
                opened=opened,
                allow_local=endpoint.local,
                only_local=bool(endpoint.key) and endpoint.base_url.startswith("http:"),
                resolve=resolve,
            )
        reply = read_reply(answer, model.most_tokens)
    except HandlerError as error:
        failure, detail = Failure.NOT_STARTED, str(error)
    except CallError as error:
        failure, detail = error.failure, error.detail
    else:
        return Outcome(exit_code=0, stdout=reply, seconds=time.monotonic() - began)
    return Outcome(failure=failure, detail=detail, seconds=time.monotonic() - began)


@contextmanager
def _take_turn(turns: threading.Semaphore, seconds: float) -> Iterator[None]:
    """Hold a question's turn.

    Raises:
        HandlerError: the turn did not come in time.
    """
    if not turns.acquire(timeout=max(0.0, seconds)):
        raise HandlerError(
            f"this process has {MOST_AT_ONCE} questions to models under way, and none came to its end",
            hint="does one of them lead to itself?",
        )
    try:
        yield
    finally:
        turns.release()


def make_request(
    endpoint: Endpoint, model: Model, prompt: str
) -> tuple[str, dict[str, str], dict[str, Any]]:
    """Return the path, the headers and the body of a question, as the provider's API has them.

    A reply is bound to the schema where the provider can, and the schema is a part of the instructions elsewhere.
    """
    prompt = prompt.encode("utf-8", "replace").decode()
    is_bound = bool(model.schema) and endpoint.binds and not endpoint.model.startswith(_UNBOUND)
    system = [model.system] if model.system else []
    if model.schema and not is_bound:
        system.append(_TEMPLATE + json.dumps(model.schema))
    headers = {"Content-Type": "application/json", "Accept": "application/json"}
    headers |= {"User-Agent": "hookline", MODEL_CALL_HEADER: "1"}
    if endpoint.key:
        headers["Authorization"] = f"Bearer {endpoint.key}"
    body: dict[str, Any] = {"model": endpoint.model, "stream": False}
    if not endpoint.model.startswith(_NO_TEMPERATURE):
        body["temperature"] = 0.0
    if endpoint.speaks == ANTHROPIC:
        headers["Anthropic-Version"] = _ANTHROPIC_VERSION
        body["max_tokens"] = model.most_tokens
        if system:
            body["system"] = [_text_block(text) for text in system]
        body["messages"] = [{"role": "user", "content": [_text_block(prompt)]}]
        if is_bound:
            form = {"type": "json_schema", "schema": model.schema}
            body["output_config"] = {"format": form}
        return "/v1/messages", headers, body
    body["max_completion_tokens" if endpoint.provider == OPENAI else "max_tokens"] = (
        model.most_tokens
    )
    body["messages"] = [
        *({"role": "system", "content": text} for text in system),
        {"role": "user", "content": prompt},
    ]
    if is_bound:
        schema = {"name": model.shape, "schema": model.schema, "strict": True}
        body["response_format"] = {"type": "json_schema", "json_schema": schema}
    return "/chat/completions", headers, body


def _text_block(text: str) -> dict[str, str]:
    return {"type": "text", "text": text}


def read_reply(answer: str, most_tokens: int) -> str:
    """Return the text of a reply that the model finished by itself, from the answer of either API, without its thoughts.

    Raises:
        CallError: there is no such reply.
    """
    match json.loads(answer or "null"):
        case {"choices": [{"message": {"content": (str() | None) as text}, **rest}, *_]}:
            reason = rest.get("finish_reason")
        case {"content": [*parts], "stop_reason": reason}:
            text = "".join(_text_of(part) for part in parts)
        case _:
            raise CallError(Failure.UNREADABLE, "no reply of a model")
    if reason in ("length", "max_tokens"):
        message = f"the model's reply was cut off at {most_tokens:,} tokens"
        raise CallError(Failure.UNREADABLE, message)
    if reason not in (None, "stop", "end_turn", "stop_sequence"):
        raise CallError(Failure.UNREADABLE, "the model's reply did not come to its end")
    return _THOUGHTS.sub("", text or "")


def _text_of(part: object) -> str:
    match part:
        case {"type": "text", "text": str(text)}:
            return text
    return ""


def read_call_limit(environ: Mapping[str, str]) -> int:
    """Return how many model calls a session may make.

    Raises:
        HandlerError: the variable is not a number.
    """
    text = environ.get(CALLS_VARIABLE, "").strip()
    if not text:
        return MOST_CALLS
    if not text.isascii() or not text.isdigit():
        raise HandlerError(f"`{CALLS_VARIABLE}={text:.40}` is no number of calls")
    return int(text[:9])


def _session(payload: str) -> str:
    """Return the session id in a payload; empty if there is none."""
    try:
        given = json.loads(payload)
    except (ValueError, RecursionError):
        return ""
    return str(given.get("session_id", ""))[:200] if isinstance(given, dict) else ""
