"""Prompt hooks of Qwen Code: the model, and what its reply means (docs/formats/qwen.md 2)."""

from __future__ import annotations

from hookline.dialects.kit.prompt_hook import PromptFormat, read_reply, read_text, refuses_ok

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

# The host asks the agent's own model, which it configures by these variables of its provider.
FORMAT = PromptFormat(
    names=("$HOOKLINE_MODEL", "$OPENAI_MODEL"),
    provider="openai",
    keys=(
        "`ok` is true if the agent may go on; if it may not, `ok` is false and `reason` says why; `additionalContext` may "
        "hold what the agent needs to know."
    ),
    properties={
        "ok": {"type": "boolean", "description": "whether the agent may go on"},
        "reason": {"type": "string", "description": "why not; empty if it may"},
        "additionalContext": {"type": "string", "description": "what the agent needs to know"},
    },
)


def read_output(reply: str) -> dict[str, Any]:
    """Return the model's reply as the output object that the host makes of it.

    Raises:
        UnreadableError: the reply is no judgement, or more than one that permits.
    """
    refused, chosen, _ = read_reply(reply, "ok", refuses_ok)
    # The reader of judgements writes each key in lower case.
    reason, context = read_text(chosen, "reason"), read_text(chosen, "additionalcontext")
    output: dict[str, Any] = {"decision": "allow", "reason": reason}
    if refused:
        reason = reason or "Blocked by prompt hook"
        output = {"continue": False, "stopReason": reason, "decision": "block", "reason": reason}
    if context:
        output["hookSpecificOutput"] = {"additionalContext": context}
    return output
