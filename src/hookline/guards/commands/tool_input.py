"""Finds the shell texts in the input of a tool, with their language and their folder."""

from __future__ import annotations

import shlex

from hookline.text import lazy_re as re

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from hookline.model.event import Event

_KEYS = ("command", "cmd", "script", "commands")
_FOLDERS = ("cwd", "workdir", "working_dir", "directory", "dir_path")


def list_commands(given: Any) -> list[str]:
    """Return the shell texts in a tool's input, whatever its shape."""
    if not isinstance(given, dict):
        return []
    found: list[str] = []
    for key in _KEYS:
        value = given.get(key)
        if isinstance(value, str):
            found.append(value)
        elif isinstance(value, dict):
            found += list_commands(value)
        elif isinstance(value, list):
            found += _read_list(value, are_commands=key == "commands")
    return found


def _read_list(value: list[Any], *, are_commands: bool) -> list[str]:
    """Return a list of words as one command; a list of commands or objects as several."""
    if value and all(isinstance(word, str) for word in value):
        is_lines = are_commands or (len(value) > 1 and all(" " in word for word in value))
        return list(value) if is_lines else [shlex.join(value) if len(value) > 1 else value[0]]
    return [text for each in value for text in list_commands(each)]


def find_folder(event: Event) -> str:
    """Return the folder that a shell call names, else that of the event."""
    given = event.input
    if isinstance(given, dict):
        for key in _FOLDERS:
            folder = given.get(key)
            if isinstance(folder, str) and folder:
                if folder.startswith("/"):
                    return folder
                return f"{event.cwd.rstrip('/')}/{folder}"
    return event.cwd


def find_language(event: Event) -> str:
    """Return the shell of Windows that a tool runs a text in; empty for another one."""
    given = event.input if isinstance(event.input, dict) else {}
    name = f"{event.tool} {given.get('shell', '')}".lower()
    if "powershell" in name or "pwsh" in name:
        return "powershell"
    return "cmd" if re.search(r"\bcmd(?:\.exe)?\b", name) else ""
