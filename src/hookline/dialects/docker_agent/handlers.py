"""What a docker-agent hook runs: a command, a builtin or a model.

`http_post` is an HTTP hook whose answer decides nothing.
"""

from __future__ import annotations

from hookline.dialects.docker_agent.model_hook import read_model
from hookline.errors import did_you_mean
from hookline.model.spec import Builtin, Command, Http
from hookline.text.urls import describe_url, explain_refused_url
from hookline.wire.http_spec import LOCAL_HINT

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping

    from hookline.core.dialect import EventRow
    from hookline.model.spec import Handler
    from hookline.wire.fields import Node

_TYPES = ("command", "builtin", "model")
# Keys that not every type of hook has -> those that do (docs/formats/docker-agent.md 3).
_ONLY: Mapping[str, tuple[str, ...]] = {
    "args": ("builtin",), "working_dir": ("command", "builtin"),
    "model": ("model",), "prompt": ("model",), "schema": ("model",),
}  # fmt: skip
# The builtins that hookline has, each with its event. On any other event it is a no-op, never an
# error (docs/formats/docker-agent.md 8).
SHIPPED: Mapping[str, str] = {
    "add_date": "turn_start",
    "add_directory_listing": "session_start",
    "add_environment_info": "session_start",
    "add_git_diff": "turn_start",
    "add_git_status": "turn_start",
    "add_prompt_files": "turn_start",
    "add_recent_commits": "session_start",
    "add_user_info": "session_start",
    "max_iterations": "before_llm_call",
}
MISSING = (
    "add_context", "cache_response", "elide_repeated_tool_results", "handle_large_tool_output",
    "limit_large_tool_results", "redact_secrets", "safer_shell", "snapshot", "unload",
)  # fmt: skip
POST = "http_post"
POST_TIMEOUT = 30.0  # seconds
_HERE = (*SHIPPED, POST)
# Those that do nothing without arguments, and an example of these.
_NEEDS: Mapping[str, str] = {
    "add_prompt_files": "AGENTS.md",
    "max_iterations": "50",
    POST: "https://example.com/hook",
}


def read_handler(
    hook: Node,
    row: EventRow,
    shells: tuple[str, ...],
    models: Node | None,
    *,
    strict: bool,
    allow_local: bool,
) -> Handler | None:
    """Return what a hook runs, and report its mistakes; None where nothing can run.

    `models`: the names that the file gives to models.
    """
    env, working_dir = hook.mapping("env"), hook.text("working_dir")
    kind = hook.text("type", required=True)
    if kind not in _TYPES:
        if isinstance(hook.value.get("type"), str):
            hint = did_you_mean(kind, _TYPES) or f"one of {', '.join(_TYPES)}"
            hook.complain("handler.type", f"unsupported hook type `{kind}`", "type", hint=hint)
        return None
    for key, types in _ONLY.items():
        if kind not in types and hook.value.get(key):
            hint = f"it belongs to {' and '.join(types)} hooks"
            why = f"`{key}` has no effect on a {kind} hook"
            hook.complain("key.ignored", why, key, hint=hint, severity="warning")
    if kind == "model":
        return read_model(hook, row, models, allow_local=allow_local)
    command = hook.text("command")
    if not command.strip() and isinstance(hook.value.get("command"), str | None):
        hook.complain("handler.command", f"a {kind} hook needs a non-empty command", "command")
    if kind == "command":
        return Command(
            script=command,
            shell=shells,
            env=env,
            expand="dotenv",
            working_dir=working_dir,
            kill_leftovers=strict,
            in_folder=True,
        )
    name, args = command.strip(), hook.texts("args")
    if name == POST and args:
        return _read_post(hook, args[0], "".join(args[1:2]), allow_local=allow_local)
    _check_builtin(hook, row.payload_name, name, args)
    return Builtin(
        name=name, args=args, env=env, expand="dotenv", working_dir=working_dir, in_folder=True
    )


def _check_builtin(hook: Node, native: str, name: str, args: tuple[str, ...]) -> None:
    """Report a builtin that hookline does not have, and one that does nothing here."""
    if name in MISSING:
        why = f"this version does not have the builtin `{name}`"
        hint = f"it has {', '.join(_HERE)}"
        hook.complain("handler.unsupported", why, "command", hint=hint)
    elif name and name not in _HERE:
        known = (*_HERE, *MISSING)
        hint = did_you_mean(name, known) or f"known builtins: {', '.join(known)}"
        why = f"no builtin hook registered as `{name}`"
        hook.complain("handler.builtin", why, "command", hint=hint)
    elif SHIPPED.get(name, native) != native:
        why = f"the builtin `{name}` does nothing on `{native}`"
        hint = f"it belongs to `{SHIPPED[name]}`"
        hook.complain("hook.never-runs", why, "command", hint=hint, severity="warning")
    elif name in _NEEDS and not args:
        why = f"the builtin `{name}` does nothing without `args`"
        hint = f'for example `args: ["{_NEEDS[name]}"]`'
        hook.complain("hook.never-runs", why, hint=hint, severity="warning")


def _read_post(hook: Node, url: str, body: str, *, allow_local: bool) -> Http:
    """Return a call with a fixed body, or, without one, with the payload (docs/formats/docker-agent.md 8).

    It decides nothing, so an address that hookline does not call is a warning here and a logged
    no-op at run time. Only another scheme is an error.
    """
    why = explain_refused_url(url, allow_local=allow_local)
    if why:
        is_http = url.partition(":")[0].strip().lower() in ("http", "https")
        hint = "" if is_http else "only http(s) URLs"
        if not explain_refused_url(url, allow_local=True):
            hint = LOCAL_HINT
        severity = "warning" if is_http else "error"
        why = f"{describe_url(url)} cannot be called: {why}"
        hook.complain("handler.url", why, "args", hint=hint, severity=severity)
    return Http(url=url, body=body, allow_local=allow_local)
