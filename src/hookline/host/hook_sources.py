"""Hook sources: what an agent file, its flags and the command line add to an engine."""

from __future__ import annotations

from hookline.dialects.docker_agent.table import table
from hookline.host.firing import DIALECT

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping
    from typing import Any

    from hookline.engine.engine import Engine
    from hookline.host.agent_spec import AgentFile

# The events on which `settings.snapshot` mounts the builtin (docs/formats/docker-agent.md 9).
_SNAPSHOT_EVENTS = ("session_start", "turn_start", "turn_end", "session_end")


def add_hooks(engine: Engine, file: AgentFile, commands: Iterable[tuple[str, str]] = ()) -> None:
    """Add the hooks of an agent file; naming the file is the consent to run them.

    `commands`: shell commands from the command line, each with its event; they match every tool.
    """
    options = {"profile": file.host.profile, "allow_local": file.host.allow_local}
    engine.add_source(file.path, dialect=DIALECT, options=options)
    mounted = {name: {"hooks": {**spec.mounted_hooks}} for name, spec in file.agents.items()}
    if file.host.snapshot:
        hook = {"type": "builtin", "command": "snapshot"}
        for each in mounted.values():
            for event in _SNAPSHOT_EVENTS:
                each["hooks"].setdefault(event, []).append(hook)
    tree: Mapping[str, Any] = {"agents": mounted}
    engine.add_source(tree, dialect=DIALECT, options=options)
    if given := _make_tree(commands, file.host.profile):
        engine.add_source(given, dialect=DIALECT, options=options)


def _make_tree(commands: Iterable[tuple[str, str]], profile: str) -> dict[str, Any]:
    """Return the hooks of the command line as a settings file of docker-agent has them."""
    hooks: dict[str, list[Any]] = {}
    rows = table(profile, exact=False).rows
    for event, command in commands:
        hook = {"type": "command", "command": command}
        entry = {"matcher": "*", "hooks": [hook]} if rows[event].grouped else hook
        hooks.setdefault(event, []).append(entry)
    return {"settings": {"hooks": hooks}} if hooks else {}
