"""Model hooks: asks a language model one question, from the template to the reply, within one time limit.

The time limit covers the look-up, the connection and the reply; there are no retries. It does not cover loading the client
library, which takes some seconds once per process: `prepare` does that before the time starts. The whole question runs on the
calling thread, so that nothing of it can block a caller that gave up.
"""

from __future__ import annotations

import asyncio
import contextlib
import json
import socket
import threading
import time

from hookline.errors import HandlerError
from hookline.handlers.recursion_guard import ACTIVE_EVENTS, MODEL_CALL
from hookline.model.outcome import Failure, Outcome
from hookline.wire.providers import resolve_endpoint
from hookline.wire.templates import INSTALL, TEMPLATE, fill_prompt

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping

    import httpx2

    from hookline.handlers.deadline_connection import DeadlineConnection
    from hookline.handlers.name_resolution import Resolve
    from hookline.model.handler import Model
    from hookline.wire.providers import Endpoint

LARGEST = 1 << 20  # bytes of a provider's answer
MOST_AT_ONCE = 16  # concurrent questions of this process
# The share of its time that a question waits for its turn. In a loop of questions the innermost one never gets its turn. It gives
# up while the others still have time, so that each of them gets an answer and none runs in its place.
_WAIT = 0.5
MOST_CALLS = 200  # per session, unless the environment says otherwise
CALLS_VARIABLE = "HOOKLINE_MODEL_CALLS"
_MOST_SESSIONS = 1000


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


_TALLY = CallCounter()
_TURNS = threading.BoundedSemaphore(MOST_AT_ONCE)


def prepare(models: Iterable[Model], environ: Mapping[str, str]) -> None:
    """Load the libraries that these hooks need; errors are reported when a hook asks."""
    for model in models:
        with contextlib.suppress(HandlerError):
            _load(model, resolve_endpoint(model, environ))


def ask_model(
    model: Model,
    payload: str,
    *,
    seconds: float,
    environ: Mapping[str, str],
    largest: int = LARGEST,
    opened: Callable[[socket.socket], object] = lambda _: None,
    clock: Callable[[], float] = time.monotonic,
    tally: CallCounter = _TALLY,
    turns: threading.Semaphore = _TURNS,
    resolve: Resolve = socket.getaddrinfo,
    transport: httpx2.AsyncBaseTransport | None = None,
) -> Outcome:
    """Ask a model about a payload and return its reply as `stdout`; raises nothing for faults of the other side.

    `seconds` is the total time once everything is loaded; only the look-up of the name cannot be cut short. `largest`: the most
    bytes of the provider's answer. `opened` is called with each socket; shutting it ends the call. During the call no engine runs
    hooks. The same holds for a hookline server that the provider calls, if it passes on the request's mark. A provider inside this
    process may fire events on its own thread, which cannot be told from others; `turns` limits those.
    """
    began = clock()
    inside = ACTIVE_EVENTS.set((*ACTIVE_EVENTS.get(), MODEL_CALL))
    try:
        whom = resolve_endpoint(model, environ)
        _load(model, whom)
        began = clock()
        prompt = (
            fill_prompt(model, payload, late=lambda: clock() - began > seconds)
            .encode("utf-8", "replace")
            .decode()
        )
        with _take_turn(turns, _WAIT * (began + seconds - clock())):
            tally.count(_session(payload), read_call_limit(environ))
            line = _line(began + seconds, clock, opened, resolve)
            return _perform(
                _Question(whom, model, prompt, largest, transport),
                line,
                seconds,
                lambda: clock() - began,
            )
    except HandlerError as error:
        return Outcome(failure=Failure.NOT_STARTED, detail=str(error), seconds=clock() - began)
    finally:
        ACTIVE_EVENTS.reset(inside)


@contextlib.contextmanager
def _take_turn(turns: threading.Semaphore, seconds: float) -> Iterator[None]:
    """Wait for a question's turn.

    Raises:
        HandlerError: the turn did not come in time.
    """
    if not turns.acquire(timeout=max(0.0, seconds)):
        hint = "does one of them lead to itself?"
        raise HandlerError(
            f"this process has {MOST_AT_ONCE} questions to models under way, and none came to its end",
            hint=hint,
        )
    try:
        yield
    finally:
        turns.release()


def _line(
    until: float,
    clock: Callable[[], float],
    opened: Callable[[socket.socket], object],
    resolve: Resolve,
) -> DeadlineConnection:
    from hookline.handlers.deadline_connection import DeadlineConnection  # noqa: PLC0415 - as below
    from hookline.handlers.http import HEAD  # noqa: PLC0415 - as below

    return DeadlineConnection(until, most=HEAD, clock=clock, opened=opened, resolve=resolve)


class _Question:
    """What to ask, which endpoint, and over which transport."""

    def __init__(
        self,
        whom: Endpoint,
        model: Model,
        prompt: str,
        largest: int,
        transport: httpx2.AsyncBaseTransport | None,
    ) -> None:
        self.whom = whom
        self.model = model
        self.prompt = prompt
        self.largest = largest
        self.transport = transport

    async def ask(self, line: DeadlineConnection, seconds: float) -> str:
        """Return the reply, or raise TimeoutError when the time is over."""
        from hookline.handlers.model_client import ask  # noqa: PLC0415 - only model hooks pay for some seconds of loading
        from hookline.handlers.model_transport import ConnectionTransport  # noqa: PLC0415 - as above

        wire = self.transport or ConnectionTransport(
            line, self.whom, seconds=seconds, largest=self.largest
        )
        async with asyncio.timeout(max(0.0, line.until - line.clock())):
            return await ask(
                self.whom, self.model, self.prompt, largest=self.largest, transport=wire
            )


def _perform(
    question: _Question, line: DeadlineConnection, seconds: float, elapsed: Callable[[], float]
) -> Outcome:
    from hookline.handlers.model_transport import ReplyError  # noqa: PLC0415 - as above

    try:
        reply = asyncio.run(question.ask(line, seconds))
    except ReplyError as error:
        return Outcome(failure=error.failure, detail=error.detail, seconds=elapsed())
    except TimeoutError:
        return Outcome(failure=Failure.TIMED_OUT, detail=f"after {seconds:g} s", seconds=elapsed())
    finally:
        line.hang_up()
    return Outcome(exit_code=0, stdout=reply, seconds=elapsed())


def _load(model: Model, whom: Endpoint) -> None:
    """Load the libraries that a question needs.

    Raises:
        HandlerError: one of them is not installed.
    """
    try:
        from hookline.handlers import model_client  # noqa: PLC0415 - as above

        model_client.load_client(whom.speaks)
        if model.language == TEMPLATE:
            from hookline.wire import sandbox  # noqa: F401, PLC0415 - only such prompts need jinja2
    except ImportError as error:
        raise HandlerError(
            f"model hooks need `{error.name or 'pydantic_ai'}`, which is not installed",
            hint=INSTALL,
        ) from None
    if whom.base_url.startswith("https:"):
        from hookline.handlers.deadline_connection import make_tls_context  # noqa: PLC0415 - local endpoints need no TLS

        make_tls_context()


def read_call_limit(environ: Mapping[str, str]) -> int:
    """Return how many model calls a session may make.

    Raises:
        HandlerError: the variable is not a number.
    """
    said = environ.get(CALLS_VARIABLE, "").strip()
    if not said:
        return MOST_CALLS
    if not said.isascii() or not said.isdigit():
        raise HandlerError(f"`{CALLS_VARIABLE}={said:.40}` is no number of calls")
    return int(said[:9])


def _session(payload: str) -> str:
    """Return the session id in a payload; empty if there is none."""
    try:
        given = json.loads(payload)
    except (ValueError, RecursionError):
        return ""
    return str(given.get("session_id", ""))[:200] if isinstance(given, dict) else ""
