"""Handlers as Codex's files declare them, by their `type` (docs/formats/codex.md 6)."""

from __future__ import annotations

from hookline.dialects.codex.table import TABLE
from hookline.model.handler import Command
from hookline.text.suggestions import did_you_mean

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping

    from hookline.core.dialect import EventRow
    from hookline.model.handler import Handler
    from hookline.wire.fields import Node

_KEYS = ("type", "command", "commandWindows", "timeout", "async", "statusMessage")
# What the types that are not run would need.
_NEEDS: Mapping[str, str] = {
    "prompt": "the host's own judge",
    "agent": "a language model with tools",
    "mcp_tool": "a connection to the host's MCP servers",
}
# Placeholder and environment variable -> what a source's names call it; hooks of plugins only.
_PLACES: Mapping[str, str] = {
    "PLUGIN_ROOT": "plugin_root",
    "CLAUDE_PLUGIN_ROOT": "plugin_root",
    "PLUGIN_DATA": "plugin_data",
    "CLAUDE_PLUGIN_DATA": "plugin_data",
}
_LONGEST = 10**9


def handler(hook: Node, names: Mapping[str, str], *, mode: str) -> Handler | None:
    """The handler of a hook.

    A key that Codex does not know is a warning, because Codex runs the hook; in strict mode it is an error.
    """
    kind = hook.text("type", required=True)
    if not isinstance(hook.value.get("type"), str):
        return None
    if kind in _NEEDS:
        hook.complain(
            "handler.unsupported",
            f"`{kind}` hooks need {_NEEDS[kind]}, which this version does not have",
            "type",
        )
        return None
    if kind != "command":
        hint = (
            did_you_mean(kind, ("command", *_NEEDS)) or "`command` is the type that runs a program"
        )
        hook.complain("handler.type", f"unknown hook type `{kind}`", "type", hint=hint)
        return None
    hook.check_known_keys(
        _KEYS, "a `command` hook", severity=TABLE.severity_of_unknown_key("hook", mode)
    )
    command = hook.text("command", required=True)
    if not command.strip() and isinstance(hook.value.get("command"), str):
        hook.complain("handler.command", "a command hook needs a non-empty `command`", "command")
    env = {variable: names[place] for variable, place in _PLACES.items() if names.get(place)}
    return Command(  # noqa: S604 - the name of an interpreter
        script=command,
        shell=("sh",),
        env=env,
        substitute={f"${{{variable}}}": value for variable, value in env.items()},
        kill_leftovers=mode == "strict",
    )


def timeout(hook: Node, row: EventRow) -> float:
    """Return how long a hook may run, in seconds: a whole number, at least 1, and at most what the event allows."""
    given = hook.integer("timeout")
    if given is None:
        return row.timeout
    if not 0 <= given <= _LONGEST:
        hook.complain(
            "value.range",
            f"`timeout: {given}` is no time to wait",
            "timeout",
            hint="whole seconds, 1 or more",
        )
        return row.timeout
    if given == 0:
        hook.complain(
            "value.range",
            "`timeout: 0` is taken as 1 second",
            "timeout",
            hint="whole seconds, 1 or more",
            severity="warning",
        )
    if row.longest and given > row.longest:
        hook.complain(
            "value.range",
            f"Codex ends a hook of `{row.native}` after {row.longest:g} seconds",
            "timeout",
            hint=f"write {row.longest:g} or less",
            severity="warning",
        )
        return row.longest
    return float(max(given, 1))


def facts(hook: Node, row: EventRow) -> dict[str, object]:
    """What a hook says about itself beyond its handler: `async`, the status line, and the command for Windows."""
    said: dict[str, object] = {}
    if hook.flag("async") and row.unread:
        why = f"Codex waits for every hook of `{row.native}`, so `async` changes nothing"
        hook.complain("key.ignored", why, "async", severity="warning")
    elif hook.flag("async"):
        said["async"] = True
        why = "a hook in the background cannot block, and this version does not hand its answer to the model"
        hook.complain("hook.async", why, "async", severity="warning")
    if status := hook.text("statusMessage"):
        said["status"] = status
    if windows := hook.text("commandWindows"):
        said["command_windows"] = windows
    return said
