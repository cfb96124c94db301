"""Claude Agent SDK: options whose hooks ask an engine, inside this process.

options = add_hooks(engine, ClaudeAgentOptions(allowed_tools=["Bash"]))

The SDK's program sends the payloads of Claude Code, and gets its replies. It calls no callback at
`SessionStart` and `SessionEnd`.
"""

from __future__ import annotations

import json
import logging
from dataclasses import replace
from typing import TYPE_CHECKING, Any, get_args

from hookline.adapters.frameworks import make_missing_error
from hookline.engine.notices import add_notices, write_reply

try:
    from claude_agent_sdk import ClaudeAgentOptions, HookMatcher
    from claude_agent_sdk.types import HookEvent
except ImportError as error:
    raise make_missing_error("Claude Agent SDK", "claude-agent-sdk", error) from error

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable
    from typing import TypeAlias

    from hookline.adapters.agent_hooks import Notify
    from hookline.engine.engine import Engine
    from hookline.model.event import Event
    from hookline.model.verdict import Reply

    Callback: TypeAlias = Callable[[Any, str | None, Any], Awaitable[Any]]

__all__ = ["add_hooks"]

_DIALECT = "claude-code"
# The program calls these, too, though the SDK's type does not name them.
_UNTYPED = ("PostToolBatch", "StopFailure")
_SECONDS = 600.0  # that the program waits, as for a hook in its settings
_MARGIN = 2.0  # within which an answer arrives
_REFUSED = 2  # the exit code by which a hook's program refuses


def add_hooks(
    engine: Engine,
    options: ClaudeAgentOptions | None = None,
    *,
    notify: Notify | None = None,
    seconds: float = _SECONDS,
) -> ClaudeAgentOptions:
    """Return a copy of the options with one more callback on each event of the SDK.

    The program calls it at the same time as those that the options have already. If a callback
    fails, the program refuses the action. A question goes to `can_use_tool` of the options.

    Args:
        engine: whose hooks are asked.
        options: the options to copy.
        notify: receives what the program has no words for; by default a log of warnings.
        seconds: for all hooks of one event.
    """
    options = options or ClaudeAgentOptions()
    hooks: dict[Any, list[HookMatcher]] = dict(options.hooks or {})
    for event in _list_events():
        matcher = HookMatcher(
            hooks=[make_callback(engine, event, notify, seconds)],
            timeout=seconds + _MARGIN,
            on_failure="block",
        )
        hooks[event] = [matcher, *hooks.get(event, [])]
    return replace(options, hooks=hooks)


def make_callback(
    engine: Engine, name: str, notify: Notify | None = None, seconds: float = _SECONDS
) -> Callback:
    """Return a callback of the SDK that asks an engine about one event of Claude Code."""
    host = engine.host(_DIALECT)

    async def answer(payload: Any, _tool_use_id: str | None, _context: Any) -> Any:
        event = host.decode_event(dict(payload), name)
        decision = await engine.fire_async(event, seconds=seconds)
        decision = add_notices(engine.runtime, event, decision)
        return _read_reply(write_reply(host.encode_decision, event, decision), event, notify)

    return answer


def _list_events() -> tuple[str, ...]:
    """Return the events that the installed SDK has callbacks for."""
    names = [*_UNTYPED]
    for part in get_args(HookEvent) or (HookEvent,):
        names += [part] if isinstance(part, str) else get_args(part)
    return tuple(dict.fromkeys(names))


def _read_reply(reply: Reply, event: Event, notify: Notify | None) -> dict[str, Any]:
    """Return what a callback answers for what a hook's program would print."""
    if reply.exit_code == _REFUSED:
        return {"decision": "block", "reason": reply.stderr.strip() or "a hook refused it"}
    if text := reply.stderr.strip():
        (notify or logging.getLogger("hookline").warning)(f"{event.native_name}: {text}")
    answer: dict[str, Any] = json.loads(reply.stdout) if reply.stdout.strip() else {}
    return answer
