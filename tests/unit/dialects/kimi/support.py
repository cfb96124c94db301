"""What the tests of Kimi share: a hook on an event, an event as Kimi raises it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from hookline.core.dialect import Source
from hookline.dialects.kimi import Kimi

if TYPE_CHECKING:
    from hookline.model.event import Event
    from hookline.model.spec import HookSpec

DIALECT = Kimi()
NEWER_FILE = "/home/u/.kimi-code/config.toml"
FIELDS = {
    "tool_name": "Shell",
    "tool_input": {"command": "ls"},
    "prompt": "deploy",
    "agent_name": "coder",
    "trigger": "auto",
}


def one_hook(native: str, *, mode: str = "fidelity", **keys: Any) -> HookSpec:
    """A command hook on an event."""
    tree = {"hooks": [{"event": native, "command": "guard", **keys}]}
    (spec,) = DIALECT.load(Source(file=NEWER_FILE, tree=tree, mode=mode)).specs
    return spec


def one_event(native: str) -> Event:
    """An event as Kimi raises it."""
    return DIALECT.decode_event(
        {"hook_event_name": native, "session_id": "k-204", "cwd": "/srv/shop", **FIELDS}
    )
