"""Builtins: handlers that hookline ships, by the names of docker-agent's documents.

A builtin returns an output object of that dialect, None, a program whose outcome it reads, or a
report of what it is missing. Fixed answers are those of hookline's own files
(docs/formats/hookline.md 4).
"""

from __future__ import annotations

import json
import os
from importlib import import_module
from time import perf_counter

from hookline.errors import HandlerError
from hookline.handlers.builtins.call import BuiltinCall, Report
from hookline.handlers.command import expand_declared, working_directory
from hookline.handlers.process_spec import Cancel, Limits, Program
from hookline.model.builtins import BUILTINS
from hookline.model.spec import CLONED
from hookline.model.verdict import Failure, Outcome

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from hookline.core.dispatch import Run
    from hookline.handlers.builtins.call import Answer, Change, Output
    from hookline.model.spec import Builtin

# Module of this package -> the builtins that are its functions.
_MODULES = {
    "facts": """add_date add_directory_listing add_environment_info add_prompt_files add_user_info
        max_iterations""",
    "git": "add_git_diff add_git_status add_recent_commits",
    "redaction": "redact_secrets",
    "repeats": "elide_repeated_tool_results",
    "response_cache": "cache_response",
    "results": "handle_large_tool_output limit_large_tool_results",
    "shell_label": "safer_shell",
    "snapshot": "snapshot",
    "templates": "add_context",
    "unload": "unload",
}
_HOMES = {name: module for module, names in _MODULES.items() for name in names.split()}
_UNARMED = "http_post"  # without an address; with one it is an HTTP hook
# Those that remember something of the session; the engine calls them.
REMEMBERING = frozenset({"elide_repeated_tool_results"})


def _make_fixed_answer(word: str) -> Callable[[BuiltinCall], Output]:
    """Return the builtin that always answers so, with its argument as the text."""
    if key := {"context": "for_agent", "note": "for_user"}.get(word):
        return lambda asked: {key: asked.args[0]}
    return lambda asked: {"stance": word, "reason": asked.args[0]}


ANSWERS = {word: _make_fixed_answer(word) for word in ("deny", "ask", "allow", "context", "note")}


def find_builtin(name: str) -> Callable[[BuiltinCall], Answer] | None:
    """Return the function of a builtin; None if there is none of that name."""
    if name == _UNARMED:
        return lambda _: None
    if name in _HOMES:
        found: Callable[[BuiltinCall], Answer]
        found = getattr(import_module(f"{__name__}.{_HOMES[name]}"), name)
        return found
    return ANSWERS.get(name)


def call_builtin(
    run: Run,
    environ: Mapping[str, str],
    *,
    limits: Limits | None = None,
    cancel: Cancel | None = None,
    change_state: Callable[[Change], bool] | None = None,
) -> Program | Outcome:
    """Call the builtin of a run; a fault in it is that hook's failure, not the engine's.

    `change_state`, `limits` and `cancel` as in `BuiltinCall`.

    Raises:
        HandlerError: there is no such builtin.
    """
    began = perf_counter()
    handler: Builtin = run.spec.handler  # type: ignore[assignment]  # the caller has looked
    event, name = run.event, handler.name
    hook = find_builtin(name)
    if hook is None:
        raise HandlerError(f"no builtin hook registered as `{name}`")
    # Another event is no error (docs/formats/docker-agent.md 8).
    if name in BUILTINS and not BUILTINS[name].is_for(run.spec.native_event, event.kind):
        return Outcome(exit_code=0)
    declared = expand_declared(handler, event, environ)
    if handler.working_dir:
        event = event.replace(cwd=working_directory(handler, event, environ))
    asked = BuiltinCall(
        event=event,
        native=run.spec.native_event,
        args=handler.args,
        environ={**environ, **declared},
        declared=declared,
        timeout=run.spec.timeout,
        cookie=os.urandom(12).hex(),
        is_cloned=run.spec.origin.scope in CLONED,
        payload=lambda: _encode_payload(run),
        change_state=change_state,
        limits=limits or Limits(),
        cancel=cancel,
    )
    try:
        answer = hook(asked)
    except Exception as error:  # noqa: BLE001 - as above
        known = isinstance(error, HandlerError)
        detail = str(error) if known else f"{type(error).__name__}: {error}"
        failure = Failure.REJECTED if known else Failure.RAISED
        return Outcome(failure=failure, detail=detail, seconds=perf_counter() - began)
    seconds = perf_counter() - began
    if isinstance(answer, Program):
        return answer
    if isinstance(answer, Report):
        return Outcome(exit_code=0, note=answer.text, seconds=seconds)
    return Outcome(exit_code=0, stdout=json.dumps(answer) if answer else "", seconds=seconds)


def _encode_payload(run: Run) -> str:
    """Return what a command hook of this event would read.

    Raises:
        HandlerError: the hook has no dialect.
    """
    if run.dialect is None:
        raise HandlerError("there is no payload")
    return run.dialect.encode_event(run.event, run.spec)
