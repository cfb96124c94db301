"""Builtins: handlers that hookline ships, by the names of docker-agent's documents.

A builtin returns an output object of that dialect, None, or a program whose outcome it reads. Fixed
answers are those of hookline's own files (docs/formats/hookline.md 4).
"""

from __future__ import annotations

import json
import os
from time import perf_counter

from hookline.errors import HandlerError
from hookline.handlers.builtins import facts, git
from hookline.handlers.command import expand_declared, working_directory
from hookline.handlers.process_spec import Program
from hookline.model.verdict import Failure, Outcome

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from hookline.core.dispatch import Run
    from hookline.model.spec import Builtin


def _make_fixed_answer(word: str) -> Callable[[facts.BuiltinCall], facts.Output]:
    """Return the builtin that always answers so, with its argument as the text."""
    if key := {"context": "for_agent", "note": "for_user"}.get(word):
        return lambda asked: {key: asked.args[0]}
    return lambda asked: {"stance": word, "reason": asked.args[0]}


# Each builtin by its name, with the kind of event that it is for; "" is any.
REGISTRY: Mapping[str, tuple[str, Callable[[facts.BuiltinCall], facts.Output | Program]]] = {
    "add_date": ("turn.start", facts.add_date),
    "add_directory_listing": ("session.start", facts.add_directory_listing),
    "add_environment_info": ("session.start", facts.add_environment_info),
    "add_git_diff": ("turn.start", git.add_git_diff),
    "add_git_status": ("turn.start", git.add_git_status),
    "add_prompt_files": ("turn.start", facts.add_prompt_files),
    "add_recent_commits": ("session.start", git.add_recent_commits),
    "add_user_info": ("session.start", facts.add_user_info),
    "http_post": ("", lambda _: None),  # without an address; with one it is an HTTP hook
    "max_iterations": ("model.request", facts.max_iterations),
}
ANSWERS = {word: _make_fixed_answer(word) for word in ("deny", "ask", "allow", "context", "note")}


def call_builtin(run: Run, environ: Mapping[str, str]) -> Program | Outcome:
    """Call the builtin of a run; a fault in it is that hook's failure, not the engine's.

    Raises:
        HandlerError: there is no such builtin.
    """
    began = perf_counter()
    handler: Builtin = run.spec.handler  # type: ignore[assignment]  # the caller has looked
    event = run.event
    kind, hook = REGISTRY.get(handler.name, ("", ANSWERS.get(handler.name)))
    if hook is None:
        raise HandlerError(f"no builtin hook registered as `{handler.name}`")
    if kind and event.kind != kind:  # no error (docs/formats/docker-agent.md 8)
        return Outcome(exit_code=0)
    declared = expand_declared(handler, event, environ)
    if handler.working_dir:
        event = event.replace(cwd=working_directory(handler, event, environ))
    asked = facts.BuiltinCall(
        event=event,
        args=handler.args,
        environ={**environ, **declared},
        declared=declared,
        timeout=run.spec.timeout,
        cookie=os.urandom(12).hex(),
    )
    try:
        answer = hook(asked)
    except Exception as error:  # noqa: BLE001 - as above
        detail, seconds = f"{type(error).__name__}: {error}", perf_counter() - began
        return Outcome(failure=Failure.RAISED, detail=detail, seconds=seconds)
    if isinstance(answer, Program):
        return answer
    text = json.dumps(answer) if answer else ""
    return Outcome(exit_code=0, stdout=text, seconds=perf_counter() - began)
