"""The contract of Qwen Code: one row for each of its 22 events (docs/formats/qwen.md 3)."""

from __future__ import annotations

from functools import partial

from hookline.core.dialect import FoldRule, Table, column
from hookline.dialects.kit.dialect import add_context, make_row
from hookline.model.verdict import Stance

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping

NAME = "qwen"
TICKS_PER_SECOND = 1000  # a command's timeout is in milliseconds, an http hook's in seconds (docs/formats/comparison.md 3)
DEFAULT_TIMEOUT = 60.0
SILENT, ALLOW, ASK, DENY, HALT = Stance

# A tool's display name, which a matcher may write as a whole in the place of the tool's id
# (docs/formats/qwen.md 4).
ALIASES: Mapping[str, tuple[str, ...]] = {
    "run_shell_command": ("Shell",),
    "read_file": ("ReadFile",),
    "write_file": ("WriteFile",),
    "edit": ("Edit",),
    "glob": ("Glob",),
    "grep_search": ("Grep",),
    "todo_write": ("TodoWrite",),
    "web_fetch": ("WebFetch",),
    "agent": ("Agent", "Task"),
}


# Only the host knows the time of its event.
_BASE = "session_id=@session_id!text transcript_path!text cwd=@cwd!text hook_event_name=@native!null timestamp"
_MODE = "permission_mode!default"
_TOOL = f"{_MODE} tool_name=tool tool_input=input!{{}}"
_ID = "tool_use_id=call_id!text tool_call_id"
_STOP = (
    "stop_hook_active!false last_assistant_message=last_message!text background_tasks![] crons![]"
)
# Our engine's own count (docs/architecture.md 4.12); the host does not send it.
_COUNT = "stop_block_count stop_block_limit"
_TODO = "todo_id=task_id todo_content=subject"

_REFUSES = {"deny": DENY, "block": DENY}
_PERMITS = {**_REFUSES, "ask": ASK, "allow": ALLOW, "approve": ALLOW}
_POWERS: Mapping[str, str] = {
    "additionalContext": "context",
    "permissionDecision": "allow ask deny",
    "updatedInput": "input",
    "decision": "allow deny input grant halt",
}


_row = partial(make_row, NAME, _POWERS, does="note")
_CONTEXT = "additionalContext"
# In the order of a session, a turn and a call. At a stop both `continue: false` and a block send
# the agent back to work; after a tool nothing but `continue: false` counts, and it ends the turn.
_ROWS = (
    _row(
        "SessionStart", f"{_MODE} source!text model!text agent_type", subject="source", reads=_CONTEXT,
    ),
    _row(
        "InstructionsLoaded", "file_path memory_type load_reason trigger_file_path parent_file_path",
        subject="load_reason",
    ),
    _row(
        "UserPromptExpansion", "command_name command_args=args!text prompt!text",
        subject="command_name", reads=_CONTEXT, words=_REFUSES, stops=DENY, blocks=DENY, carries=add_context,
    ),
    _row(
        "UserPromptSubmit", "prompt!text submitted_prompt", reads=_CONTEXT, words=_REFUSES,
        stops=DENY, blocks=DENY, carries=add_context,
    ),
    _row(
        "PreToolUse", f"{_TOOL} {_ID}", subject="tool",
        reads=f"permissionDecision permissionDecisionReason updatedInput {_CONTEXT}", words=_PERMITS,
        stops=HALT, blocks=DENY,
    ),
    _row(
        "PermissionRequest", f"{_TOOL} permission_suggestions=suggestions", subject="tool",
        reads="decision", blocks=DENY,
    ),
    _row("PermissionDenied", f"tool_name=tool tool_input=input!{{}} {_ID} reason!text", subject="tool"),
    _row(
        "PostToolUse", f"{_TOOL} tool_response=result!{{}} {_ID} duration_ms", subject="tool",
        reads=_CONTEXT, stops=HALT,
    ),
    _row(
        "PostToolUseFailure", f"{_MODE} {_ID} tool_name=tool tool_input=input!{{}} error!text is_interrupt duration_ms",
        subject="tool", reads=_CONTEXT,
    ),
    _row(
        "PostToolBatch", f"{_MODE} tool_calls=calls![]", reads=_CONTEXT,
        words={"deny": HALT, "block": HALT}, stops=HALT, blocks=HALT,
    ),
    _row(
        "TodoCreated", f"{_TODO} todo_status=status all_todos phase", words=_REFUSES, blocks=DENY,
        spared=("phase", "postWrite"),
    ),
    _row(
        "TodoCompleted", f"{_TODO} previous_status all_todos phase", words=_REFUSES, blocks=DENY,
        spared=("phase", "postWrite"),
    ),
    _row("SubagentStart", f"{_MODE} agent_id!text agent_type!text", subject="agent_type", reads=_CONTEXT),
    _row(
        "SubagentStop",
        f"{_MODE} stop_hook_active!false agent_id!text agent_type!text agent_transcript_path!text "
        f"last_assistant_message=last_message!text background_tasks![] crons![] {_COUNT}",
        subject="agent_type", words=_REFUSES, stops=DENY, blocks=DENY,
    ),
    _row("MessageDisplay", "message_id displayed_text=text is_final=final", unread=True, does=""),
    _row(
        "Stop", f"{_STOP} context_usage context_limit input_tokens {_COUNT}", words=_REFUSES,
        stops=DENY, blocks=DENY,
    ),
    _row(
        "StopFailure", "error!text error_details last_assistant_message=last_message", subject="error",
        unread=True, does="",
    ),
    _row("PreCompact", "trigger!text custom_instructions=instructions!text", subject="trigger"),
    _row("PostCompact", "trigger!text compact_summary=summary!text", subject="trigger"),
    _row("Notification", "message=text!text title notification_type=kind!text", subject="kind"),
    _row("SessionEnd", "reason!text", subject="reason"),
    _row("SessionDelete", "deleted_session_id", unread=True, does=""),
)  # fmt: skip

TABLE = Table(
    name=NAME,
    unknown_keys={"group": "ignored", "hook": "ignored"},
    regex_flavour="javascript",
    rows={row.native: row for row in _ROWS},
    base=column(_BASE),
    project_variables=("QWEN_PROJECT_DIR",),
    # Every reason is given; of several new inputs the last one stands (10; 1.6).
    fold=FoldRule(joins_reasons=True, lone_patches=True),
    ticks_per_second=TICKS_PER_SECOND,
    default_timeout=DEFAULT_TIMEOUT,
    compact=True,
    redo_limit=8,
    redo_flag="stop_hook_active",
    late=frozenset({"context", "note"}),  # of `async` hooks, with the next turn
    asks_at_terminal=True,  # without one, the host runs no tool that a hook asks about
    programs=("qwen", "qwen-code"),
    closes='"failMode": "closed"',
)
