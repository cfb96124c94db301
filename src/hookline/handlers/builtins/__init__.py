"""Builtins: handlers that hookline ships, by the names of docker-agent's documents.

A builtin returns an output object of that dialect, None, or a `Job`: a program whose outcome it
must see first.
"""

from __future__ import annotations

from hookline.errors import HandlerError
from hookline.handlers.builtins import facts, git
from hookline.handlers.command import expand_declared, working_directory

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from hookline.core.dispatch import Run
    from hookline.handlers.process_spec import Job
    from hookline.model.spec import Builtin

REGISTRY: Mapping[str, Callable[[facts.BuiltinCall], facts.Output | Job]] = {
    "add_date": facts.add_date,
    "add_directory_listing": facts.add_directory_listing,
    "add_environment_info": facts.add_environment_info,
    "add_git_diff": git.add_git_diff,
    "add_git_status": git.add_git_status,
    "add_prompt_files": facts.add_prompt_files,
    "add_recent_commits": git.add_recent_commits,
    "add_user_info": facts.add_user_info,
    "http_post": lambda _: None,  # without an address; with one it is an HTTP hook
    "max_iterations": facts.max_iterations,
}


def call_builtin(run: Run, environ: Mapping[str, str], cookie: str) -> facts.Output | Job:
    """Return what the builtin of a run returns.

    Raises:
        HandlerError: there is no such builtin.
    """
    handler: Builtin = run.spec.handler  # type: ignore[assignment]  # the caller has looked
    hook = REGISTRY.get(handler.name)
    if hook is None:
        raise HandlerError(f"no builtin hook registered as `{handler.name}`")
    event = run.event
    declared = expand_declared(handler, event, environ)
    if handler.working_dir:
        event = event.replace(cwd=working_directory(handler, event, environ))
    return hook(
        facts.BuiltinCall(
            event=event,
            args=handler.args,
            environ={**environ, **declared},
            declared=declared,
            timeout=run.spec.timeout,
            cookie=cookie,
        )
    )
