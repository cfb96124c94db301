"""Loads Cursor's `hooks.json`: a flat list of hooks for each event (docs/formats/cursor.md 1, 2)."""

from __future__ import annotations

from hookline.dialects.cursor.table import DEFAULT_LOOP_LIMIT, MCP, TABLE
from hookline.dialects.kit.handlers import HookFormat, read_command
from hookline.dialects.kit.load import FileFormat, Place, can_close, check_version, load_file
from hookline.dialects.kit.matcher import MatcherFormat

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping

    from hookline.core.dialect import EventRow, Loaded, Source
    from hookline.model.conditions import Condition
    from hookline.model.handler import Command
    from hookline.wire.fields import Node


def load(source: Source) -> Loaded:
    """Return the hooks of a source, in declared order, and every problem of the source."""
    return load_file(source, FORMAT)


def _check(root: Node, _source: Source) -> bool:
    """Warn about a file without hooks, and about its version."""
    if not root.value.keys() & {"hooks", *TABLE.rows}:
        why, hint = "no hooks here", "they stand under `hooks`"
        root.complain("key.missing", why, hint=hint, severity="warning")
    return check_version(root, "warning")


def _warn_of_reads(
    node: Node, row: EventRow, text: str, _mode: str
) -> tuple[Condition, ...] | None:
    """Warn about a matcher that may miss reads; it counts all the same."""
    if row.native == "preToolUse" and "Read" in text:
        why = "a read may raise no `preToolUse`, so this matcher may miss it"
        hint = "guard `beforeReadFile` as well"
        node.complain("matcher.may-miss", why, "matcher", hint=hint, severity="warning")
    return None


def _expression(text: str, row: EventRow) -> str:
    """Return a matcher with an optional prefix: the MCP events name a tool without it, the tool events with it."""
    return text.replace(MCP, f"(?:{MCP})?") if row.kind.startswith("mcp.") else text


def _command(hook: Node, _row: EventRow, source: Source) -> Command:
    command = read_command(hook, source, FORMAT.hook)
    if "://" in command.script:
        why = "`://` in a command makes Cursor drop the whole file"
        hint = "put the address into a script"
        hook.complain("hook.never-runs", why, "command", hint=hint, severity="warning")
    folder, project = source.names.get("folder", ""), source.names.get("project_dir", "")
    own = source.scope in ("managed", "user") or folder == f"{source.names.get('home')}/.cursor"
    if not own and folder.endswith("/.cursor"):
        project = folder.removesuffix("/.cursor")
    where = project or "${event.project}"
    env = {"CURSOR_PROJECT_DIR": where, "CLAUDE_PROJECT_DIR": where, **command.env}
    # A file that belongs to no project has its commands start beside it.
    return command.replace(env=env, working_dir=folder if own else project)


def _fields(hook: Node, place: Place) -> Mapping[str, object]:
    row = place.row
    facts: dict[str, object] = {}
    if hook.value.get("failClosed") is True and can_close(row):
        facts["fail_closed"] = True
    if "followup_message" in row.reads:
        facts["loop_limit"] = _loop_limit(hook)
    elif "loop_limit" in hook.value:
        why = f"`loop_limit` has no effect on `{row.native}`: only `stop` and `subagentStop` follow up"
        hook.complain("key.ignored", why, "loop_limit", severity="warning")
    return {"facts": facts}


def _loop_limit(hook: Node) -> int | None:
    """Return how often a hook may send the agent back; None for as often as it likes."""
    if "loop_limit" not in hook.value:
        return DEFAULT_LOOP_LIMIT
    limit = hook.integer("loop_limit")
    if limit is not None and limit < 0:
        why = f"`loop_limit: {limit}` is no number of times"
        hook.complain("value.range", why, "loop_limit", hint="0 or more, or null for no limit")
    return limit


FORMAT = FileFormat(
    table=TABLE,
    what="a hooks file",
    file="hooks.json",
    code="config.type",
    keys=("version", "hooks", "$schema"),
    flat=True,
    matcher=MatcherFormat(flavour=TABLE.regex_flavour, read=_warn_of_reads, expression=_expression),
    hook=HookFormat(
        types={"command": "", "prompt": "prompt model"},
        common="command type timeout loop_limit failClosed matcher",
        default="command",
        needs={"prompt": "the host's own judge"},
        variables={"CURSOR_VERSION": ("", "${event.facts.cursor_version}")},
        command=_command,
    ),
    named_by=("command", "prompt"),
    closes=("failClosed", True),
    check=_check,
    fields=_fields,
)
