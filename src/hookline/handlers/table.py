"""The table of handlers: which runner performs which kind of handler, and how a run becomes an outcome."""

from __future__ import annotations

import json
import os
from time import perf_counter

from hookline.errors import HandlerError
from hookline.model.handler import Builtin, Command
from hookline.model.outcome import Failure, Outcome

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from hookline.core.dispatch import Run
    from hookline.handlers.program import Cancel, Limits, Program


def perform_all(
    runs: Sequence[Run], *, limits: Limits | None = None, cancel: Cancel | None = None, environ: Mapping[str, str] | None = None
) -> list[Outcome]:
    """Perform runs of handlers outside this interpreter's own code: commands at once, builtins before them.

    The outcomes are in the order of the runs. `environ` is the environment that hooks inherit; the process's own by
    default.
    """
    given = os.environ if environ is None else environ
    outcomes: dict[int, Outcome] = {}
    commands: list[int] = []
    for at, run in enumerate(runs):
        if type(run.spec.handler) is Command:
            commands.append(at)
        else:
            outcomes[at] = _builtin(run, given)
    if commands:
        outcomes |= zip(commands, _commands([runs[at] for at in commands], limits, cancel, given), strict=True)
    return [outcomes[at] for at in range(len(runs))]


def _commands(runs: list[Run], limits: Limits | None, cancel: Cancel | None, environ: Mapping[str, str]) -> list[Outcome]:
    # Processes are loaded when the first hook needs one: half of what `answer` spends when none does.
    from hookline.handlers import command, process, program  # noqa: PLC0415

    programs: list[Program] = []
    refused: dict[int, Outcome] = {}
    for at, run in enumerate(runs):
        handler = run.spec.handler
        assert isinstance(handler, Command)  # noqa: S101 - chosen by type above
        try:
            cookie = os.urandom(12).hex()
            programs.append(
                command.program(handler, run.event, run.payload or "", timeout=run.spec.timeout, cookie=cookie, environ=environ)
            )
        except HandlerError as error:
            refused[at] = Outcome(failure=Failure.NOT_STARTED, detail=str(error))
    done = iter(process.run_all(programs, limits=limits or program.Limits(), cancel=cancel))
    return [refused[at] if at in refused else next(done) for at in range(len(runs))]


def _builtin(run: Run, environ: Mapping[str, str]) -> Outcome:
    from hookline.handlers import command  # noqa: PLC0415 - as above
    from hookline.handlers.builtins import REGISTRY  # noqa: PLC0415 - as above

    handler = run.spec.handler
    assert isinstance(handler, Builtin)  # noqa: S101 - the dispatcher sends nothing else
    hook = REGISTRY.get(handler.name)
    if hook is None:
        return Outcome(failure=Failure.NOT_STARTED, detail=f"no builtin hook registered as `{handler.name}`")
    began = perf_counter()
    try:
        event = run.event.replace(cwd=command.directory(handler, run.event, environ)) if handler.working_dir else run.event
        output = hook(event, handler.args, {**environ, **command.declared(handler, run.event, environ)})
        return Outcome(exit_code=0, stdout=json.dumps(output) if output else "", seconds=perf_counter() - began)
    except Exception as error:  # noqa: BLE001 - a fault in one builtin is that hook's failure, never the engine's
        return Outcome(failure=Failure.RAISED, detail=f"{type(error).__name__}: {error}", seconds=perf_counter() - began)
