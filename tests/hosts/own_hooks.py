"""A hook of the user in the host's own file, which `hookline install --take-over` moves."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

from hookline.bridges.entry import is_gate
from hookline.bridges.hosts import TABLES
from hookline.engine.catalog import make_dialect

if TYPE_CHECKING:
    from hookline.bridges.hosts import Host

RUNS = "runs-of-the-own-hook"  # a file of the project, a line a run


def find_gate_event(host: Host) -> str:
    """Return the event at which hookline refuses the calls of a host."""
    rows = make_dialect(host.dialect).table.rows
    return next(event for event in host.events if is_gate(rows[event]))


def add_own_hook(host: Host, text: str, reason: str) -> str:
    """Return the text of a host's file with a hook that counts its runs and refuses each call."""
    event = find_gate_event(host)
    command = f"echo ran >> {RUNS}; echo {reason} >&2; exit 2"
    if host.form == TABLES:
        hook = f'event = "{event}"\ncommand = {json.dumps(command)}\n'
        return f"{text}\n# my own\n[[hooks]]  # the only one\n{hook}"
    group = {"hooks": [{"type": "command", "command": command}]}
    tree = {**json.loads(text or "{}"), "hooks": {event: [group]}}
    return json.dumps(tree, indent=7) + "\n\n"  # as no editor of hookline would write it
