"""Calls the guards that hookline ships, with the clock, the files and the memory that they need."""

from __future__ import annotations

import os
import time
from functools import partial
from time import perf_counter

from hookline.core.dispatch import Run, intercept
from hookline.engine.projects import find_event_project
from hookline.guards.table import GUARDS
from hookline.guards.verdict import ask_guard
from hookline.guards.world import World
from hookline.model.spec import Builtin
from hookline.model.verdict import Failure, Outcome
from hookline.paths import find_home

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from hookline.core.dispatch import Dispatch
    from hookline.engine.runtime import Runtime
    from hookline.model.verdict import Verdict

_LARGEST = 8 << 20  # bytes of a file that a guard reads


def call_guards(asked: Dispatch, runtime: Runtime) -> Dispatch:
    """Return the dispatch in which guards answer at once, in this process."""
    return intercept(asked, partial(_call_guard, runtime=runtime))


def _call_guard(run: Run, *, runtime: Runtime) -> Run | Outcome:
    handler = run.spec.handler
    if type(handler) is not Builtin:
        return run
    guard = GUARDS.get(handler.name)
    if guard is None:
        return run
    began = perf_counter()
    try:
        if guard.remembers:
            answer = _ask_with_memory(run, handler, runtime)
        else:
            answer, _ = _ask(run, handler, runtime, {})
    except Exception as error:  # noqa: BLE001 - a fault in a guard is that hook's failure
        detail = f"{type(error).__name__}: {error}"
        return Outcome(failure=Failure.RAISED, detail=detail, seconds=perf_counter() - began)
    return Outcome(exit_code=0, answer=answer, seconds=perf_counter() - began)


def _ask(
    run: Run, handler: Builtin, runtime: Runtime, state: dict[str, Any]
) -> tuple[Verdict, Any]:
    return ask_guard(handler.name, run.event, handler.options, make_world(run, runtime, state))


def _ask_with_memory(run: Run, handler: Builtin, runtime: Runtime) -> Verdict:
    """Ask a guard within one change of the session, so that no other process gets in between."""
    answers: list[Verdict] = []

    def change(state: dict[str, Any]) -> dict[str, Any] | None:
        answer, new = _ask(run, handler, runtime, state)
        answers.append(answer)
        memory: dict[str, Any] | None = new
        return memory

    if not runtime.sessions.change_guard(run.event, run.spec.id, change):
        return _ask(run, handler, runtime, {})[0]
    return answers[0]


def make_world(run: Run, runtime: Runtime, state: dict[str, Any]) -> World:
    """Return what a guard may know about the world of an event."""
    event, environ = run.event, runtime.environ
    table = runtime.host(event.dialect).table
    return World(
        now=runtime.clock(),
        clock=time.perf_counter,
        home=find_home(environ),
        project=event.project or find_event_project(event.cwd, runtime.cwd, environ, table),
        environ=environ,
        read_file=read_text_file,
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
