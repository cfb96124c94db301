"""Loads Codex's `hooks.json`, the same tree in its TOML files, and a plugin's `hooks/hooks.json` (docs/formats/codex.md 1)."""

from __future__ import annotations

import re

from hookline.dialects.codex.table import ALIASES, MANAGED_ONLY, NAME, TABLE
from hookline.dialects.kit.handlers import HookFormat, TimeLimit
from hookline.dialects.kit.load import FileFormat, Place, load_file
from hookline.dialects.kit.matcher import MatcherFormat
from hookline.model.spec import MANAGED, USER
from hookline.wire.disable_flags import make_disable_flag
from hookline.wire.matchers import NAME as NAME_CHARACTERS

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from hookline.core.dialect import Loaded, Source
    from hookline.model.spec import HookSpec
    from hookline.wire.fields import Node

# A text of these alone is a name, or a list of names; any other is an expression.
OF_NAMES = NAME_CHARACTERS | {"|"}


_STATE = "state"


def _read_flags(root: Node, source: Source) -> Iterator[HookSpec]:
    """Yield what a file says about other hooks. Only a user's file disables single hooks."""
    if MANAGED_ONLY in root.value:
        if source.scope != MANAGED:
            why = f"`{MANAGED_ONLY}` counts in a managed `requirements.toml` only"
            root.complain("key.ignored", why, MANAGED_ONLY, severity="warning")
        elif root.flag(MANAGED_ONLY):
            yield make_disable_flag(source, NAME, MANAGED_ONLY, root.origin(MANAGED_ONLY), {})
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


def trust_key(path: str, native: str, group: int, handler: int) -> str:
    """Return the key under which Codex keeps the state of a hook; both positions count from 0."""
    return f"{path}:{re.sub(r'(?<!^)(?=[A-Z])', '_', native).lower()}:{group}:{handler}"


def _fields(hook: Node, place: Place) -> Mapping[str, object]:
    *_, group, _, at = hook.path
    key = trust_key(place.source.file, place.row.native, int(group), int(at))
    facts: dict[str, object] = {"trust_key": key}
    if hook.flag("async"):
        why = "a hook in the background cannot block, and hookline does not hand its answer to the model"
        if place.row.unread:
            why = f"Codex waits for every hook of `{place.row.native}`, so `async` changes nothing"
        else:
            facts["async"] = True
        name = "key.ignored" if place.row.unread else "hook.async"
        hook.complain(name, why, "async", severity="warning")
    return {"facts": facts, "detached": "async" in facts}


_TOML = FileFormat(
    table=TABLE,
    what="a file of hooks",
    file="hooks.json",
    # Beside the events stand the state of each hook, and the folder of policy's scripts.
    beside=("state", "managed_dir", "windows_managed_dir"),
    matcher=MatcherFormat(flavour=TABLE.regex_flavour, alphabet=OF_NAMES, also=ALIASES),
    hook=HookFormat(
        types={"command": "command commandWindows async"},
        common="type timeout statusMessage",
        needs={
            "prompt": "the host's own judge",
            "agent": "a language model with tools",
            "mcp_tool": "a connection to the host's MCP servers",
        },
        limits={"": TimeLimit(whole=True, raised=True)},
        # Hooks of plugins only.
        variables={
            "PLUGIN_ROOT": ("plugin_root", ""),
            "CLAUDE_PLUGIN_ROOT": ("plugin_root", ""),
            "PLUGIN_DATA": ("plugin_data", ""),
            "CLAUDE_PLUGIN_DATA": ("plugin_data", ""),
        },
        substituted=True,
    ),
    kept={"statusMessage": "status", "commandWindows": "command_windows"},
    flags=_read_flags,
    fields=_fields,
)
# The other tables of a TOML file are Codex's own.
FORMAT = _TOML.replace(keys=("hooks", "description", "$schema"))
