"""The contract of Kimi: thirteen events, and four more of its newer edition; one row an event (docs/formats/kimi.md 2)."""

from __future__ import annotations

from hookline.core.dialect import EventRow, Field, FoldRule, Table, column
from hookline.model import kinds
from hookline.model.event import Compaction, Lifecycle, Message, Prompt, Stop, ToolCall
from hookline.model.verdict import Stance

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Any

    from hookline.model.event import Body

NAME = "kimi"
TIMEOUT = (30, 1, 600)  # seconds: default, least, most (docs/formats/kimi.md 1)
UNEXPLAINED = "blocked by a hook, which gave no reason"


def _row(
    native: str, fields: str, body: type[Body] = Lifecycle, *, on: str = "", **columns: Any
) -> EventRow:
    """One row; `on` is what its matcher is compared with. What can block is all that a decision may carry."""
    return EventRow(
        native=native,
        kind=kinds.native_names(NAME)[native],
        body=body,
        fields=column(fields),
        subject=on,
        powers=frozenset({"deny"} if columns.get("blocks") else ()),
        **{"longest": float(TIMEOUT[2]), **columns},
    )


_CALL = "tool_name=tool! tool_input=input!{}"
_ID = "tool_call_id=call_id!"
_ASKED = f"id agent_id turn_id tool_call_id=call_id {_CALL} action display"
# Nobody waits for what is run on these, so nothing that a hook says there has an effect.
_OBSERVED: Mapping[str, Any] = {"awaited": False}
# Kimi Code's own documentation lists these, with these fields, as observed (docs/formats/kimi.md 2).
_NEWER: Mapping[str, Any] = {"awaited": False, "newer": True}

# In the order of a session, a turn and a call.
_ROWS = (
    _row("SessionStart", "source!startup", on="source"),
    _row("UserPromptSubmit", "prompt!", Prompt, on="prompt", blocks=Stance.DENY),
    _row("UserPromptQueued", "prompt_id prompt! queue_length", Prompt, on="prompt", **_NEWER),
    _row("PreToolUse", f"{_CALL} {_ID}", ToolCall, on="tool", blocks=Stance.DENY),
    _row("PermissionRequest", _ASKED, ToolCall, on="tool", **_NEWER),
    _row("PermissionResult", f"{_ASKED} decision scope feedback selected_label error", ToolCall, on="tool", **_NEWER),
    _row("PostToolUse", f"{_CALL} tool_output=result! {_ID}", ToolCall, on="tool", cut={"tool_output": 2000}, **_OBSERVED),
    _row("PostToolUseFailure", f"{_CALL} error! {_ID}", ToolCall, on="tool", **_OBSERVED),
    _row("SubagentStart", "agent_name=agent_type! prompt=task!", on="agent_type", cut={"prompt": 500}),
    _row("SubagentStop", "agent_name=agent_type! response=last_message!", Stop, on="agent_type", cut={"response": 500}, **_OBSERVED),
    _row("PreCompact", "trigger!auto token_count=tokens!0", Compaction, on="trigger"),
    _row("PostCompact", "trigger!auto estimated_token_count=tokens!0", Compaction, on="trigger", **_OBSERVED),
    _row(
        "Notification", "sink! notification_type=kind! title! body=text! severity!info", Message,
        on="kind", **_OBSERVED,
    ),
    _row("Stop", "stop_hook_active!false", Stop, blocks=Stance.DENY),
    _row("StopFailure", "error_type=error! error_message=error_details!", on="error", **_OBSERVED),
    _row("Interrupt", "turn_id reason", **_NEWER),
    _row("SessionEnd", "reason!exit", on="reason", longest=5.0),
)  # fmt: skip

ROWS: Mapping[str, EventRow] = {row.native: row for row in _ROWS}

TABLE = Table(
    name=NAME,
    unknown_keys={"hook": "ignored"},
    regex_flavour="python",
    rows=ROWS,
    base=(
        Field(native="hook_event_name", fact="@native"),
        Field(native="session_id", fact="@session_id", default=""),
        Field(native="cwd", fact="@cwd", default=""),
    ),
    fold=FoldRule(unexplained=UNEXPLAINED),
    default_timeout=float(TIMEOUT[0]),
    ascii_only=True,
    redo_limit=1,  # what users of Kimi see: its second stop goes through (docs/formats/kimi.md 7); no `redo_flag`, because Kimi's is always false
)
