"""The contract of Claude Code: its 33 events, and the keys of an answer.

Facts: docs/formats/claude-code.md 5, 8.
"""

from __future__ import annotations

from hookline.core.dialect import FoldRule, Table, column
from hookline.dialects.kit.event_table import read_events, read_keys
from hookline.model import kinds

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping

NAME = "claude-code"
SESSION_END_BUDGET = 1.5  # seconds, of all its hooks together (docs/formats/claude-code.md 5)

# The keys of `hookSpecificOutput`.
KEYS = read_keys("""
updatedInput           object input
updatedToolOutput      any    output
updatedMCPToolOutput   any    output
displayContent         text   text
additionalContext      text   context
retry                  flag   retry
sessionTitle           text   title
watchPaths             list   watch
worktreePath           text   path
initialUserMessage     text   initial_message
reloadSkills           flag   reload_skills
suppressOriginalPrompt flag   hide_prompt
classifierContext      text   classifier_context
action                 text   content
content                object content
permissionDecision     text
decision               object
""")
# A word of the table -> the words that replace it. `defer` has no stance of its own: an ask that
# carries the effect `defer` (docs/formats/vocabulary.md 3). `stop_block_count` and
# `stop_block_limit` are our engine's own (docs/architecture.md 4.12).
_WORDS: Mapping[str, str] = {
    "TOOL": "tool_name=tool tool_input=input!{} tool_use_id=call_id mcp_server",
    "STARTED": (
        "source model agent_type session_title seconds_since_last_response context_tokens"
        " prompt_cache_likely_expired estimated_cache_write_usd"
    ),
    "STOP": (
        "stop_hook_active last_assistant_message=last_message background_tasks![]"
        " session_crons![] stop_block_count stop_block_limit"
    ),
    "TASK": (
        "task_id task_subject=subject task_description=description teammate_name=teammate"
        " team_name=team"
    ),
    "SWITCH": (
        "from_model to_model requested_model source context_tokens!0 prompt_cache_warm!false"
        " cache_ttl estimated_cache_write_usd pricing"
    ),
    "BLOCK": "block:DENY",
    "LEGACY": "approve:ALLOW,block:DENY",
    "SWITCHING": "allow:ALLOW,ask:ASK,deny:DENY",
    "CALLING": "allow:ALLOW,ask:ASK,deny:DENY,defer:ASK",
    "PERMISSION": "permissionDecision",
    "CALL": "permissionDecision,updatedInput,additionalContext",
}
# In the order of a session, a turn and a call. What can deny can be refused by an answer or by
# exit 2. The powers go beyond the canonical kind in this: every event but one obeys
# `continue: false` and shows a `terminalSequence`, `PreModelSwitch` may be allowed or asked about,
# `SessionStart` watches paths, and `Elicitation` can be refused by exit 2
# (docs/formats/claude-code.md 7). `TaskCreated` ignores `continue: false`; the other two of its
# family obey it, and know exit 2 only (2.7, 2.8 rule 6, 2.10). Two events refuse when matching
# fails or the input cannot be serialised (docs/formats/comparison.md 4). Context at a stop makes
# the agent go on as a block does. `combine` works out the budget of `SessionEnd`.
_EVENTS = """
event               | may                          | subject      | how
SessionStart        | context halt initial_message | source       | plain_context not-takes_http
                    | title watch reload_skills    |              |
    STARTED
Setup               | context halt                 | trigger      | not-takes_http
    trigger
InstructionsLoaded  | halt                         | load_reason  |
    file_path memory_type load_reason globs trigger_file_path parent_file_path
UserPromptSubmit    | deny halt context title      |              | judged=DENY plain_context
                    | hide_prompt                  |              | timeout=30 words=BLOCK
    prompt session_title
UserPromptExpansion | deny halt context            | command_name | judged=DENY plain_context
                    |                              |              | words=BLOCK
    expansion_type command_name command_args=args command_source prompt
PreToolUse          | allow ask deny halt input    |              | judged=DENY unmatched=DENY
                    | context defer                |              | words=LEGACY verdicts=CALLING
                    |                              |              | reads=CALL
    TOOL
PermissionRequest   | allow deny halt input grant  |              | judged=DENY unmatched=DENY
                    |                              |              | ignores_exit reads=decision
    tool_name=tool tool_input=input!{} permission_suggestions=suggestions![]
PermissionDenied    | halt retry                   |              |
    TOOL reason
PostToolUse         | deny halt context output     |              | judged=HALT words=BLOCK
                    | classifier_context           |              |
    TOOL tool_response=result duration_ms
PostToolUseFailure  | deny halt context            |              | judged=HALT words=BLOCK
    TOOL error is_interrupt!false duration_ms
PostToolBatch       | deny halt context            |              | judged=HALT words=BLOCK
    tool_calls=calls![]
Notification        | halt                         | kind         |
    message=text title notification_type=kind
MessageDisplay      | halt text                    |              | timeout=10
    turn_id message_id index!0 final!false delta=text
SubagentStart       | halt context                 | agent_type   |
    agent_id agent_type
SubagentStop        | deny halt context            | agent_type   | judged=DENY words=BLOCK
                    |                              |              | context_redoes
    STOP agent_id agent_type agent_transcript_path
TaskCreated         | deny                         |              | judged=DENY words=BLOCK
    TASK
TaskCompleted       | deny halt                    |              | judged=HALT
    TASK
TeammateIdle        | deny halt                    |              |
    teammate_name=teammate team_name=team
Stop                | deny halt context            |              | judged=DENY words=BLOCK
                    |                              |              | context_redoes
    STOP
StopFailure         | halt                         | error        | literal
    error error_details last_assistant_message=last_message
ConfigChange        | deny halt                    | source       | words=BLOCK
                    |                              |              | spared=source,policy_settings
    source file_path
CwdChanged          | halt watch                   |              |
    old_cwd=old new_cwd=new
DirectoryAdded      | halt                         | source       |
    directory source
FileChanged         | halt watch                   | path         | literal
    file_path=path event
WorktreeCreate      | deny halt path               |              | nonzero=DENY
    name
WorktreeRemove      | deny halt                    |              | nonzero=DENY
    worktree_path=path
PreCompact          | deny halt                    | trigger      | words=BLOCK
    trigger custom_instructions=instructions!null
PostCompact         | halt                         | trigger      |
    trigger compact_summary=summary
PreModelSwitch      | allow ask deny halt          | to_model     | timeout=30 timed_out=DENY
                    |                              |              | words=BLOCK verdicts=SWITCHING
                    |                              |              | reads=PERMISSION
    SWITCH
PostModelSwitch     | halt context                 | to_model     | timeout=30 plain_context
    SWITCH
Elicitation         | deny halt content            | server       |
    mcp_server_name=server message mode url elicitation_id requested_schema=schema
ElicitationResult   | deny halt content            | server       |
    mcp_server_name=server action content mode elicitation_id
SessionEnd          | halt                         | reason       | timeout=1.5
    reason
"""
TABLE = Table(
    name=NAME,
    unknown_keys="group hook",
    regex_flavour="javascript",
    rows=read_events(
        _EVENTS,
        NAME,
        kinds.native_names("claude"),
        words=_WORDS,
        keys=KEYS,
        always="note terminal_sequence",
        halts="stops",
    ),
    base=column(
        "session_id=@session_id!text transcript_path!text cwd=@cwd!text permission_mode"
        " hook_event_name=@native!null"
    ),
    project_variables=("CLAUDE_PROJECT_DIR",),
    # A denial drops a deferral and an answer to an elicitation; two different answers to one are a
    # refusal.
    fold=FoldRule(
        exclusive={
            "defer": "hooks disagree about deferring the call",
            "content": "hooks answer the elicitation differently",
        }
    ),
    default_timeout=600.0,
    # Blocks in a row, of Stop and SubagentStop: a stop that is no continuation starts a new count
    # (docs/formats/claude-code.md 7).
    redo_limit=8,
    redo_flag="stop_hook_active",
    # `async` and `asyncRewake` (docs/formats/claude-code.md 4).
    late=frozenset({"context", "note", "wake"}),
    detached_untimed=True,
    # `{"async": true, "asyncTimeout": 15000}`; its output is read as that of an `async` hook.
    background_line=True,
    closes='"onFailure": "block"',
)
