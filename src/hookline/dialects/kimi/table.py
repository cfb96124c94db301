"""The contract of Kimi: 13 events, and four of its newer edition (docs/formats/kimi.md 2)."""

from __future__ import annotations

from hookline.core.dialect import Table, column
from hookline.dialects.kit.event_table import read_events

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping

NAME = "kimi"
LONGEST = 600  # seconds (docs/formats/kimi.md 1)
UNEXPLAINED = "blocked by a hook, which gave no reason"


# A word of the table -> the words that replace it.
_WORDS: Mapping[str, str] = {
    "CALL": "tool_name=tool! tool_input=input!{}",
    "ID": "tool_call_id=call_id!",
    "ASKED": (
        "id agent_id turn_id tool_call_id=call_id tool_name=tool! tool_input=input!{}"
        " action display"
    ),
}
# In the order of a session, a turn and a call. Where the host does not wait for the hooks of an
# event (`not-awaited`), their output has no effect. The `newer` events are those of Kimi Code's own
# documentation (docs/formats/kimi.md 2).
_EVENTS = """
event              | may  | subject    | how
SessionStart       |      | source     |
    source!startup
UserPromptSubmit   | deny | prompt     |
    prompt!
UserPromptQueued   |      | prompt     | newer not-awaited
    prompt_id prompt! queue_length
PreToolUse         | deny |            |
    CALL ID
PermissionRequest  |      |            | newer not-awaited
    ASKED
PermissionResult   |      |            | newer not-awaited
    ASKED decision scope feedback selected_label error
PostToolUse        |      |            | not-awaited cut=tool_output:2000
    CALL tool_output=result! ID
PostToolUseFailure |      |            | not-awaited
    CALL error! ID
SubagentStart      |      | agent_type | cut=prompt:500
    agent_name=agent_type! prompt=task!
SubagentStop       |      | agent_type | not-awaited cut=response:500
    agent_name=agent_type! response=last_message!
PreCompact         |      | trigger    |
    trigger!auto token_count=tokens!0
PostCompact        |      | trigger    | not-awaited
    trigger!auto estimated_token_count=tokens!0
Notification       |      | kind       | not-awaited
    sink! notification_type=kind! title! body=text! severity!info
Stop               | deny |            |
    stop_hook_active!false
StopFailure        |      | error      | not-awaited
    error_type=error! error_message=error_details!
Interrupt          |      |            | newer not-awaited
    turn_id reason
SessionEnd         |      | reason     | timeout=5 longest=5
    reason!exit
"""

TABLE = Table(
    name=NAME,
    unknown_keys="hook",
    regex_flavour="python",
    rows=read_events(_EVENTS, NAME, words=_WORDS),
    base=column("hook_event_name=@native!null session_id=@session_id!text cwd=@cwd!text"),
    default_timeout=30.0,
    ascii_only=True,
    # What users of Kimi see: its second stop goes through (docs/formats/kimi.md 7). There is no
    # `redo_flag`, because Kimi's is always false.
    redo_limit=1,
)
