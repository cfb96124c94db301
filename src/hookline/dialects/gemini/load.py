"""Loads the `hooks` of Gemini CLI's settings and of an extension's `hooks.json` (docs/formats/gemini.md 1)."""

from __future__ import annotations

from hookline.dialects.gemini.combine import FLAG_KEYS, FLAGS, read_flags
from hookline.dialects.gemini.table import TABLE, TICKS_PER_SECOND
from hookline.dialects.kit.handlers import FileFormat, TimeLimit
from hookline.dialects.kit.load import load_file
from hookline.dialects.kit.matcher import MatcherFormat

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    from hookline.core.dialect import Loaded, Source
    from hookline.model.spec import HookSpec
    from hookline.wire.fields import Node


def load(source: Source) -> Loaded:
    """Return the hooks of a source; those of an extension know its folder and the workspace."""
    if source.names.get("plugin_root"):
        source = source.replace(names={**source.names, "workspace": "${event.cwd}"})
    return load_file(source, FORMAT)


def _read_flags(root: Node, source: Source) -> Iterator[HookSpec]:
    """Return a file's disable flags, and report those that stand among the events."""
    hooks = root.value.get("hooks") or {}
    for key in [key for key in FLAG_KEYS if key in hooks]:
        why, hint = f"the host does not read `{key}` among the events", f"put it below `{FLAGS}`"
        root.child("hooks").complain("key.misplaced", why, key, hint=hint)
    return read_flags(root, source)


_OF_EXTENSIONS = {"extensionPath": ("plugin_root", ""), "workspacePath": ("workspace", "")}
FORMAT = FileFormat(
    table=TABLE,
    comments=True,
    group_keys=("matcher", "sequential", "hooks"),
    beside=FLAG_KEYS,
    matcher=MatcherFormat(strips=True, refused="name"),
    types={"command": "command"},
    common="type name timeout description env",
    needs={"runtime": "a function inside the host"},
    limits={"": TimeLimit(per_second=TICKS_PER_SECOND)},
    shells={"": ("bash", "sh")},
    variables={
        "GEMINI_PROJECT_DIR": ("", "${event.project}"),
        "GEMINI_SESSION_ID": ("", "${event.session_id}"),
        "GEMINI_CWD": ("", "${event.cwd}"),
        # For scripts that were written for Claude Code.
        "CLAUDE_PROJECT_DIR": ("", "${event.project}"),
        **_OF_EXTENSIONS,
    },
    # The separator of a path, for files that serve every system.
    substituted={"/": ("", "/"), "pathSeparator": ("", "/"), **_OF_EXTENSIONS},
    identity=True,  # wherever the hook was declared
    flags=_read_flags,
)
