"""The hook files of the Claude Code plugins that the user's own settings enable."""

from __future__ import annotations

import json
import os

from hookline.paths import read_start

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator
    from typing import Any

_LARGEST = 1 << 20  # bytes of a settings file, and of the list of installed plugins
_ENABLED = b'"enabledPlugins"'


def find_plugin_files(claude: str) -> Iterator[str]:
    """Yield `hooks/hooks.json` of each enabled and installed plugin (docs/formats/claude-code.md 1).

    The plugins that only a project's settings enable are left out: what a repository brings starts
    nothing outside of it.

    Args:
        claude: the user's folder of Claude Code, `~/.claude`.
    """
    text = _read_text(f"{claude}/settings.json")
    if _ENABLED not in text:
        return
    enabled = _parse(text).get("enabledPlugins")
    if not isinstance(enabled, dict):
        return
    installed = _parse(_read_text(f"{claude}/plugins/installed_plugins.json")).get("plugins")
    for name, is_on in enabled.items():
        entries = installed.get(name) if isinstance(installed, dict) else None
        # The first version of the list has an object, the second has a list of them.
        for entry in (entries if isinstance(entries, list) else [entries]) if is_on is True else ():
            folder = entry.get("installPath") if isinstance(entry, dict) else None
            file = f"{folder}/hooks/hooks.json"
            if isinstance(folder, str) and os.path.isabs(folder) and os.path.isfile(file):
                yield file
                break


def _read_text(path: str) -> bytes:
    try:
        return read_start(path, _LARGEST) if os.path.isfile(path) else b""
    except OSError:
        return b""


def _parse(text: bytes) -> dict[str, Any]:
    """Return the object of a JSON text.

    An empty one if it is something else, which loading reports.
    """
    try:
        tree = json.loads(text)
    except (ValueError, RecursionError):
        return {}
    return tree if isinstance(tree, dict) else {}
