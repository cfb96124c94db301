"""The inputs of Cline's shell tools, which name their commands in several shapes (docs/formats/cline.md 5)."""

from __future__ import annotations

from hookline.dialects.cline.table import NAME
from hookline.model.tools import list_names

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

# Keys of a shell tool's input that say what it runs.
_OF_COMMANDS = ("command", "commands", "args")


def plain_input(tool: str, given: Any) -> Any:
    """Return a tool's input as other hosts have it: of a shell tool, all its commands as one text under `command`.

    The command line program takes a list of commands, of texts or of a program with `args`, in
    seven shapes. A guard that looks at the command must see each of them.
    """
    if tool not in list_names("shell", NAME) or not isinstance(given, str | list | dict):
        return given
    fields: dict[str, Any] = given if isinstance(given, dict) else {"commands": given}
    if "commands" not in fields and "args" not in fields:
        return given
    commands = fields.get("commands", fields)
    entries = commands if isinstance(commands, list) else [commands]
    beside = {key: value for key, value in fields.items() if key not in _OF_COMMANDS}
    return {"command": "\n".join(map(_line, entries)), **beside}


def _line(entry: Any) -> str:
    """Return one entry of a list of commands as a line for a shell."""
    if not isinstance(entry, dict):
        return str(entry)
    command, arguments = str(entry.get("command", "")), entry.get("args")
    if not arguments:
        return command
    import shlex  # noqa: PLC0415 - few calls name a program with its arguments

    return shlex.join([command, *map(str, arguments)])
