"""Judge: one question of a hook to a language model, from the template to the reply, within one time limit.

The time limit covers the look-up, the connection and the reply; there are no retries. It does not cover loading the client
library, which takes about a second once in a process: `prepare` does that before the time begins.
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
from hookline.wire.providers import endpoint
from hookline.wire.templates import INSTALL, fill

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping

    import httpx2

    from hookline.model.handler import Model
    from hookline.wire.providers import Endpoint

LARGEST = 1 << 20  # bytes of a provider's answer
MOST_CALLS = 200  # of a session in one process, unless the environment says otherwise
CALLS_VARIABLE = "HOOKLINE_MODEL_CALLS"
_MOST_SESSIONS = 1000


class Tally:
    """How often each session has asked a model; the sessions that asked longest ago are forgotten first."""

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
            raise HandlerError(f"this session has had its {most} model calls", hint=f"`{CALLS_VARIABLE}` says how many")


_TALLY = Tally()


def prepare(models: Iterable[Model], environ: Mapping[str, str]) -> None:
    """Load what these hooks need to ask; what is wrong with one is said when it is asked."""
    for model in models:
        with contextlib.suppress(HandlerError):
            _load(endpoint(model, environ))


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
    transport: httpx2.AsyncBaseTransport | None = None,
) -> Outcome:
    """Ask a model about a payload and return its reply as `stdout`; never raises for what the other side does.

    `seconds` is all the time there is. `largest`: bytes of the provider's answer. `opened` is told a socket: who shuts it ends
    the call. Inside of the call no hook of any engine is asked.
    """
    began = clock()
    inside = FIRING.set((*FIRING.get(), JUDGING))
    try:
        whom = endpoint(model, environ)
        _load(whom)
        prompt = fill(model, payload, late=lambda: clock() - began > seconds).encode("utf-8", "replace").decode()
        tally.count(_session(payload), _most_calls(environ))
        return _asked(_Question(whom, model, prompt, largest, transport), seconds - (clock() - began), opened, lambda: clock() - began)
    except HandlerError as error:
        return Outcome(failure=Failure.NOT_STARTED, detail=str(error), seconds=clock() - began)
    finally:
        FIRING.reset(inside)


class _Question:
    """What is asked, of whom, over which wire."""

    def __init__(self, whom: Endpoint, model: Model, prompt: str, largest: int, transport: httpx2.AsyncBaseTransport | None) -> None:
        self.whom = whom
        self.model = model
        self.prompt = prompt
        self.largest = largest
        self.transport = transport

    async def ask(self) -> str:
        from hookline.handlers.models import ask  # noqa: PLC0415 - a second of loading, which only a model hook spends

        return await ask(self.whom, self.model, self.prompt, largest=self.largest, transport=self.transport)


def _asked(question: _Question, seconds: float, opened: Callable[[socket.socket], object], elapsed: Callable[[], float]) -> Outcome:
    from hookline.handlers.models import ReplyError  # noqa: PLC0415 - as above

    ours, theirs = socket.socketpair()
    failure, detail = None, ""
    try:
        opened(theirs)
        reply = asyncio.run(_within(question, max(0.0, seconds), ours))
    except ReplyError as error:
        failure, detail = error.failure, error.detail
    except TimeoutError:
        failure = Failure.TIMED_OUT
    except (ConnectionAbortedError, asyncio.CancelledError):
        failure, detail = Failure.CANCELLED, ""
    else:
        return Outcome(exit_code=0, stdout=reply, seconds=elapsed())
    finally:
        ours.close()
        theirs.close()
    if failure is Failure.TIMED_OUT:
        detail = f"after {elapsed():.3g} s"
    return Outcome(failure=failure, detail=detail, seconds=elapsed())


async def _within(question: _Question, seconds: float, ending: socket.socket) -> str:
    """The reply, unless the time is over first, or the other end of `ending` is shut."""
    loop, task = asyncio.get_running_loop(), asyncio.current_task()
    assert task is not None  # noqa: S101 - a coroutine runs in a task

    def end() -> None:
        loop.remove_reader(ending)
        task.cancel()

    loop.add_reader(ending, end)
    try:
        async with asyncio.timeout(seconds):
            return await question.ask()
    finally:
        loop.remove_reader(ending)


def _load(whom: Endpoint) -> None:
    """Load the client library.

    Raises:
        HandlerError: it is not installed.
    """
    try:
        from hookline.handlers import models  # noqa: PLC0415 - as above

        models.ready(whom.speaks)
    except ImportError as error:
        raise HandlerError(f"model hooks need `{error.name or 'pydantic_ai'}`, which is not installed", hint=INSTALL) from None


def _most_calls(environ: Mapping[str, str]) -> int:
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
