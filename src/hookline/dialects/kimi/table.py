"""The contract of Kimi: thirteen events, and four more of its newer edition.

One row an event (docs/formats/kimi.md 2).
"""

from __future__ import annotations

from functools import partial

from hookline.core.dialect import Table, column
from hookline.dialects.kit.dialect import make_row

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Any

NAME = "kimi"
LONGEST = 600  # seconds (docs/formats/kimi.md 1)
UNEXPLAINED = "blocked by a hook, which gave no reason"


_row = partial(make_row, NAME, {}, longest=float(LONGEST))
_CALL = "tool_name=tool! tool_input=input!{}"
_ID = "tool_call_id=call_id!"
_ASKED = f"id agent_id turn_id tool_call_id=call_id {_CALL} action display"
# The host does not wait for hooks of these events, so their output has no effect.
_OBSERVED: Mapping[str, Any] = {"awaited": False}
# Kimi Code's own documentation lists these, with these fields, as observed (docs/formats/kimi.md
# 2).
_NEWER: Mapping[str, Any] = {"awaited": False, "newer": True}

# In the order of a session, a turn and a call.
_ROWS = (
    _row("SessionStart", "source!startup", subject="source"),
    _row("UserPromptSubmit", "prompt!", subject="prompt", does="deny"),
    _row("UserPromptQueued", "prompt_id prompt! queue_length", subject="prompt", **_NEWER),
    _row("PreToolUse", f"{_CALL} {_ID}", subject="tool", does="deny"),
    _row("PermissionRequest", _ASKED, subject="tool", **_NEWER),
    _row("PermissionResult", f"{_ASKED} decision scope feedback selected_label error", subject="tool", **_NEWER),
    _row("PostToolUse", f"{_CALL} tool_output=result! {_ID}", subject="tool", cut={"tool_output": 2000}, **_OBSERVED),
    _row("PostToolUseFailure", f"{_CALL} error! {_ID}", subject="tool", **_OBSERVED),
    _row("SubagentStart", "agent_name=agent_type! prompt=task!", subject="agent_type", cut={"prompt": 500}),
    _row("SubagentStop", "agent_name=agent_type! response=last_message!", subject="agent_type", cut={"response": 500}, **_OBSERVED),
    _row("PreCompact", "trigger!auto token_count=tokens!0", subject="trigger"),
    _row("PostCompact", "trigger!auto estimated_token_count=tokens!0", subject="trigger", **_OBSERVED),
    _row(
        "Notification", "sink! notification_type=kind! title! body=text! severity!info",
        subject="kind", **_OBSERVED,
    ),
    _row("Stop", "stop_hook_active!false", does="deny"),
    _row("StopFailure", "error_type=error! error_message=error_details!", subject="error", **_OBSERVED),
    _row("Interrupt", "turn_id reason", **_NEWER),
    _row("SessionEnd", "reason!exit", subject="reason", timeout=5.0, longest=5.0),
)  # fmt: skip

TABLE = Table(
    name=NAME,
    unknown_keys={"hook": "ignored"},
    regex_flavour="python",
    rows={row.native: row for row in _ROWS},
    base=column("hook_event_name=@native!null session_id=@session_id!text cwd=@cwd!text"),
    default_timeout=30.0,
    ascii_only=True,
    redo_limit=1,  # what users of Kimi see: its second stop goes through (docs/formats/kimi.md 7); no `redo_flag`, because Kimi's is always false
)
