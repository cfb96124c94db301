"""Loads Cursor's `hooks.json`, a list of hooks for each event (docs/formats/cursor.md 1, 2)."""

from __future__ import annotations

from hookline.dialects.cursor.table import DEFAULT_LOOP_LIMIT, MCP, TABLE
from hookline.dialects.kit.load import FileFormat, Place, can_close, load_file
from hookline.dialects.kit.matcher import MatcherFormat

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from hookline.core.dialect import EventRow, Loaded, Source
    from hookline.wire.fields import Node


def load(source: Source) -> Loaded:
    """Return the hooks of a source. Its commands start in its project, or else beside the file."""
    names = source.names
    folder, project = names.get("folder", ""), names.get("project_dir", "")
    own = source.scope in ("managed", "user") or folder == f"{names.get('home')}/.cursor"
    if not own and folder.endswith("/.cursor"):
        project = folder.removesuffix("/.cursor")
    places = {"project_dir": project, "working_dir": folder if own else project}
    return load_file(source.replace(names={**names, **places}), FORMAT)


def _warn_of_missing(root: Node, _source: Source) -> tuple[()]:
    """Warn about a file without hooks."""
    if not root.value.keys() & {"hooks", *TABLE.rows}:
        why, hint = "no hooks here", "they stand under `hooks`"
        root.warn("key.missing", why, hint=hint)
    return ()


def _expression(text: str, row: EventRow) -> str:
    """Return a matcher with an optional prefix: only the tool events name an MCP tool with it."""
    return text.replace(MCP, f"(?:{MCP})?") if row.kind.startswith("mcp.") else text


def _fields(hook: Node, place: Place, facts: dict[str, Any]) -> dict[str, Any]:
    """Read how often a hook may send the agent back; warn of a matcher that may miss reads."""
    row, given = place.row, hook.value
    if row.native == "preToolUse" and "Read" in place.matcher:
        why = "a read may raise no `preToolUse`, so this matcher may miss it"
        hint = "guard `beforeReadFile` as well"
        hook.warn("matcher.may-miss", why, "matcher", hint=hint)
    if given.get("failClosed") is True and can_close(row):
        facts["fail_closed"] = True
    if "followup_message" in row.reads:
        limit = hook.integer("loop_limit") if "loop_limit" in given else DEFAULT_LOOP_LIMIT
        facts["loop_limit"] = limit  # None: as often as it likes
        if limit is not None and limit < 0:
            why = f"`loop_limit: {limit}` is no number of times"
            hook.complain("value.range", why, "loop_limit", hint="0 or more, or null for no limit")
    elif "loop_limit" in given:
        why = f"`loop_limit` has no effect on `{row.native}`: only a stop follows up"
        hook.warn("key.ignored", why, "loop_limit")
    return {}


FORMAT = FileFormat(
    table=TABLE,
    what="a hooks file",
    file="hooks.json",
    codes=("config.type", "group.shape"),
    keys=("version", "hooks", "$schema"),
    version="warning",
    flat=True,
    matcher=MatcherFormat(expression=_expression),
    types={"command": "", "prompt": "prompt model"},
    common="command type timeout loop_limit failClosed matcher",
    default="command",
    needs={"prompt": "the host's own judge"},
    banned="://",
    variables="""
        CURSOR_PROJECT_DIR=project_dir!${event.project}
        CLAUDE_PROJECT_DIR=project_dir!${event.project}
        CURSOR_VERSION=!${event.facts.cursor_version}
    """,
    named_by=("command", "prompt"),
    closes=("failClosed", True),
    # With it the host takes silence, our word for no opinion, for an error and blocks
    # (docs/formats/comparison.md 5).
    exports_closed=False,
    flags=_warn_of_missing,
    fields=_fields,
)
