"""Loads Codex's `hooks.json`, its TOML files and its plugins' hooks (docs/formats/codex.md 1)."""

from __future__ import annotations

import re

from hookline.dialects.codex.table import ALIASES, FEATURES, MANAGED_ONLY, NAME, TABLE
from hookline.dialects.kit.load import FileFormat, Place, TimeLimit, load_file
from hookline.dialects.kit.matcher import MatcherFormat
from hookline.model.spec import MANAGED, USER, HookSpec
from hookline.wire.disable_flags import make_disable_flag
from hookline.wire.sources import NAME as NAME_CHARACTERS

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator
    from typing import Any

    from hookline.core.dialect import Loaded, Source
    from hookline.wire.fields import Node

_STATE = "state"


def _read_flags(root: Node, source: Source) -> Iterator[HookSpec]:
    """Yield what a file says about other hooks. Only a user's file disables single hooks."""
    if MANAGED_ONLY in root.value:
        if source.scope != MANAGED:
            why = f"`{MANAGED_ONLY}` counts in a managed `requirements.toml` only"
            root.warn("key.ignored", why, MANAGED_ONLY)
        elif root.flag(MANAGED_ONLY):
            yield make_disable_flag(source, NAME, MANAGED_ONLY, root.origin(MANAGED_ONLY), {})
    features = root.value.get("features")
    for key in FEATURES if isinstance(features, dict) else ():
        if features.get(key) is False:
            origin = root.origin("features", key)
            yield make_disable_flag(source, NAME, f"features.{key}", origin, {})
    states = (root.value.get("hooks") or {}).get(_STATE)
    if not isinstance(states, dict) or source.scope != USER:
        return
    off = {
        key.strip()
        for key, state in states.items()
        if isinstance(state, dict) and state.get("enabled") is False
    }
    if off:
        yield make_disable_flag(source, NAME, _STATE, root.origin("hooks", _STATE), {"off": off})


def load(source: Source) -> Loaded:
    """Return the hooks of a source, in declared order, and every problem of the source."""
    return load_file(source, FORMAT if source.file.endswith(".json") else _TOML)


def _fields(hook: Node, place: Place, facts: dict[str, Any]) -> dict[str, Any]:
    """Name the key under which Codex keeps the state of a hook, and warn about `async`."""
    row, (*_, group, _, at) = place.row, hook.path
    event = re.sub(r"(?<!^)(?=[A-Z])", "_", row.native).lower()
    facts["trust_key"] = f"{place.source.file}:{event}:{group}:{at}"
    if hook.value.get("async") is not True:
        return {}
    name, why = "hook.async", "a hook in the background cannot block, and the model gets no answer"
    if row.unread:
        name = "key.ignored"
        why = f"Codex waits for every hook of `{row.native}`, so `async` changes nothing"
    hook.warn(name, why, "async")
    return {"detached": not row.unread}


_TOML = FileFormat(
    table=TABLE,
    what="a file of hooks",
    file="hooks.json",
    # Beside the events stand the state of each hook, and the folder of policy's scripts.
    beside=("state", "managed_dir", "windows_managed_dir"),
    # A text of these characters is a name, or a list of names; any other is an expression.
    matcher=MatcherFormat(alphabet=NAME_CHARACTERS | {"|"}, also=ALIASES),
    types={"command": "command commandWindows async"},
    common="type timeout statusMessage",
    needs={
        "prompt": "the host's own judge",
        "agent": "a language model with tools",
        "mcp_tool": "a connection to the host's MCP servers",
    },
    limits={"": TimeLimit(whole=True, raised=True)},
    # Hooks of plugins only.
    variables="""
        PLUGIN_ROOT=plugin_root CLAUDE_PLUGIN_ROOT=plugin_root
        PLUGIN_DATA=plugin_data CLAUDE_PLUGIN_DATA=plugin_data
    """,
    substituted="""
        ${PLUGIN_ROOT}=plugin_root ${CLAUDE_PLUGIN_ROOT}=plugin_root
        ${PLUGIN_DATA}=plugin_data ${CLAUDE_PLUGIN_DATA}=plugin_data
    """,
    flags=_read_flags,
    fields=_fields,
)
# The other tables of a TOML file are Codex's own.
FORMAT = _TOML.replace(keys=("hooks", "description", "$schema"))
