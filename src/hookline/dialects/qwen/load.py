"""Loads Qwen Code's settings, and an extension's `hooks.json` (docs/formats/qwen.md 1, 2)."""

from __future__ import annotations

import re

from hookline.dialects.kit.load import FileFormat, TimeLimit, load_file
from hookline.dialects.kit.matcher import MatcherFormat
from hookline.dialects.qwen.table import ALIASES, NAME, TABLE, TICKS_PER_SECOND
from hookline.errors import ConfigError
from hookline.wire.disable_flags import ALL_OFF, read_switches

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping
    from typing import Any

    from hookline.core.dialect import EventRow, Loaded, Source
    from hookline.model.spec import HookSpec
    from hookline.wire.fields import Node


def load(source: Source, *, allow_local: bool = False) -> Loaded:
    """Return the hooks of a source.

    `allow_local`: HTTP hooks may be on this machine or in a private network.
    """
    return load_file(source, FORMAT.replace(allow_local=allow_local))


def _read_flags(root: Node, source: Source) -> Iterator[HookSpec]:
    """Return a file's disable flag.

    Warn about `enabled` and `disabled` beside the events, where older releases read them.
    """
    hooks = root.value.get("hooks") or {}
    is_set = {"enabled": hooks.get("enabled") is False, "disabled": bool(hooks.get("disabled"))}
    for key in [key for key, is_on in is_set.items() if is_on]:
        why = f"only older releases of Qwen Code read `{key}` beside the events; the hooks run"
        hint = f"to switch hooks off, remove them or set `{ALL_OFF}`"
        root.child("hooks").warn("key.ignored", why, key, hint=hint)
    return read_switches(root, source, NAME)


def _expression(text: str, row: EventRow) -> str:
    """Return the expression that the host makes of a matcher.

    Its parts stand between `|`, without blanks around them. A part that is the display name of a
    tool selects the tool.
    """
    entries = [entry for part in re.split(r"(?<!\\)\|", text) if (entry := part.strip())]
    if text[0] in "^(":
        entries = [text]
    if any(entry in ("*", ".*") for entry in entries):
        return ""
    if not entries:
        why = f"`{text}` names nothing, so the hooks of this group never run"
        raise ConfigError(why, name="matcher.regex")
    expression = "|".join(entries)
    parts = {part.strip() for part in text.split("|")} if row.subject == "tool" else set()
    tools = [tool for tool, names in ALIASES.items() if parts.intersection(names)]
    return f"(?:{expression})|^(?:{'|'.join(tools)})$" if tools else expression


# The host asks the agent's own model, which it configures by these variables of its provider.
_PROMPT: Mapping[str, Any] = {
    "names": ("$HOOKLINE_MODEL", "$OPENAI_MODEL"),
    "provider": "openai",
    "keys": (
        "`ok` is true if the agent may go on; if it may not, `ok` is false and `reason` says why; "
        "`additionalContext` may hold what the agent needs to know."
    ),
    "properties": {
        "ok": {"type": "boolean", "description": "whether the agent may go on"},
        "reason": {"type": "string", "description": "why not; empty if it may"},
        "additionalContext": {"type": "string", "description": "what the agent needs to know"},
    },
}
FORMAT = FileFormat(
    table=TABLE,
    comments=True,
    group_keys=("matcher", "sequential", "hooks"),
    beside=("enabled", "disabled", "notifications"),
    matcher=MatcherFormat(strips=True, everything=("", "*", ".*"), expression=_expression),
    types={
        "command": "command args env async shell failMode",
        "http": "url headers allowedEnvVars once",
        "prompt": "prompt model",
    },
    common="type name description timeout statusMessage",
    needs={"function": "the program of the host"},
    limits={
        # A command's number below 1000 is in seconds, one from there on in milliseconds.
        "": TimeLimit(per_second=TICKS_PER_SECOND, seconds_below=TICKS_PER_SECOND),
        "http": TimeLimit(default=600.0),
        "prompt": TimeLimit(default=30.0),
    },
    shells={"": ("bash", "sh"), "bash": ("bash",), "powershell": ("pwsh", "powershell")},
    variables="""
        QWEN_PROJECT_DIR=!${event.project}
        GEMINI_PROJECT_DIR=!${event.project}
        CLAUDE_PROJECT_DIR=!${event.project}
    """,
    prompt=_PROMPT,
    named_by=("command", "url", "prompt"),
    identity=True,
    closes=("failMode", "closed"),
    flags=_read_flags,
)
