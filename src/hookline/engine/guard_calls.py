"""Calls the guards that hookline ships, with the clock, the files and the memory that they need."""

from __future__ import annotations

import os
import time
from functools import partial
from time import perf_counter

from hookline.core.dispatch import Run, intercept
from hookline.engine.guarded_paths import make_path_finder
from hookline.engine.projects import find_event_project
from hookline.guards.table import GUARDS
from hookline.guards.verdict import ask_guard
from hookline.guards.world import World
from hookline.model.spec import CLONED, Builtin
from hookline.model.verdict import Failure, Outcome
from hookline.paths import find_home

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any

    from hookline.core.dispatch import Dispatch
    from hookline.engine.runtime import Runtime
    from hookline.guards.finding import Answer
    from hookline.model.spec import Command, HookSpec, Http
    from hookline.model.verdict import Verdict

_LARGEST = 8 << 20  # bytes of a file that a guard reads
_LONGEST_SENDING = 10.0  # seconds


def call_guards(asked: Dispatch, runtime: Runtime) -> Dispatch:
    """Return the dispatch in which guards answer at once, in this process."""
    sending: dict[str, Outcome] = {}
    return intercept(
        asked,
        partial(_call_guard, runtime=runtime, sending=sending),
        partial(_finish_sending, sending=sending),
    )


def try_guard(run: Run, runtime: Runtime) -> Outcome | None:
    """Return the outcome of a guard that remembers, writes and sends nothing; None of others."""
    handler = run.spec.handler
    if type(handler) is not Builtin or handler.name not in GUARDS:
        return None
    return _time(lambda: _ask(run, handler, runtime, {}))[0]


def _call_guard(run: Run, *, runtime: Runtime, sending: dict[str, Outcome]) -> Run | Outcome:
    """Return the outcome of a guard, or the run of what it sends; then the outcome is `sending`."""
    handler = run.spec.handler
    if type(handler) is not Builtin or handler.name not in GUARDS:
        return run

    def ask() -> tuple[Verdict, Answer]:
        if GUARDS[handler.name].remembers:
            verdict, answer = _ask_with_memory(run, handler, runtime)
        else:
            verdict, answer = _ask(run, handler, runtime, {})
        _append_lines(answer, run, runtime)
        return verdict, answer

    outcome, sends = _time(ask)
    if sends is None:
        return outcome
    sending[run.spec.id] = outcome
    timeout = min(run.spec.timeout, _LONGEST_SENDING)
    spec = run.spec.replace(handler=sends, timeout=timeout)
    return run.replace(spec=spec, payload="", detached=False)


def _time(ask: Callable[[], tuple[Verdict, Answer]]) -> tuple[Outcome, Command | Http | None]:
    """Return the outcome of a guard, and what receives its message, if it sends one."""
    began = perf_counter()
    try:
        verdict, answer = ask()
    except Exception as error:  # noqa: BLE001 - a fault in a guard is that hook's failure
        detail = f"{type(error).__name__}: {error}"
        outcome = Outcome(failure=Failure.RAISED, detail=detail, seconds=perf_counter() - began)
        return outcome, None
    return Outcome(exit_code=0, answer=verdict, seconds=perf_counter() - began), answer.sends


def _finish_sending(run: Run, outcome: Outcome, *, sending: dict[str, Outcome]) -> Outcome:
    """Return the outcome of a guard whose message was sent.

    A program or an address that receives a message has no say, whatever it answers.
    """
    meant = sending.pop(run.spec.id, None)
    if meant is None:
        return outcome
    if outcome.failure not in (None, Failure.UNREADABLE):
        return outcome
    if outcome.exit_code:
        detail = f"exit code {outcome.exit_code}: {outcome.stderr.strip()}"
        return Outcome(failure=Failure.REJECTED, detail=detail, seconds=outcome.seconds)
    return meant.replace(seconds=meant.seconds + outcome.seconds)


def _append_lines(answer: Answer, run: Run, runtime: Runtime) -> None:
    if not answer.appends:
        return
    # Few guards write.
    from hookline.engine.guard_effects import append_line  # noqa: PLC0415

    for append in answer.appends:
        append_line(append, runtime.environ, is_cloned=run.spec.origin.scope in CLONED)


def _ask(
    run: Run, handler: Builtin, runtime: Runtime, state: dict[str, Any]
) -> tuple[Verdict, Answer]:
    return ask_guard(handler.name, run.event, handler.options, make_world(run, runtime, state))


def _ask_with_memory(run: Run, handler: Builtin, runtime: Runtime) -> tuple[Verdict, Answer]:
    """Ask a guard within one change of the session, so that no other process gets in between."""
    answers: list[tuple[Verdict, Answer]] = []

    def change(state: dict[str, Any]) -> dict[str, Any] | None:
        answers.append(_ask(run, handler, runtime, state))
        memory: dict[str, Any] | None = answers[0][1].state
        return memory

    if not runtime.sessions.change_guard(run.event, _find_memory(run.spec), change):
        return _ask(run, handler, runtime, {})
    return answers[0]


def _find_memory(spec: HookSpec) -> str:
    """Return the key of a guard's memory: the hooks of an entry, one for each event, share it."""
    before, _, after = spec.id.rpartition(f".{spec.native_event}")
    return before + after


def make_world(run: Run, runtime: Runtime, state: dict[str, Any]) -> World:
    """Return what a guard may know about the world of an event."""
    event, environ = run.event, runtime.environ
    table = runtime.host(event.dialect).table
    return World(
        now=runtime.clock(),
        clock=time.thread_time,
        home=find_home(environ),
        project=event.project or find_event_project(event.cwd, runtime.cwd, environ, table),
        environ=environ,
        read_file=read_text_file,
        find_guarded=make_path_finder(event, runtime),
        state=state,
    )


def read_text_file(path: str) -> str | None:
    """Return the text of a regular file; None if there is none.

    Raises:
        OSError: it cannot be read.
        ValueError: it is no text, no regular file, or too large.
    """
    try:
        descriptor = os.open(path, os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC)
    except (FileNotFoundError, NotADirectoryError):
        return None
    with open(descriptor, "rb") as opened:
        if not os.path.isfile(descriptor):
            raise ValueError(f"`{path}` is no regular file")
        data = opened.read(_LARGEST + 1)
    if len(data) > _LARGEST:
        raise ValueError(f"`{path}` has more than {_LARGEST >> 20} MiB")
    return data.decode()
