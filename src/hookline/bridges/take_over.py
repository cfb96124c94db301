"""Taking over: your own hooks move from a host's file into a file that only hookline reads.

There they keep their dialect, so they mean the same; and they get approvals, limits and a journal.
An uninstallation moves them back.
"""

from __future__ import annotations

import io
import json

import tomlkit
from ruamel.yaml import YAML

from hookline.bridges.entry import find_own_commands
from hookline.bridges.hosts import FLAT, GROUPS, TABLES
from hookline.config.places import find_taken_over_path
from hookline.engine.catalog import make_dialect
from hookline.errors import ConfigError
from hookline.wire.json_reader import without_comments

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from typing import Any

    from hookline.bridges.entry import Entry
    from hookline.bridges.hosts import Host


def find_path(host: Host, environ: Mapping[str, str]) -> str:
    """Return the file with the hooks that were taken over; empty if there is none for this host."""
    is_editable = host.form in (GROUPS, FLAT, TABLES)
    return find_taken_over_path(host.name, environ) if is_editable else ""


def require_possible(host: Host, environ: Mapping[str, str], project: str) -> None:
    """Refuse to take over what is not yours alone, or what hookline cannot move.

    Raises:
        ConfigError: it is a project's file, or the host's hooks are in files of their own.
    """
    if project:
        raise ConfigError(
            "others use the file of a project too, and would lose its hooks",
            name="install.host",
            place=host.find_file(environ, project),
            hint="without --take-over, hookline is added to them; or take over your own: --user",
        )
    if not find_path(host, environ):
        raise ConfigError(
            f"hooks of {host.title} are in files of their own, which hookline does not move",
            name="install.host",
            hint=f"hookline install {host.name}",
        )


def list_entries(content: bytes | None, file: str) -> list[Entry]:
    """Return the entries below `hooks` of a file that can be read, each with its place."""
    text = (content or b"").decode(errors="replace").removeprefix("\ufeff")
    if not text.strip():
        return []
    if file.endswith(".json"):
        tree = json.loads(without_comments(text))
    else:
        tree = (
            tomlkit.parse(text).unwrap() if file.endswith(".toml") else YAML(typ="safe").load(text)
        )
    hooks = (tree or {}).get("hooks") or {}
    if isinstance(hooks, list):
        return [(("hooks",), each) for each in hooks]
    return [(("hooks", event), each) for event, values in hooks.items() for each in values or ()]


def list_foreign(content: bytes | None, file: str, host: Host) -> list[Entry]:
    """Return the entries of a file that are not hookline's."""
    found = list_entries(content, file)
    return [(keys, value) for keys, value in found if not find_own_commands(value, host)]


def format_entries(entries: Sequence[Entry], file: str) -> bytes:
    """Return the content of a file with these entries."""
    tree: dict[str, Any] = {}
    for keys, value in entries:
        place = tree
        for key in keys[:-1]:
            place = place.setdefault(key, {})
        place.setdefault(keys[-1], []).append(value)
    if file.endswith(".json"):
        return (json.dumps(tree, indent=2, ensure_ascii=False) + "\n").encode()
    if file.endswith(".toml"):
        return tomlkit.dumps(tree).encode()
    stream = io.StringIO()
    YAML().dump(tree, stream)
    return stream.getvalue().encode()


def add_events(host: Host, entries: Sequence[Entry]) -> Host:
    """Return the host with the events of these entries too, as far as hookline knows them."""
    rows = make_dialect(host.dialect).table.rows
    events = [str(value.get("event")) if len(keys) == 1 else keys[1] for keys, value in entries]
    return host.replace(
        events=tuple(dict.fromkeys((*host.events, *(each for each in events if each in rows))))
    )
