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

# Name -> module. Each is loaded when it is first used, because `hookline answer` is started for
# every tool call.
_HOMES = {
    "CodecError": "errors",
    "Compaction": "model.event",
    "ConfigError": "errors",
    "Decision": "model.verdict",
    "Engine": "engine.engine",
    "Event": "model.event",
    "Generation": "model.event",
    "HandlerError": "errors",
    "HookError": "errors",
    "HookSpec": "model.spec",
    "Lifecycle": "model.event",
    "Limits": "handlers.process_spec",
    "Message": "model.event",
    "Problem": "model.spec",
    "Prompt": "model.event",
    "Reloaded": "engine.reload",
    "Reply": "model.verdict",
    "Rewrite": "model.event",
    "Sessions": "sessions.store",
    "Stance": "model.verdict",
    "Stop": "model.event",
    "ToolCall": "model.event",
    "TrustError": "errors",
    "Verdict": "model.verdict",
    "Watcher": "engine.reload",
    "allow": "core.verdict_api",
    "ask": "core.verdict_api",
    "context": "core.verdict_api",
    "deny": "core.verdict_api",
    "display_reason": "engine.display",
    "halt": "core.verdict_api",
    "note": "core.verdict_api",
    "retry": "core.verdict_api",
    "rewrite": "core.verdict_api",
    "watching": "engine.reload",
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
