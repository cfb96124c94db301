"""The table of handlers: selects the runner for each kind of handler, and turns runs into outcomes."""

from __future__ import annotations

import json
import os
from time import perf_counter

from hookline.errors import HandlerError
from hookline.model.handler import Builtin, Command, Http, Model
from hookline.model.outcome import Failure, Outcome

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence
    from typing import Any

    from hookline.core.dispatch import Run
    from hookline.handlers.builtins.builtin_call import BuiltinCall
    from hookline.handlers.process import BackgroundProgram
    from hookline.handlers.process_spec import Cancel, Job, Limits


def perform_all(
    runs: Sequence[Run],
    *,
    limits: Limits | None = None,
    cancel: Cancel | None = None,
    environ: Mapping[str, str] | None = None,
    keep: Callable[[Run, BackgroundProgram], None] | None = None,
) -> list[Outcome]:
    """Run handlers outside of this interpreter: all their programs at once, after the builtins that run here.

    HTTP hooks and model hooks run at the same time. The outcomes are in the order of the runs.
    `environ`: the environment that hooks inherit; by default this process's own. `keep`
    takes over a program that goes to the background; without it, no program may.
    """
    given = os.environ if environ is None else environ
    calls = [run for run in runs if type(run.spec.handler) in (Http, Model)]
    if not calls:
        return _perform_local(runs, limits, cancel, given, keep)
    from hookline.handlers import process_spec  # noqa: PLC0415 - as below
    from hookline.handlers.concurrent_http import ConcurrentCalls  # noqa: PLC0415 - few hooks need sockets

    with ConcurrentCalls(
        calls, limits or process_spec.Limits(), given, perform=_perform_call
    ) as under_way:
        here = iter(
            _perform_local(
                [run for run in runs if type(run.spec.handler) not in (Http, Model)],
                limits,
                cancel,
                given,
                keep,
            )
        )
        there = iter(under_way.outcomes(cancel))
    return [next(there) if type(run.spec.handler) in (Http, Model) else next(here) for run in runs]


def _perform_call(handler: Any, *args: Any, **options: Any) -> Outcome:
    """Perform one call of an HTTP hook or a model hook, on a thread of `ConcurrentCalls`."""
    if isinstance(handler, Http):
        from hookline.handlers.http import call  # noqa: PLC0415 - few hooks need sockets

        return call(handler, *args, **options)
    from hookline.handlers.model_hook import ask_model  # noqa: PLC0415 - as above

    return ask_model(handler, *args, **options)


def _perform_local(
    runs: Sequence[Run],
    limits: Limits | None,
    cancel: Cancel | None,
    given: Mapping[str, str],
    keep: Callable[[Run, BackgroundProgram], None] | None,
) -> list[Outcome]:
    """Return the outcomes of handlers on this machine."""
    steps = [
        _command(run, given, may_leave=keep is not None)
        if type(run.spec.handler) is Command
        else _builtin(run, given)
        for run in runs
    ]
    errands = [step for step in steps if not isinstance(step, Outcome)]
    left: dict[int, BackgroundProgram] = {}
    if not errands:
        return [step for step in steps if isinstance(step, Outcome)]
    # The process modules load when the first hook needs them: they take half the time of an `answer` without hooks.
    from hookline.handlers import process, process_spec  # noqa: PLC0415 - as above

    done = iter(
        process.run_all(
            [errand.program for errand in errands],
            limits=limits or process_spec.Limits(),
            cancel=cancel,
            left=left,
        )
    )
    if keep is not None and left:
        started = [
            run for run, step in zip(runs, steps, strict=True) if not isinstance(step, Outcome)
        ]
        for at, gone in left.items():
            keep(started[at], gone)
    return [step if isinstance(step, Outcome) else _read(step, next(done)) for step in steps]


def _read(errand: Job, outcome: Outcome) -> Outcome:
    return errand.read(outcome) if errand.read else outcome


def _command(run: Run, environ: Mapping[str, str], *, may_leave: bool) -> Job | Outcome:
    from hookline.handlers import command  # noqa: PLC0415 - as above
    from hookline.handlers.process_spec import Job  # noqa: PLC0415 - as above
    from hookline.handlers.recursion_guard import hook_mark  # noqa: PLC0415 - as above

    handler = run.spec.handler
    assert isinstance(handler, Command)  # noqa: S101 - the caller selects by type
    leaves = may_leave and run.dialect is not None and run.dialect.table.background_line
    try:
        return Job(
            program=command.build_program(
                handler,
                run.event,
                run.payload or "",
                timeout=run.spec.timeout,
                cookie=_cookie(),
                environ=environ,
                mark=hook_mark(run.spec),
            ).replace(may_leave=leaves and not run.detached)
        )
    except HandlerError as error:
        return Outcome(failure=Failure.NOT_STARTED, detail=str(error))


def _builtin(run: Run, environ: Mapping[str, str]) -> Job | Outcome:
    from hookline.handlers.builtins import REGISTRY  # noqa: PLC0415 - as above

    handler = run.spec.handler
    assert isinstance(handler, Builtin)  # noqa: S101 - the dispatcher sends no other type
    hook = REGISTRY.get(handler.name)
    if hook is None:
        return Outcome(
            failure=Failure.NOT_STARTED, detail=f"no builtin hook registered as `{handler.name}`"
        )
    began = perf_counter()
    try:
        answer = hook(_make_call(run, handler, environ))
        if answer is not None and not isinstance(answer, dict):
            return answer
        return Outcome(
            exit_code=0, stdout=json.dumps(answer) if answer else "", seconds=perf_counter() - began
        )
    except Exception as error:  # noqa: BLE001 - a fault in a builtin is that hook's failure, not the engine's
        return Outcome(
            failure=Failure.RAISED,
            detail=f"{type(error).__name__}: {error}",
            seconds=perf_counter() - began,
        )


def _make_call(run: Run, handler: Builtin, environ: Mapping[str, str]) -> BuiltinCall:
    from hookline.handlers import command  # noqa: PLC0415 - as above
    from hookline.handlers.builtins.builtin_call import BuiltinCall  # noqa: PLC0415 - as above

    declared = command.expand_declared(handler, run.event, environ)
    return BuiltinCall(
        event=run.event.replace(cwd=command.working_directory(handler, run.event, environ))
        if handler.working_dir
        else run.event,
        args=handler.args,
        environ={**environ, **declared},
        declared=declared,
        timeout=run.spec.timeout,
        cookie=_cookie(),
    )


def _cookie() -> str:
    return os.urandom(12).hex()
