"""The contract of Claude Code: one row for each of its 33 events (docs/formats/claude-code.md 5, 8)."""

from __future__ import annotations

from functools import partial

from hookline.core.dialect import FoldRule, Table, column
from hookline.dialects.kit.dialect import make_row
from hookline.model.verdict import Stance

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping

NAME = "claude-code"
SESSION_END_BUDGET = 1.5  # seconds, of all its hooks together (docs/formats/claude-code.md 5)
SILENT, ALLOW, ASK, DENY, HALT = Stance

# Key of `hookSpecificOutput` -> the target of the rewrite that it is.
REWRITES: Mapping[str, str] = {
    "updatedInput": "input",
    "updatedToolOutput": "output",
    "updatedMCPToolOutput": "output",
    "displayContent": "text",
}
# Key of `hookSpecificOutput` -> the effect that its value is, as it stands.
EFFECTS: Mapping[str, str] = {
    "sessionTitle": "title",
    "watchPaths": "watch",
    "worktreePath": "path",
    "initialUserMessage": "initial_message",
    "reloadSkills": "reload_skills",
    "suppressOriginalPrompt": "hide_prompt",
    "classifierContext": "classifier_context",
}
# Key of `hookSpecificOutput` -> the power that it uses; `permissionDecision` and `decision` use
# those that they name.
POWERS: Mapping[str, str] = {
    **REWRITES,
    **EFFECTS,
    "additionalContext": "context",
    "retry": "retry",
    "action": "content",
    "content": "content",
}


_BASE = "session_id=@session_id!text transcript_path!text cwd=@cwd!text permission_mode hook_event_name=@native!null"
_TOOL = "tool_name=tool tool_input=input!{} tool_use_id=call_id mcp_server"
_STOP = (
    "stop_hook_active last_assistant_message=last_message background_tasks![] session_crons![] "
    "stop_block_count stop_block_limit"  # our engine's own count (docs/architecture.md 4.12); a host sends neither
)
_TASK = "task_id task_subject=subject task_description=description teammate_name=teammate team_name=team"
_SWITCH = (
    "from_model to_model requested_model source context_tokens!0 prompt_cache_warm!false cache_ttl "
    "estimated_cache_write_usd pricing"
)  # fmt: skip
_STARTED = "source model agent_type session_title seconds_since_last_response context_tokens prompt_cache_likely_expired estimated_cache_write_usd"

_BLOCK = {"block": DENY}
_LEGACY = {"approve": ALLOW, "block": DENY}
_SWITCHING = {"allow": ALLOW, "ask": ASK, "deny": DENY}
# `defer` has no stance of its own: an ask that carries the effect `defer`
# (docs/formats/vocabulary.md 3).
_CALLING = {**_SWITCHING, "defer": ASK}
_PERMISSION = "permissionDecision permissionDecisionReason"


# The powers go beyond the canonical kind in this: every event obeys `continue: false` and shows a
# `terminalSequence`, `PreModelSwitch` may be allowed or asked about, `SessionStart` watches paths,
# and `Elicitation` can be refused by exit 2 (docs/formats/claude-code.md 7).
_ON_ALL = "note terminal_sequence"
_row = partial(
    make_row,
    "claude",
    {**POWERS, "permissionDecision": "allow ask deny", "decision": "allow deny input grant"},
    does=f"{_ON_ALL} halt",
)
# The events that a tool call passes through; only these know the rules of `if`
# (docs/formats/claude-code.md 3).
_tool = partial(_row, subject="tool")

# In the order of a session, a turn and a call. Where `blocks` stands, an answer or exit 2 can
# refuse, or feed back.
_ROWS = (
    _row(
        "SessionStart", _STARTED, subject="source", plain_context=True, takes_http=False,
        reads="additionalContext initialUserMessage sessionTitle watchPaths reloadSkills",
    ),
    _row("Setup", "trigger", subject="trigger", reads="additionalContext", takes_http=False),
    _row("InstructionsLoaded", "file_path memory_type load_reason globs trigger_file_path parent_file_path", subject="load_reason"),
    _row(
        "UserPromptSubmit", "prompt session_title", blocks=DENY, judged=DENY, words=_BLOCK, plain_context=True, timeout=30.0,
        reads="additionalContext sessionTitle suppressOriginalPrompt",
    ),
    _row(
        "UserPromptExpansion", "expansion_type command_name command_args=args command_source prompt",
        subject="command_name", blocks=DENY, judged=DENY, words=_BLOCK, plain_context=True, reads="additionalContext",
    ),
    # Since 2.1.288 these two block when matching itself fails or the input cannot be serialised
    # (docs/formats/comparison.md 4).
    _tool(
        "PreToolUse", _TOOL, blocks=DENY, judged=DENY, words=_LEGACY, verdicts=_CALLING, unmatched=DENY,
        does=f"{_ON_ALL} halt defer",
        reads=f"{_PERMISSION} updatedInput additionalContext",
    ),
    _tool(
        "PermissionRequest", "tool_name=tool tool_input=input!{} permission_suggestions=suggestions![]",
        blocks=DENY, judged=DENY, ignores_exit=True, unmatched=DENY, reads="decision",
    ),
    _tool("PermissionDenied", f"{_TOOL} reason", reads="retry"),
    _tool(
        "PostToolUse", f"{_TOOL} tool_response=result duration_ms", blocks=DENY, judged=HALT, words=_BLOCK,
        reads="additionalContext updatedToolOutput updatedMCPToolOutput classifierContext",
    ),
    _tool(
        "PostToolUseFailure", f"{_TOOL} error is_interrupt!false duration_ms", blocks=DENY, judged=HALT, words=_BLOCK,
        reads="additionalContext",
    ),
    _row("PostToolBatch", "tool_calls=calls![]", blocks=DENY, judged=HALT, words=_BLOCK, reads="additionalContext"),
    _row("Notification", "message=text title notification_type=kind", subject="kind"),
    _row(
        "MessageDisplay", "turn_id message_id index!0 final!false delta=text", timeout=10.0,
        reads="displayContent",
    ),
    _row("SubagentStart", "agent_id agent_type", subject="agent_type", reads="additionalContext"),
    _row(
        "SubagentStop", f"{_STOP} agent_id agent_type agent_transcript_path", subject="agent_type",
        blocks=DENY, judged=DENY, words=_BLOCK, reads="additionalContext", context_redoes=True,
    ),
    # `TaskCreated` ignores `continue: false`; the other two obey it, and know exit 2 only (2.7, 2.8
    # rule 6, 2.10).
    _row("TaskCreated", _TASK, blocks=DENY, judged=DENY, words=_BLOCK, does=_ON_ALL),
    _row("TaskCompleted", _TASK, blocks=DENY, judged=HALT),
    _row("TeammateIdle", "teammate_name=teammate team_name=team", blocks=DENY),
    # Context at a stop makes the agent go on as a block does (docs/formats/claude-code.md 7), so it
    # counts as one.
    _row("Stop", _STOP, blocks=DENY, judged=DENY, words=_BLOCK, reads="additionalContext", context_redoes=True),
    _row("StopFailure", "error error_details last_assistant_message=last_message", subject="error", literal=True),
    _row("ConfigChange", "source file_path", subject="source", blocks=DENY, words=_BLOCK, spared=("source", "policy_settings")),
    _row("CwdChanged", "old_cwd=old new_cwd=new", reads="watchPaths"),
    _row("DirectoryAdded", "directory source", subject="source"),
    _row("FileChanged", "file_path=path event", subject="path", literal=True, reads="watchPaths"),
    _row("WorktreeCreate", "name", blocks=DENY, nonzero=DENY, reads="worktreePath"),
    _row("WorktreeRemove", "worktree_path=path", blocks=DENY, nonzero=DENY),
    _row(
        "PreCompact", "trigger custom_instructions=instructions!null", subject="trigger",
        blocks=DENY, words=_BLOCK,
    ),
    _row("PostCompact", "trigger compact_summary=summary", subject="trigger"),
    _row(
        "PreModelSwitch", _SWITCH, subject="to_model", blocks=DENY, words=_BLOCK, verdicts=_SWITCHING, timed_out=DENY,
        timeout=30.0, reads=_PERMISSION,
    ),
    _row("PostModelSwitch", _SWITCH, subject="to_model", plain_context=True, timeout=30.0, reads="additionalContext"),
    _row(
        "Elicitation", "mcp_server_name=server message mode url elicitation_id requested_schema=schema", subject="server",
        blocks=DENY, reads="action content",
    ),
    _row(
        "ElicitationResult", "mcp_server_name=server action content mode elicitation_id", subject="server",
        blocks=DENY, reads="action content",
    ),
    # The budget of all its hooks together is worked out in `combine` (docs/formats/claude-code.md
    # 5).
    _row("SessionEnd", "reason", subject="reason", timeout=SESSION_END_BUDGET),
)  # fmt: skip

TABLE = Table(
    name=NAME,
    unknown_keys={"group": "ignored", "hook": "ignored"},
    regex_flavour="javascript",
    rows={row.native: row for row in _ROWS},
    base=column(_BASE),
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
    redo_limit=8,  # blocks in a row, of Stop and SubagentStop (docs/formats/claude-code.md 7)
    redo_flag="stop_hook_active",  # in a row: a stop that is no continuation begins anew (docs/formats/claude-code.md 7)
    late=frozenset(
        {"context", "note", "wake"}
    ),  # `async` and `asyncRewake` (docs/formats/claude-code.md 4)
    detached_untimed=True,  # as above
    background_line=True,  # `{"async": true, "asyncTimeout": 15000}`; its output is read as that of an `async` hook
    closes='"onFailure": "block"',
)
