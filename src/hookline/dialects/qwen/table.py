"""The contract of Qwen Code: its 22 events, and the keys of an answer (docs/formats/qwen.md 3)."""

from __future__ import annotations

from hookline.core.dialect import FoldRule, Table, column
from hookline.dialects.kit.dialect import add_context
from hookline.dialects.kit.event_table import read_events, read_keys

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping

NAME = "qwen"
# A command's timeout is in milliseconds, an http hook's in seconds (docs/formats/comparison.md 3).
TICKS_PER_SECOND = 1000

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


# The keys of `hookSpecificOutput`, and the power that each uses.
KEYS = read_keys("""
additionalContext  text   context
permissionDecision text   deny
updatedInput       object input
decision           object deny
""")
# A word of the table -> the words that replace it. `COUNT` is our engine's own
# (docs/architecture.md 4.12); the host does not send it.
_WORDS: Mapping[str, str] = {
    "MODE": "permission_mode!default",
    "CALL": "tool_name=tool tool_input=input!{}",
    "ID": "tool_use_id=call_id!text tool_call_id",
    "LAST": "last_assistant_message=last_message!text",
    "TASKS": "background_tasks![] crons![]",
    "COUNT": "stop_block_count stop_block_limit",
    "TODO": "todo_id=task_id todo_content=subject",
    "REFUSES": "deny:DENY block:DENY",
    "PERMITS": "deny:DENY block:DENY ask:ASK allow:ALLOW approve:ALLOW",
    "ENDS": "deny:HALT block:HALT",
}
# In the order of a session, a turn and a call. At a stop both `continue: false` and a block send
# the agent back to work; after a tool nothing but `continue: false` counts, and it ends the turn.
_EVENTS = """
event               | may                      | subject      | how
SessionStart        | note context             | source       |
    MODE source!text model!text agent_type
InstructionsLoaded  | note                     | load_reason  |
    file_path memory_type load_reason trigger_file_path parent_file_path
UserPromptExpansion | note deny context        | command_name | words=REFUSES stops=DENY
                    |                          |              | carries=PROMPT
    command_name command_args=args!text prompt!text
UserPromptSubmit    | note deny context        |              | words=REFUSES stops=DENY
                    |                          |              | carries=PROMPT
    prompt!text submitted_prompt
PreToolUse          | note allow ask deny halt |              | words=PERMITS
                    |                          |              | reads=permissionDecision
    MODE CALL ID
PermissionRequest   | note allow deny halt     |              | stops=SILENT reads=decision
                    | input grant              |              |
    MODE CALL permission_suggestions=suggestions
PermissionDenied    | note                     |              |
    CALL ID reason!text
PostToolUse         | note halt context        |              |
    MODE CALL tool_response=result!{} ID duration_ms
PostToolUseFailure  | note context             |              |
    MODE ID CALL error!text is_interrupt duration_ms
PostToolBatch       | note halt context        |              | words=ENDS blocks=HALT
    MODE tool_calls=calls![]
TodoCreated         | note deny                |              | words=REFUSES
                    |                          |              | spared=phase,postWrite
    TODO todo_status=status all_todos phase
TodoCompleted       | note deny                |              | words=REFUSES
                    |                          |              | spared=phase,postWrite
    TODO previous_status all_todos phase
SubagentStart       | note context             | agent_type   |
    MODE agent_id!text agent_type!text
SubagentStop        | note deny                | agent_type   | words=REFUSES stops=DENY
    MODE stop_hook_active!false agent_id!text agent_type!text agent_transcript_path!text LAST TASKS
    COUNT
MessageDisplay      |                          |              | unread
    message_id displayed_text=text is_final=final
Stop                | note deny                |              | words=REFUSES stops=DENY
    stop_hook_active!false LAST TASKS context_usage context_limit input_tokens COUNT
StopFailure         |                          | error        | unread
    error!text error_details last_assistant_message=last_message
PreCompact          | note                     | trigger      |
    trigger!text custom_instructions=instructions!text
PostCompact         | note                     | trigger      |
    trigger!text compact_summary=summary!text
Notification        | note                     | kind         |
    message=text!text title notification_type=kind!text
SessionEnd          | note                     | reason       |
    reason!text
SessionDelete       |                          |              | unread
    deleted_session_id
"""

TABLE = Table(
    name=NAME,
    unknown_keys="group hook",
    regex_flavour="javascript",
    rows=read_events(
        _EVENTS,
        NAME,
        words=_WORDS,
        keys=KEYS,
        values={"PROMPT": add_context},
        halts="stops",
    ),
    # Only the host knows the time of its event.
    base=column(
        "session_id=@session_id!text transcript_path!text cwd=@cwd!text"
        " hook_event_name=@native!null timestamp"
    ),
    project_variables=("QWEN_PROJECT_DIR",),
    # Every reason is given; of several new inputs the last one stands (10; 1.6).
    fold=FoldRule(joins_reasons=True, lone_patches=True),
    ticks_per_second=TICKS_PER_SECOND,
    default_timeout=60.0,
    compact=True,
    redo_limit=8,
    redo_flag="stop_hook_active",
    repeats=frozenset({"prompt.submit"}),
    late=frozenset({"context", "note"}),  # of `async` hooks, with the next turn
    asks_at_terminal=True,  # without one, the host runs no tool that a hook asks about
    programs=("qwen", "qwen-code"),
    closes='"failMode": "closed"',
)
