"""Model hooks: asks a language model one question, and returns the text of the reply.

The request goes to the configured address, after a check of each resolved one, with the key for
that address. There are no retries, and of the environment only that key is sent. `model_client`
speaks the provider's API.
"""

from __future__ import annotations

import json
import socket
import threading
import time
from contextlib import contextmanager, suppress

from hookline.errors import HandlerError
from hookline.handlers.exceptions import RemoteHandlerError
from hookline.handlers.http import LARGEST, send_request
from hookline.handlers.recursion_guard import MODEL_CALL_HEADER
from hookline.model.verdict import Failure, Outcome
from hookline.wire.providers import resolve_endpoint
from hookline.wire.templates import INSTALL, TEMPLATE, fill_prompt, find_template_faults

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping
    from types import ModuleType

    from hookline.handlers.checked_connection import Resolve
    from hookline.model.spec import Model

MOST_AT_ONCE = 16  # concurrent questions of this process
# The share of its time that a question waits for its turn. In a loop of questions the innermost one
# never gets its turn. It gives up while the others still have time, so that each of them gets an
# answer and none runs in its place.
_WAIT = 0.5
MOST_CALLS = 200  # per session, unless the environment says otherwise
CALLS_VARIABLE = "HOOKLINE_MODEL_CALLS"
_MOST_SESSIONS = 1000


class CallCounter:
    """Counts the model calls of each session in this process.

    Forgets the sessions with the oldest calls first.

    It serves engines without session state. With session state, `engine.budget` counts across
    processes.
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


def prepare(models: Iterable[Model], environ: Mapping[str, str]) -> None:
    """Load the libraries that these hooks need, which takes seconds once per process and does not count as a hook's time.

    Errors are reported when a hook asks.
    """
    for model in models:
        with suppress(HandlerError, ImportError):
            _import_client().load_client(resolve_endpoint(model, environ).speaks)
        if model.language == TEMPLATE:
            find_template_faults("")


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
    """Ask a model about a payload and return its reply as `stdout`.

    Raises nothing for faults of the other side.

    `seconds`, `largest`, `opened` and `resolve` are as in `http.call`. A hookline server that the
    provider calls runs no hooks, if the provider passes on the request's mark. A provider inside
    this process may fire events, like any other event; `turns` limits those.
    """
    began = time.monotonic()
    try:
        endpoint = resolve_endpoint(model, environ)
        prompt = fill_prompt(model, payload, late=lambda: time.monotonic() - began > seconds)
        client = _import_client()
        with _take_turn(turns, _WAIT * (began + seconds - time.monotonic())):
            counter.count(_session(payload), read_call_limit(environ))
            reply = client.ask(
                endpoint,
                model,
                prompt.encode("utf-8", "replace").decode(),
                lambda address, method, body, headers: send_request(
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
                ),
            )
    except HandlerError as error:
        failure, detail = Failure.NOT_STARTED, str(error)
    except RemoteHandlerError as error:
        failure, detail = error.failure, error.detail
    else:
        return Outcome(exit_code=0, stdout=reply, seconds=time.monotonic() - began)
    return Outcome(failure=failure, detail=detail, seconds=time.monotonic() - began)


def _import_client() -> ModuleType:
    """Return the module `model_client`.

    Raises:
        HandlerError: its library is not installed.
    """
    try:
        # Only model hooks pay for some seconds of loading.
        from hookline.handlers import model_client  # noqa: PLC0415
    except ImportError as error:
        name = error.name or "pydantic_ai"
        message = f"model hooks need `{name}`, which is not installed"
        raise HandlerError(message, hint=INSTALL) from None
    return model_client


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
