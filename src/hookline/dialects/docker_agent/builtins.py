"""The builtins of docker-agent: which hookline has, the event that each speaks on, and which it has not.

`http_post` speaks on any, and to somebody else: it is an HTTP hook whose answer nobody reads.
"""

from __future__ import annotations

from hookline.model.handler import Builtin, Http
from hookline.text.suggestions import did_you_mean
from hookline.text.urls import describe_url, explain_refused_url
from hookline.wire.http_spec import LOCAL_HINT

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping

    from hookline.wire.fields import Node

# On any other event each of them is a no-op, never an error (docs/formats/docker-agent.md 8).
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
NAMES = (*SHIPPED, POST, *MISSING)
# Those that do nothing without arguments, and one of them.
_NEEDS: Mapping[str, str] = {
    "add_prompt_files": "AGENTS.md",
    "max_iterations": "50",
    POST: "https://example.com/hook",
}


def builtin(
    hook: Node,
    native: str,
    name: str,
    env: Mapping[str, str],
    working_dir: str,
    *,
    allow_local: bool,
) -> Builtin | Http:
    """The builtin of that name as a hook of `native` declares it, after complaints about what cannot come of it."""
    args = hook.texts("args")
    if name == POST and args:
        return _post(hook, args[0], "".join(args[1:2]), allow_local=allow_local)
    if name in MISSING:
        hint = f"it has {', '.join((*SHIPPED, POST))}"
        hook.complain(
            "handler.unsupported",
            f"this version does not have the builtin `{name}`",
            "command",
            hint=hint,
        )
    elif name and name not in NAMES:
        hint = did_you_mean(name, NAMES) or f"known builtins: {', '.join(NAMES)}"
        hook.complain(
            "handler.builtin", f"no builtin hook registered as `{name}`", "command", hint=hint
        )
    elif name in SHIPPED and SHIPPED[name] != native:
        hint = f"it belongs to `{SHIPPED[name]}`"
        hook.complain(
            "hook.never-runs",
            f"the builtin `{name}` does nothing on `{native}`",
            "command",
            hint=hint,
            severity="warning",
        )
    elif name in _NEEDS and not args:
        hint = f'for example `args: ["{_NEEDS[name]}"]`'
        hook.complain(
            "hook.never-runs",
            f"the builtin `{name}` does nothing without `args`",
            hint=hint,
            severity="warning",
        )
    return Builtin(
        name=name, args=args, env=env, expand="dotenv", working_dir=working_dir, in_folder=True
    )


def _post(hook: Node, url: str, body: str, *, allow_local: bool) -> Http:
    """Return a call with a fixed body, or, where there is none, with the payload (docs/formats/docker-agent.md 8).

    It decides nothing, so an address that hookline does not call is a warning here and a logged no-op at run time. Only
    another scheme is an error.
    """
    why = explain_refused_url(url, allow_local=allow_local)
    if why:
        local = not explain_refused_url(url, allow_local=True)
        http = url.partition(":")[0].strip().lower() in ("http", "https")
        hook.complain(
            "handler.url",
            f"{describe_url(url)} cannot be called: {why}",
            "args",
            hint=LOCAL_HINT if local else "" if http else "only http(s) URLs",
            severity="warning" if http else "error",
        )
    return Http(url=url, body=body, allow_local=allow_local)
