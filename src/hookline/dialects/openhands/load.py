"""Loads `hooks.json` of OpenHands (docs/formats/openhands.md 1, 2)."""

from __future__ import annotations

from hookline.dialects.kit.load import FileFormat, TimeLimit, load_file
from hookline.dialects.kit.matcher import MatcherFormat
from hookline.dialects.openhands.table import ALIASES, NAME, TABLE
from hookline.wire.disable_flags import make_disable_flag

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Any

    from hookline.core.dialect import EventRow, Loaded, Source
    from hookline.model.spec import HookSpec
    from hookline.wire.fields import Node


def load(source: Source) -> Loaded:
    """Return the hooks of a source, in declared order, and every problem of the source."""
    return load_file(source, FORMAT)


def _read_flags(root: Node, source: Source) -> tuple[HookSpec, ...]:
    """Return the mark of a project's file, which the host reads in the place of the user's.

    Report an event that stands under both of its names.
    """
    events = root if root.value.get("hooks") is None else root.child("hooks")
    for alias, name in ALIASES.items():
        if alias in events.value and name in events.value:
            why = f"`{alias}` and `{name}` are one event, and OpenHands refuses a file with both"
            events.complain("config.duplicate-key", why, alias, hint="join the two lists")
    if source.scope != "project":
        return ()
    return (make_disable_flag(source, NAME, "hooks.json", root.origin(), {}),)


def _expression(text: str, _row: EventRow) -> str:
    """Return the expression that the host makes of a matcher, without slashes around it."""
    inner = text.removeprefix("/").removesuffix("/")
    return inner if inner and text == f"/{inner}/" else text


# The host asks the agent's own model, which it also reads from this variable. The event comes after
# the prompt.
_PROMPT: Mapping[str, Any] = {
    "names": ("$HOOKLINE_MODEL", "$LLM_MODEL"),
    "keys": (
        "`decision` says whether the policy, which comes first, allows the event after it: `allow` "
        "or `deny`; and `reason` says why."
    ),
    "properties": {
        "decision": {"type": "string", "enum": ["allow", "deny"]},
        "reason": {"type": "string", "description": "why; empty if the policy allows it"},
    },
    "alone": ("command", "async"),
    "literal": True,
}
FORMAT = FileFormat(
    table=TABLE,
    what="a file of hooks",
    file="hooks.json",
    keys=("hooks",),
    bare=True,
    rows={**TABLE.rows, **{alias: TABLE.rows[name] for alias, name in ALIASES.items()}},
    matcher=MatcherFormat(expression=_expression, full=True, refused="name", subjectless="never"),
    types={"command": "command", "prompt": ""},
    common="type name command prompt system_prompt tools timeout max_iterations async",
    default="command",
    needs={"agent": "a language model with tools"},
    limits={"": TimeLimit(whole=True)},
    variables="""
        OPENHANDS_PROJECT_DIR=!${event.cwd}
        OPENHANDS_SESSION_ID=!${event.session_id}
        OPENHANDS_EVENT_TYPE=event
        OPENHANDS_TOOL_NAME=tool
    """,
    prompt=_PROMPT,
    named_by=("command", "prompt"),
    flags=_read_flags,
)
