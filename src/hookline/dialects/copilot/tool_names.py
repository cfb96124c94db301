"""Tool names: what Copilot's runtime calls a tool, and what a hook under a PascalCase key is told (docs/formats/copilot.md; docs/formats/comparison.md 12)."""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping

# The runtime's name -> Claude's. A tool that is not here has one name.
CLAUDE: Mapping[str, str] = {
    "bash": "Bash",
    "powershell": "Bash",
    "view": "Read",
    "create": "Write",
    "edit": "Edit",
    "str_replace_editor": "Edit",
    "apply_patch": "Edit",
    "grep": "Grep",
    "rg": "Grep",
    "glob": "Glob",
    "web_fetch": "WebFetch",
    "web_search": "WebSearch",
    "ask_user": "AskUserQuestion",
    "update_todo": "TodoWrite",
    "task": "Agent",
}
# Claude's further names for the same tools; matchers know them, payloads do not use them.
_OLDER: Mapping[str, str] = {"Task": "Agent"}


def claude_name(tool: str) -> str:
    """A tool by its name under a PascalCase key."""
    return CLAUDE.get(tool, tool)


def runtime_names(tool: str) -> tuple[str, ...]:
    """The runtime's names of a tool that is called by Claude's; none for any other."""
    claude = _OLDER.get(tool, tool)
    return tuple(name for name, other in CLAUDE.items() if other == claude)


def runtime_name(tool: str) -> str:
    """A tool by its name under a camelCase key."""
    return next(iter(runtime_names(tool)), tool)


def names_of(tool: str) -> frozenset[str]:
    """Every name that an event may give to a tool of this name: Claude's stands for all of the runtime's."""
    claude = _OLDER.get(tool, claude_name(tool))
    return frozenset({tool, claude, *runtime_names(tool)})
