"""Compaction: shortens a conversation, with the consent of its hooks.

docs/formats/docker-agent.md 7
"""

from __future__ import annotations

from hookline.host.framework.conversation import estimate_length, estimate_tokens, find_summary
from hookline.host.turns import HookStop, ModelError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any

    from hookline.host.firing import HostEvents
    from hookline.host.framework.agent import HostAgent
    from hookline.host.session import Session
    from hookline.host.turns import Gate, Reply


def is_nearly_full(
    session: Session, agent: HostAgent, threshold: float, *, grown: bool = False
) -> bool:
    """Return whether a conversation fills this part of the model's context window.

    `grown`: it has grown since the model counted it.
    """
    if not agent.context_limit:
        return False
    used = session.length
    if grown:
        used = max(used, estimate_tokens(session.messages))
    return used > threshold * agent.context_limit


async def compact(
    session: Session,
    agent: HostAgent,
    events: HostEvents,
    gate: Gate,
    count: Callable[[Reply], None],
    *,
    source: str,
    reason: str,
    focus: str = "",
) -> bool:
    """Put a summary in the place of the older messages; return whether it did.

    `gate` is asked before the model writes the summary; `count` gets the model's reply. `source`
    and `reason`: why, as the events `pre_compact` and `before_compaction` say it. `focus`: what the
    person wants to keep.
    """
    decision = await events.fire("pre_compact", source=source)
    if not decision.allowed:
        await events.notify("warning", f"a hook cancelled the compaction: {decision.reason}")
        return False
    counts: dict[str, Any] = {
        "input_tokens": session.length,
        "output_tokens": session.output_tokens,
        "context_limit": agent.context_limit,
        "compaction_reason": reason,
    }
    steering = "\n".join(filter(None, (focus, *decision.for_agent)))
    decision = await events.fire("before_compaction", **counts)
    if not decision.allowed:
        return False
    rewrite = decision.rewrite
    given = str(rewrite.value) if rewrite is not None and rewrite.target == "summary" else ""
    try:
        messages, replies = await agent.summarise(
            session.messages, gate, focus=steering, summary=given
        )
    except (ModelError, HookStop) as error:
        await events.notify_error(f"the conversation could not be summarised: {error}")
        return False
    for reply in replies:
        count(reply)
    summary = find_summary(messages)
    if messages is session.messages or not summary.strip():
        await events.notify("warning", "there is nothing to compact")
        return False
    session.messages = messages
    session.length = estimate_length(messages)
    events.show("compacted", reason=reason, summary=summary, input_tokens=counts["input_tokens"])
    await events.fire("after_compaction", summary=summary, **counts)
    return True
