"""The table of handlers: which runner performs which kind of handler, and how a run becomes an outcome."""

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
    from hookline.handlers.builtins.asked import Asked
    from hookline.handlers.process import Left
    from hookline.handlers.program import Cancel, Errand, Limits


def perform_all(
    runs: Sequence[Run],
    *,
    limits: Limits | None = None,
    cancel: Cancel | None = None,
    environ: Mapping[str, str] | None = None,
    keep: Callable[[Run, Left], None] | None = None,
) -> list[Outcome]:
    """Perform runs of handlers outside this interpreter's own code: all their programs at once, after what builtins do here.

    What asks somebody elsewhere is under way meanwhile: HTTP hooks, and questions to language models. The outcomes are in the
    order of the runs. `environ` is the environment that hooks inherit; the process's own by default. `keep`
    takes over a program that goes to the background while it runs; without it there is none.
    """
    given = os.environ if environ is None else environ
    calls = [run for run in runs if type(run.spec.handler) in _CALLS]
    if not calls:
        return _here(runs, limits, cancel, given, keep)
    from hookline.handlers import program  # noqa: PLC0415 - as below
    from hookline.handlers.calls import Calls  # noqa: PLC0415 - sockets, which few hooks need

    with Calls(
        calls, limits or program.Limits(), given, perform=_performer(calls, given)
    ) as under_way:
        here = iter(
            _here(
                [run for run in runs if type(run.spec.handler) not in _CALLS],
                limits,
                cancel,
                given,
                keep,
            )
        )
        there = iter(under_way.outcomes(cancel))
    return [next(there) if type(run.spec.handler) in _CALLS else next(here) for run in runs]


def _http(calls: Sequence[Run], environ: Mapping[str, str]) -> Callable[..., Outcome]:  # noqa: ARG001 - of a table
    from hookline.handlers.http import call  # noqa: PLC0415 - as above

    return call


def _model(calls: Sequence[Run], environ: Mapping[str, str]) -> Callable[..., Outcome]:
    from hookline.handlers.judge import judge, prepare  # noqa: PLC0415 - as above

    prepare([run.spec.handler for run in calls if isinstance(run.spec.handler, Model)], environ)
    return judge


# Kind of handler that is called -> what performs it, made ready before any of their time limits begins.
_CALLS: Mapping[type, Callable[[Sequence[Run], Mapping[str, str]], Callable[..., Outcome]]] = {
    Http: _http,
    Model: _model,
}


def _performer(calls: Sequence[Run], environ: Mapping[str, str]) -> Callable[..., Outcome]:
    """What performs each of these calls, by the kind of its handler."""
    kinds = {type(run.spec.handler) for run in calls}
    performers = {kind: make(calls, environ) for kind, make in _CALLS.items() if kind in kinds}

    def perform(handler: Any, payload: str, **options: Any) -> Outcome:
        return performers[type(handler)](handler, payload, **options)

    return perform


def _here(
    runs: Sequence[Run],
    limits: Limits | None,
    cancel: Cancel | None,
    given: Mapping[str, str],
    keep: Callable[[Run, Left], None] | None,
) -> list[Outcome]:
    """The outcomes of what runs on this machine."""
    steps = [
        _command(run, given, may_leave=keep is not None)
        if type(run.spec.handler) is Command
        else _builtin(run, given)
        for run in runs
    ]
    errands = [step for step in steps if not isinstance(step, Outcome)]
    left: dict[int, Left] = {}
    if not errands:
        return [step for step in steps if isinstance(step, Outcome)]
    # Processes are loaded when the first hook needs one: half of what `answer` spends when none does.
    from hookline.handlers import process, program  # noqa: PLC0415 - as above

    done = iter(
        process.run_all(
            [errand.program for errand in errands],
            limits=limits or program.Limits(),
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


def _read(errand: Errand, outcome: Outcome) -> Outcome:
    return errand.read(outcome) if errand.read else outcome


def _command(run: Run, environ: Mapping[str, str], *, may_leave: bool) -> Errand | Outcome:
    from hookline.handlers import command  # noqa: PLC0415 - as above
    from hookline.handlers.firing import mark_of  # noqa: PLC0415 - as above
    from hookline.handlers.program import Errand  # noqa: PLC0415 - as above

    handler = run.spec.handler
    assert isinstance(handler, Command)  # noqa: S101 - chosen by type above
    leaves = may_leave and run.dialect is not None and run.dialect.table.background_line
    try:
        return Errand(
            program=command.program(
                handler,
                run.event,
                run.payload or "",
                timeout=run.spec.timeout,
                cookie=_cookie(),
                environ=environ,
                mark=mark_of(run.spec),
            ).replace(may_leave=leaves and not run.detached)
        )
    except HandlerError as error:
        return Outcome(failure=Failure.NOT_STARTED, detail=str(error))


def _builtin(run: Run, environ: Mapping[str, str]) -> Errand | Outcome:
    from hookline.handlers.builtins import REGISTRY  # noqa: PLC0415 - as above

    handler = run.spec.handler
    assert isinstance(handler, Builtin)  # noqa: S101 - the dispatcher sends nothing else
    hook = REGISTRY.get(handler.name)
    if hook is None:
        return Outcome(
            failure=Failure.NOT_STARTED, detail=f"no builtin hook registered as `{handler.name}`"
        )
    began = perf_counter()
    try:
        answer = hook(_asked(run, handler, environ))
        if answer is not None and not isinstance(answer, dict):
            return answer
        return Outcome(
            exit_code=0, stdout=json.dumps(answer) if answer else "", seconds=perf_counter() - began
        )
    except Exception as error:  # noqa: BLE001 - a fault in one builtin is that hook's failure, never the engine's
        return Outcome(
            failure=Failure.RAISED,
            detail=f"{type(error).__name__}: {error}",
            seconds=perf_counter() - began,
        )


def _asked(run: Run, handler: Builtin, environ: Mapping[str, str]) -> Asked:
    from hookline.handlers import command  # noqa: PLC0415 - as above
    from hookline.handlers.builtins.asked import Asked  # noqa: PLC0415 - as above

    declared = command.declared(handler, run.event, environ)
    return Asked(
        event=run.event.replace(cwd=command.directory(handler, run.event, environ))
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
