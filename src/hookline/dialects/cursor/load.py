"""Loads Cursor's `hooks.json`: a flat list of hooks for each event (docs/formats/cursor.md 1, 2)."""

from __future__ import annotations

from hookline.dialects.cursor.table import DEFAULT_LOOP_LIMIT, MCP, TABLE
from hookline.dialects.kit.handlers import HookFormat, read_command
from hookline.dialects.kit.load import FileFormat, Place, load_file
from hookline.dialects.kit.matcher import MatcherFormat
from hookline.model.kinds import kind
from hookline.wire.fields import describe_value

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping

    from hookline.core.dialect import EventRow, Loaded, Source
    from hookline.model.conditions import Condition
    from hookline.model.handler import Command
    from hookline.wire.fields import Node

# A file of these scopes has no project: its commands start beside it.
_OWN_FOLDER = ("managed", "user")


def load(source: Source) -> Loaded:
    """Return the hooks of a source, in declared order, and every problem of the source."""
    return load_file(source, FORMAT)


def _check(root: Node, _source: Source) -> bool:
    """Warn about a file without hooks, and about its version."""
    has_events = any(key in TABLE.rows for key in root.value)
    if root.value.get("hooks") is None and not has_events:
        hint = "they stand under `hooks`"
        root.complain("key.missing", "no hooks here", hint=hint, severity="warning")
    version = root.value.get("version")
    if "version" not in root.value:
        why, hint = "the key `version` is missing", 'add `"version": 1`'
        root.complain("key.missing", why, hint=hint, severity="warning")
    elif version != 1 or isinstance(version, bool):
        why = f"`version` is {describe_value(version)}, which is not known"
        root.complain("value.choice", why, "version", hint="it is `1`", severity="warning")
    return True


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
    folder, project = _places(source)
    where = project or "${event.project}"
    env = {"CURSOR_PROJECT_DIR": where, "CLAUDE_PROJECT_DIR": where, **command.env}
    return command.replace(env=env, working_dir=folder or project)


def _places(source: Source) -> tuple[str, str]:
    """Return the folder that a file's commands start in, where it is the file's own, and the project of the file."""
    folder = source.names.get("folder", "")
    if not folder.endswith("/.cursor"):
        return (folder if source.scope in _OWN_FOLDER else ""), source.names.get("project_dir", "")
    if source.scope in _OWN_FOLDER or folder == f"{source.names.get('home')}/.cursor":
        return folder, ""
    return "", folder.removesuffix("/.cursor")


def _fields(hook: Node, place: Place) -> Mapping[str, object]:
    row = place.row
    facts: dict[str, object] = {}
    if hook.value.get("failClosed") is True and row.can_block and not kind(row.kind).redo:
        facts["fail_closed"] = True
    if "followup_message" in row.reads:
        facts["loop_limit"] = _loop_limit(hook)
    elif "loop_limit" in hook.value:
        why = f"`loop_limit` has no effect on `{row.native}`: only `stop` and `subagentStop` follow up"
        hook.complain("key.ignored", why, "loop_limit", severity="warning")
    return {"facts": facts}


def _loop_limit(hook: Node) -> int | None:
    """Return how often a hook may send the agent back; None for as often as it likes."""
    if hook.value.get("loop_limit", 0) is None:
        return None
    limit = hook.integer("loop_limit", DEFAULT_LOOP_LIMIT)
    if limit is None or limit < 0:
        why, hint = (
            f"`loop_limit: {limit}` is no number of times",
            "0 or more, or null for no limit",
        )
        hook.complain("value.range", why, "loop_limit", hint=hint)
        return DEFAULT_LOOP_LIMIT
    return limit


FORMAT = FileFormat(
    table=TABLE,
    what="a hooks file",
    code="config.type",
    keys=("version", "hooks", "$schema"),
    flat=True,
    matcher=MatcherFormat(flavour=TABLE.regex_flavour, read=_warn_of_reads, expression=_expression),
    hook=HookFormat(
        types={"command": (), "prompt": ("prompt", "model")},
        common=("command", "type", "timeout", "loop_limit", "failClosed", "matcher"),
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
