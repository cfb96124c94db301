"""hookline: the one engine that runs every AI-agent lifecycle hook."""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from hookline.core.verdict_api import allow, ask, context, deny, halt, note, retry, rewrite
    from hookline.engine.display import display_reason
    from hookline.engine.engine import Engine
    from hookline.engine.reload import Reloaded, Watcher, watching
    from hookline.errors import CodecError, ConfigError, HandlerError, HookError, TrustError
    from hookline.handlers.process_spec import Limits
    from hookline.model.event import (
        Compaction,
        Event,
        Generation,
        Lifecycle,
        Message,
        Prompt,
        Rewrite,
        Stop,
        ToolCall,
    )
    from hookline.model.spec import HookSpec, Problem
    from hookline.model.verdict import Decision, Reply, Stance, Verdict
    from hookline.sessions.store import Sessions

# A module and its public names a line. Each is loaded when it is first used, because `hookline
# answer` is started for every tool call.
_TABLE = """
core.verdict_api allow ask context deny halt note retry rewrite
engine.display display_reason
engine.engine Engine
engine.reload Reloaded Watcher watching
errors CodecError ConfigError HandlerError HookError TrustError
handlers.process_spec Limits
model.event Compaction Event Generation Lifecycle Message Prompt Rewrite Stop ToolCall
model.spec HookSpec Problem
model.verdict Decision Reply Stance Verdict
sessions.store Sessions
"""
_HOMES = {
    name: module for module, *names in map(str.split, _TABLE.strip().splitlines()) for name in names
}

__version__ = "0.1.0"
__all__ = [
    "CodecError",
    "Compaction",
    "ConfigError",
    "Decision",
    "Engine",
    "Event",
    "Generation",
    "HandlerError",
    "HookError",
    "HookSpec",
    "Lifecycle",
    "Limits",
    "Message",
    "Problem",
    "Prompt",
    "Reloaded",
    "Reply",
    "Rewrite",
    "Sessions",
    "Stance",
    "Stop",
    "ToolCall",
    "TrustError",
    "Verdict",
    "Watcher",
    "__version__",
    "allow",
    "ask",
    "context",
    "deny",
    "display_reason",
    "halt",
    "note",
    "retry",
    "rewrite",
    "watching",
]


def __getattr__(name: str) -> object:
    """Load a public name from its home (PEP 562)."""
    home = _HOMES.get(name)
    if home is None:
        raise AttributeError(f"module `hookline` has no attribute `{name}`")
    from importlib import import_module  # noqa: PLC0415 - as above

    found = getattr(import_module(f"hookline.{home}"), name)
    globals()[name] = found
    return found


def __dir__() -> list[str]:
    return sorted(__all__)
