"""Judge: one question of a hook to a language model, from the template to the reply, within one time limit.

The time limit covers the look-up, the connection and the reply; there are no retries. It does not cover loading the client
library, which takes some seconds once in a process: `prepare` does that before the time begins. All of a question is asked on the
thread that it is asked from, so that nothing of it holds up whoever gave it up.
"""

from __future__ import annotations

import asyncio
import contextlib
import json
import socket
import threading
import time

from hookline.errors import HandlerError
from hookline.handlers.firing import FIRING, JUDGING
from hookline.model.outcome import Failure, Outcome
from hookline.wire.providers import resolve_endpoint
from hookline.wire.templates import INSTALL, TEMPLATE, fill_prompt

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping

    import httpx2

    from hookline.handlers.address import Resolve
    from hookline.handlers.line import Line
    from hookline.model.handler import Model
    from hookline.wire.providers import Endpoint

LARGEST = 1 << 20  # bytes of a provider's answer
MOST_AT_ONCE = 16  # questions of this process
# The part of its time that a question waits for its turn. Those of a loop wait for the innermost one, whose turn never comes; it
# gives up while all others still have time left, so that each of them gets its answer and none is asked in its place.
_WAIT = 0.5
MOST_CALLS = 200  # of a session, unless the environment says otherwise
CALLS_VARIABLE = "HOOKLINE_MODEL_CALLS"
_MOST_SESSIONS = 1000


class Tally:
    """How often each session has asked a model in this process; the sessions that asked longest ago are forgotten first.

    It is for engines without a state of sessions; where there is one, `engine.budget` counts in all processes together.
    """

    def __init__(self) -> None:
        self._counts: dict[str, int] = {}
        self._lock = threading.Lock()

    def count(self, session: str, most: int) -> None:
        """Count one call.

        Raises:
            HandlerError: the session has had as many as it may have.
        """
        with self._lock:
            had = self._counts.pop(session, 0)
            self._counts[session] = min(had + 1, most)
            while len(self._counts) > _MOST_SESSIONS:
                del self._counts[next(iter(self._counts))]
        if had >= most:
            raise used_up(most)


def used_up(most: int) -> HandlerError:
    """What a session is told that has had its calls of models."""
    return HandlerError(
        f"this session has had its {most} model calls", hint=f"`{CALLS_VARIABLE}` says how many"
    )


_TALLY = Tally()
_TURNS = threading.BoundedSemaphore(MOST_AT_ONCE)


def prepare(models: Iterable[Model], environ: Mapping[str, str]) -> None:
    """Load what these hooks need to ask; what is wrong with one is said when it is asked."""
    for model in models:
        with contextlib.suppress(HandlerError):
            _load(model, resolve_endpoint(model, environ))


def judge(
    model: Model,
    payload: str,
    *,
    seconds: float,
    environ: Mapping[str, str],
    largest: int = LARGEST,
    opened: Callable[[socket.socket], object] = lambda _: None,
    clock: Callable[[], float] = time.monotonic,
    tally: Tally = _TALLY,
    turns: threading.Semaphore = _TURNS,
    resolve: Resolve = socket.getaddrinfo,
    transport: httpx2.AsyncBaseTransport | None = None,
) -> Outcome:
    """Ask a model about a payload and return its reply as `stdout`; never raises for what the other side does.

    `seconds` is all the time there is, once everything is loaded; only the look-up of the name cannot be cut short. `largest`:
    bytes of the provider's answer. `opened` is told each socket: who shuts it ends the call. Inside of the call no hook of any
    engine is asked; nor by a server of ours that the provider asks, if it passes the mark of the request on. For a provider
    in this process, which fires on a thread of its own, there are the `turns`: nobody can tell its events from others.
    """
    began = clock()
    inside = FIRING.set((*FIRING.get(), JUDGING))
    try:
        whom = resolve_endpoint(model, environ)
        _load(model, whom)
        began = clock()
        prompt = (
            fill_prompt(model, payload, late=lambda: clock() - began > seconds)
            .encode("utf-8", "replace")
            .decode()
        )
        with _turn(turns, _WAIT * (began + seconds - clock())):
            tally.count(_session(payload), most_calls(environ))
            line = _line(began + seconds, clock, opened, resolve)
            return _asked(
                _Question(whom, model, prompt, largest, transport),
                line,
                seconds,
                lambda: clock() - began,
            )
    except HandlerError as error:
        return Outcome(failure=Failure.NOT_STARTED, detail=str(error), seconds=clock() - began)
    finally:
        FIRING.reset(inside)


@contextlib.contextmanager
def _turn(turns: threading.Semaphore, seconds: float) -> Iterator[None]:
    """A question's turn.

    Raises:
        HandlerError: it did not come.
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
) -> Line:
    from hookline.handlers.http import HEAD  # noqa: PLC0415 - as below
    from hookline.handlers.line import Line  # noqa: PLC0415 - as below

    return Line(until, most=HEAD, clock=clock, opened=opened, resolve=resolve)


class _Question:
    """What is asked, of whom, over which wire."""

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

    async def ask(self, line: Line, seconds: float) -> str:
        """The reply, unless the time is over first."""
        from hookline.handlers.models import ask  # noqa: PLC0415 - some seconds of loading, which only a model hook spends
        from hookline.handlers.wired import Dialled  # noqa: PLC0415 - as above

        wire = self.transport or Dialled(line, self.whom, seconds=seconds, largest=self.largest)
        async with asyncio.timeout(max(0.0, line.until - line.clock())):
            return await ask(
                self.whom, self.model, self.prompt, largest=self.largest, transport=wire
            )


def _asked(
    question: _Question, line: Line, seconds: float, elapsed: Callable[[], float]
) -> Outcome:
    from hookline.handlers.wired import ReplyError  # noqa: PLC0415 - as above

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
    """Load what a question needs.

    Raises:
        HandlerError: it is not installed.
    """
    try:
        from hookline.handlers import models  # noqa: PLC0415 - as above

        models.ready(whom.speaks)
        if model.language == TEMPLATE:
            from hookline.wire import sandbox  # noqa: F401, PLC0415 - jinja2, which only such prompts need
    except ImportError as error:
        raise HandlerError(
            f"model hooks need `{error.name or 'pydantic_ai'}`, which is not installed",
            hint=INSTALL,
        ) from None
    if whom.base_url.startswith("https:"):
        from hookline.handlers.line import tls  # noqa: PLC0415 - hooks on this machine do without

        tls()


def most_calls(environ: Mapping[str, str]) -> int:
    """How many calls of models a session may have.

    Raises:
        HandlerError: the environment says something that is no number.
    """
    said = environ.get(CALLS_VARIABLE, "").strip()
    if not said:
        return MOST_CALLS
    if not said.isascii() or not said.isdigit():
        raise HandlerError(f"`{CALLS_VARIABLE}={said:.40}` is no number of calls")
    return int(said[:9])


def _session(payload: str) -> str:
    """The session that a payload is of, as far as it says so."""
    try:
        given = json.loads(payload)
    except (ValueError, RecursionError):
        return ""
    return str(given.get("session_id", ""))[:200] if isinstance(given, dict) else ""
