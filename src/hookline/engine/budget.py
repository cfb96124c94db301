"""Limits how often a session may ask language models, in all of its processes together."""

from __future__ import annotations

from hookline.core.dispatch import intercept
from hookline.errors import HandlerError
from hookline.handlers.model_hook import make_budget_error, read_call_limit
from hookline.model.handler import Model
from hookline.model.outcome import Failure, Outcome

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping

    from hookline.core.dispatch import Dispatch, Run
    from hookline.model.event import Event
    from hookline.sessions.store import Sessions

_WHAT = "model_calls"


def limit_model_calls(
    asked: Dispatch, sessions: Sessions, event: Event, environ: Mapping[str, str]
) -> Dispatch:
    """Return the dispatch that asks a model only while the session has calls left; each call is counted before it begins.

    Where that cannot be written down, or the event has no session, each process counts alone.
    """
    return intercept(asked, lambda run: _refuse_call(run, sessions, event, environ))


def _refuse_call(
    run: Run, sessions: Sessions, event: Event, environ: Mapping[str, str]
) -> Outcome | None:
    if not isinstance(run.spec.handler, Model):
        return None

    try:
        most = read_call_limit(environ)
    except HandlerError:
        return None  # the hook itself says what is wrong with the number
    if sessions.spend(event, _WHAT, most):
        return None
    return Outcome(failure=Failure.NOT_STARTED, detail=str(make_budget_error(most)))
