"""Loads the `hooks` of Gemini CLI's settings, and of an extension's `hooks.json` (docs/formats/gemini.md 1)."""

from __future__ import annotations

from hookline.dialects.gemini.combine import FLAG_KEYS, FLAGS, read_flags
from hookline.dialects.gemini.table import TABLE, TICKS_PER_SECOND
from hookline.dialects.kit.handlers import HookFormat, TimeLimit, read_command
from hookline.dialects.kit.load import FileFormat, Place, load_file
from hookline.dialects.kit.matcher import MatcherFormat

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping

    from hookline.core.dialect import EventRow, Loaded, Source
    from hookline.model.handler import Command
    from hookline.wire.fields import Node

# What the host writes for the separator of a path, for files that serve every system.
_SEPARATORS: Mapping[str, str] = {"${/}": "/", "${pathSeparator}": "/"}


def load(source: Source) -> Loaded:
    """Return the hooks of a source, in declared order, and every problem of the source."""
    return load_file(source, FORMAT)


def _check(root: Node, _source: Source) -> bool:
    """Report the keys of `hooksConfig` that stand among the events."""
    hooks = root.value.get("hooks") or {}
    for key in [key for key in FLAG_KEYS if key in hooks]:
        why, hint = f"the host does not read `{key}` among the events", f"put it below `{FLAGS}`"
        root.child("hooks").complain("key.misplaced", why, key, hint=hint)
    return True


def _command(hook: Node, _row: EventRow, source: Source) -> Command:
    """Read a command; those of an extension know its folder, as variables and in their text."""
    command = read_command(hook, source, FORMAT.hook)
    root = source.names.get("plugin_root")
    places = {"extensionPath": root, "workspacePath": "${event.cwd}"} if root else {}
    marks = {f"${{{name}}}": place for name, place in places.items()}
    return command.replace(env={**places, **command.env}, substitute={**_SEPARATORS, **marks})


def _fields(hook: Node, _place: Place) -> Mapping[str, object]:
    """Return the name by which `hooksConfig` disables the hook."""
    command = hook.value.get("command")
    return {"facts": {"called": hook.text("name") or (command if isinstance(command, str) else "")}}


FORMAT = FileFormat(
    table=TABLE,
    comments=True,
    group_keys=("matcher", "sequential", "hooks"),
    beside=FLAG_KEYS,
    matcher=MatcherFormat(flavour=TABLE.regex_flavour, strips=True, falls_back=True),
    hook=HookFormat(
        types={"command": "command"},
        common="type name timeout description env",
        needs={"runtime": "a function inside the host"},
        limits={"": TimeLimit(per_second=TICKS_PER_SECOND, doubtful=100)},
        shells={"": ("bash", "sh")},
        variables={
            "GEMINI_PROJECT_DIR": ("", "${event.project}"),
            "GEMINI_SESSION_ID": ("", "${event.session_id}"),
            "GEMINI_CWD": ("", "${event.cwd}"),
            # For scripts that were written for Claude Code.
            "CLAUDE_PROJECT_DIR": ("", "${event.project}"),
        },
        command=_command,
    ),
    identity=True,  # wherever the hook was declared
    kept={"description": "description"},
    flags=read_flags,
    check=_check,
    fields=_fields,
)
