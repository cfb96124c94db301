"""Calls builtins with what only an engine has: the memory of a session, and what users know."""

from __future__ import annotations

from functools import partial

from hookline.core.dispatch import Run, intercept
from hookline.handlers.builtins import REMEMBERING, call_builtin
from hookline.model.builtins import BUILTINS
from hookline.model.spec import Builtin
from hookline.model.verdict import Outcome

TYPE_CHECKING = False
if TYPE_CHECKING:
    from hookline.core.dispatch import Dispatch
    from hookline.engine.runtime import Runtime


def call_builtins(asked: Dispatch, runtime: Runtime) -> Dispatch:
    """Return the dispatch in which builtins that remember answer at once, in this process.

    What a builtin is missing, it reports once a session.
    """
    return intercept(
        asked, partial(_call_builtin, runtime=runtime), partial(_report_once, runtime=runtime)
    )


def _call_builtin(run: Run, *, runtime: Runtime) -> Run | Outcome:
    handler = run.spec.handler
    if type(handler) is not Builtin or handler.name not in REMEMBERING:
        return run
    change = partial(runtime.sessions.change_guard, run.event, f"builtin {handler.name}")
    outcome = call_builtin(run, runtime.environ, change_state=change)
    # Those that remember start no program.
    assert isinstance(outcome, Outcome)  # noqa: S101 - as above
    return _report_once(run, outcome, runtime=runtime)


def _report_once(run: Run, outcome: Outcome, *, runtime: Runtime) -> Outcome:
    """Return the outcome without a note that the user of this session knows."""
    handler = run.spec.handler
    if not outcome.note or type(handler) is not Builtin or handler.name not in BUILTINS:
        return outcome
    is_known = runtime.was_told(run.event, f"{handler.name}: {outcome.note}")
    return outcome.replace(note="") if is_known else outcome
