"""Programs: runs command hooks and builtins on this machine, all programs of a batch at once."""

from __future__ import annotations

import json
import os
from time import perf_counter

from hookline.errors import HandlerError
from hookline.handlers.command import build_program, expand_declared, working_directory
from hookline.handlers.process import run_all
from hookline.handlers.process_spec import Job
from hookline.handlers.recursion_guard import hook_mark
from hookline.model.spec import Builtin, Command
from hookline.model.verdict import Failure, Outcome

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence
    from typing import Any

    from hookline.core.dispatch import Run
    from hookline.handlers.process import BackgroundProgram
    from hookline.handlers.process_spec import Cancel, Limits, Program


def run_programs(
    runs: Sequence[Run],
    limits: Limits,
    cancel: Cancel | None,
    environ: Mapping[str, str],
    keep: Callable[[Run, BackgroundProgram], None] | None,
) -> list[Outcome]:
    """Return the outcomes of handlers on this machine."""
    outcomes: dict[int, Outcome] = {}
    jobs: dict[int, Job] = {}
    for at, run in enumerate(runs):
        step = _prepare(run, environ, may_leave=keep is not None)
        if isinstance(step, Job):
            jobs[at] = step
        else:
            outcomes[at] = step
    if jobs:
        left: dict[int, BackgroundProgram] = {}
        programs = [job.program for job in jobs.values()]
        done = run_all(programs, limits=limits, cancel=cancel, left=left)
        for number, (at, outcome) in enumerate(zip(jobs, done, strict=True)):
            read = jobs[at].read
            outcomes[at] = read(outcome) if read else outcome
            if keep is not None and number in left:
                keep(runs[at], left[number])
    return [outcomes[at] for at in range(len(runs))]


def _prepare(run: Run, environ: Mapping[str, str], *, may_leave: bool) -> Job | Outcome:
    """Return the program that a hook runs, or its outcome if there is none to run."""
    began = perf_counter()
    handler = run.spec.handler
    try:
        if isinstance(handler, Command):
            return Job(program=_build_program(handler, run, environ, may_leave=may_leave))
        assert isinstance(handler, Builtin)  # noqa: S101 - the dispatcher sends no other type
        answer = _call_builtin(handler, run, environ)
        if isinstance(answer, Job):
            return answer
        text = json.dumps(answer) if answer else ""
        return Outcome(exit_code=0, stdout=text, seconds=perf_counter() - began)
    except HandlerError as error:
        return Outcome(failure=Failure.NOT_STARTED, detail=str(error))
    except Exception as error:  # a fault in a builtin is that hook's failure, not the engine's
        if isinstance(handler, Command):
            raise
        detail = f"{type(error).__name__}: {error}"
        seconds = perf_counter() - began
        return Outcome(failure=Failure.RAISED, detail=detail, seconds=seconds)


def _build_program(
    handler: Command, run: Run, environ: Mapping[str, str], *, may_leave: bool
) -> Program:
    leaves = may_leave and run.dialect is not None and run.dialect.table.background_line
    program = build_program(
        handler,
        run.event,
        run.payload or "",
        timeout=run.spec.timeout,
        cookie=_make_cookie(),
        environ=environ,
        mark=hook_mark(run.spec),
    )
    return program.replace(may_leave=leaves and not run.detached)


def _call_builtin(handler: Builtin, run: Run, environ: Mapping[str, str]) -> Any:
    """Return a builtin's output object, None, or the program whose outcome it must see first.

    Raises:
        HandlerError: there is no such builtin.
    """
    from hookline.handlers.builtins import REGISTRY  # noqa: PLC0415 - most hooks are commands
    from hookline.handlers.builtins.builtin_call import BuiltinCall  # noqa: PLC0415 - as above

    hook = REGISTRY.get(handler.name)
    if hook is None:
        raise HandlerError(f"no builtin hook registered as `{handler.name}`")
    event = run.event
    declared = expand_declared(handler, event, environ)
    if handler.working_dir:
        event = event.replace(cwd=working_directory(handler, event, environ))
    return hook(
        BuiltinCall(
            event=event,
            args=handler.args,
            environ={**environ, **declared},
            declared=declared,
            timeout=run.spec.timeout,
            cookie=_make_cookie(),
        )
    )


def _make_cookie() -> str:
    return os.urandom(12).hex()
