"""Handlers as Claude Code's settings declare them, by their `type` (docs/formats/claude-code.md 4)."""

from __future__ import annotations

from hookline.dialects.claude_code.table import TABLE
from hookline.model.handler import Command
from hookline.model.verdict import Stance
from hookline.text.suggestions import did_you_mean

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping

    from hookline.core.dialect import EventRow
    from hookline.model.handler import Handler
    from hookline.wire.fields import Node

# `onFailure: block` makes a failed hook a refusal; it stands on the handler and nowhere else.
_COMMON = ("type", "if", "timeout", "statusMessage", "once", "onFailure")
_OWN: Mapping[str, tuple[str, ...]] = {
    "command": (
        "command",
        "args",
        "shell",
        "async",
        "asyncRewake",
        "rewakeMessage",
        "rewakeSummary",
    ),
    "http": ("url", "headers", "allowedEnvVars"),
    "mcp_tool": ("server", "tool", "input"),
    "prompt": ("prompt", "model", "continueOnBlock"),
    "agent": ("prompt", "model"),
}
# What the types that are not run would need.
_NEEDS: Mapping[str, str] = {
    "mcp_tool": "a connection to the host's MCP servers",
    "agent": "a language model with tools",
}
_SHELLS: Mapping[str, tuple[str, ...]] = {
    "": ("sh",),
    "bash": ("bash",),
    "powershell": ("pwsh", "powershell"),
}
# Timeouts that belong to the type, whatever the event (docs/formats/claude-code.md 5).
TIMEOUTS: Mapping[str, float] = {"prompt": 30.0, "agent": 60.0}
# Placeholder and environment variable -> what a source's names call it.
_PLACES: Mapping[str, str] = {
    "CLAUDE_PROJECT_DIR": "project_dir",
    "CLAUDE_PLUGIN_ROOT": "plugin_root",
    "CLAUDE_PLUGIN_DATA": "plugin_data",
}
# What the host sets for every hook (docs/formats/claude-code.md 6); a script may ask which agent, or which session, it works for.
_HOST_ENV: Mapping[str, str] = {
    "CLAUDECODE": "1",
    "CLAUDE_CODE_SESSION_ID": "${event.session_id}",
}
# Filled in when the hook runs: where the file tells no project, it is that of the event.
_AT_RUN_TIME: Mapping[str, str] = {"project_dir": "${event.project}"}


def handler(
    hook: Node, row: EventRow, names: Mapping[str, str], *, mode: str, allow_local: bool
) -> Handler | None:
    """The handler of a hook; every key that does not belong to its type is a problem."""
    kind = hook.text("type", required=True)
    if not isinstance(hook.value.get("type"), str):
        return None
    if kind not in _OWN:
        hint = did_you_mean(kind, _OWN) or f"one of {', '.join(f'`{known}`' for known in _OWN)}"
        hook.complain("handler.type", f"unknown hook type `{kind}`", "type", hint=hint)
        return None
    severity = TABLE.severity_of_unknown_key("hook", mode)
    hook.check_known_keys((*_COMMON, *_OWN[kind]), f"a `{kind}` hook", severity=severity)
    if kind in _NEEDS:
        hook.complain(
            "handler.unsupported",
            f"`{kind}` hooks need {_NEEDS[kind]}, which this version does not have",
            "type",
        )
        return None
    if kind == "http":
        return _call(hook, row, allow_local=allow_local)
    if kind == "prompt":
        from hookline.dialects.claude_code.prompt_hook import judge  # noqa: PLC0415 - few hooks ask a model

        return judge(hook, row, allow_local=allow_local)
    return _command(hook, names, kill_leftovers=mode == "strict")


def _call(hook: Node, row: EventRow, *, allow_local: bool) -> Handler | None:
    from hookline.wire.http_spec import read_http_spec  # noqa: PLC0415 - few hooks are called

    if not row.takes_http:
        hook.complain(
            "key.misplaced",
            f"`{row.native}` takes no `http` hooks",
            "type",
            hint="write a command that calls the address",
        )
    return read_http_spec(hook, allow_local=allow_local)


def _command(hook: Node, names: Mapping[str, str], *, kill_leftovers: bool) -> Command:
    command = hook.text("command", required=True)
    if not command.strip() and isinstance(hook.value.get("command"), str):
        hook.complain("handler.command", "a command hook needs a non-empty `command`", "command")
    shell = hook.choice("shell", _SHELLS, "")
    env = {
        variable: value
        for variable, name in _PLACES.items()
        if (value := names.get(name) or _AT_RUN_TIME.get(name))
    }
    common = Command(
        env=env,
        substitute={f"${{{variable}}}": value for variable, value in env.items()},
        drop_env=("OTEL_*",),
        host_env=_HOST_ENV,
        kill_leftovers=kill_leftovers,
    )
    if hook.value.get("args") is None:
        return common.replace(script=command, shell=_SHELLS[shell])
    if shell:
        hook.complain(
            "key.ignored",
            "with `args` there is no shell, so `shell` is ignored",
            "shell",
            severity="warning",
        )
    return common.replace(argv=(command, *hook.texts("args")))


def background(hook: Node, row: EventRow, *, strict: bool) -> dict[str, object]:
    """What a hook says about running in the background: `async`, and what wakes the model; empty if it is waited for."""
    said: dict[str, object] = {}
    if hook.flag("async"):
        said["async"] = True
    if hook.flag("asyncRewake"):
        said["rewake"] = {
            "message": hook.text("rewakeMessage"),
            "summary": hook.text("rewakeSummary"),
        }
    if said and row.blocks is not Stance.SILENT:
        why = f"a hook in the background blocks no `{row.native}`; what it says reaches the model on the next turn"
        hook.complain(
            "hook.async", why, "async" if "async" in said else "asyncRewake", severity="warning"
        )
    if said and not strict and hook.value.get("timeout") is not None:
        why = "`timeout` is not enforced for a hook in the background, which runs up to an hour"
        hook.complain(
            "key.ignored", why, "timeout", hint="with `--mode strict` it is", severity="warning"
        )
    for key in ("rewakeMessage", "rewakeSummary"):
        if "rewake" not in said and hook.text(key):
            hook.complain(
                "key.ignored",
                f"without `asyncRewake`, `{key}` is never said",
                key,
                severity="warning",
            )
    return said
