"""The table of handlers: selects the runner for each kind of handler, and turns runs into outcomes."""

from __future__ import annotations

import os

from hookline.handlers.process_spec import Limits
from hookline.model.spec import Http, Model

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence
    from typing import Any

    from hookline.core.dispatch import Run
    from hookline.handlers.process import BackgroundProgram
    from hookline.handlers.process_spec import Cancel
    from hookline.model.verdict import Outcome


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
    if not runs:
        return []
    # These modules load when the first hook needs them: they take half the time of an `answer`
    # without hooks.
    from hookline.handlers.programs import run_programs  # noqa: PLC0415 - as above

    given = os.environ if environ is None else environ
    limits = limits or Limits()
    calls = [run for run in runs if isinstance(run.spec.handler, Http | Model)]
    local = [run for run in runs if not isinstance(run.spec.handler, Http | Model)]
    if not calls:
        return run_programs(local, limits, cancel, given, keep)
    # Few hooks need sockets.
    from hookline.handlers.concurrent_http import ConcurrentCalls  # noqa: PLC0415

    models = [run.spec.handler for run in calls if isinstance(run.spec.handler, Model)]
    if models:
        from hookline.handlers.model_hook import prepare  # noqa: PLC0415 - as above

        prepare(models, given)
    with ConcurrentCalls(calls, limits, given, perform=_perform_call) as under_way:
        here = iter(run_programs(local, limits, cancel, given, keep))
        there = iter(under_way.outcomes(cancel))
    return [
        next(there) if isinstance(run.spec.handler, Http | Model) else next(here) for run in runs
    ]


def _perform_call(handler: Any, *args: Any, **options: Any) -> Outcome:
    """Perform one call of an HTTP hook or a model hook, on a thread of `ConcurrentCalls`."""
    if isinstance(handler, Http):
        from hookline.handlers.http import call  # noqa: PLC0415 - as above

        return call(handler, *args, **options)
    from hookline.handlers.model_hook import ask_model  # noqa: PLC0415 - as above

    return ask_model(handler, *args, **options)
