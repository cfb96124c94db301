"""The contract of Cursor: one row for each of its 21 events (docs/formats/cursor.md 3)."""

from __future__ import annotations

from functools import partial

from hookline.core.dialect import FoldRule, Table, column
from hookline.dialects.kit.dialect import make_row
from hookline.model.verdict import Stance

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Any

NAME = "cursor"
DEFAULT_LOOP_LIMIT = 5
MCP = "MCP:"  # how the names of an MCP server's tools begin on the tool events (20)
SILENT, ALLOW, ASK, DENY, HALT = Stance

# Output key -> the power that it uses; `permission` uses those that it names.
POWERS: Mapping[str, str] = {
    "continue": "deny",
    "followup_message": "deny",
    "user_message": "note",
    "agent_message": "context",
    "additional_context": "context",
    "updated_input": "input",
    "updated_mcp_tool_output": "output",
    "env": "env",
    "pluginPaths": "plugin_paths",
}
WORDS: Mapping[str, Stance] = {"allow": ALLOW, "ask": ASK, "deny": DENY}


_CALL = "tool_name=tool tool_input=input!{}"
_SUBAGENT = "subagent_id=agent_id subagent_type=agent_type"
_SAYS = "permission user_message agent_message"
_row = partial(make_row, NAME, POWERS)

# In the order of a session, a turn and a call. Powers go beyond the canonical kind in this: a
# permission may be `allow` wherever there is one, a message for the agent goes with every
# permission for a command or a call, and `workspaceOpen` names plugins.
_ROWS = (
    _row("workspaceOpen", reads="pluginPaths"),
    _row("sessionStart", "session_id=session! is_background_agent!false composer_mode", reads="env additional_context"),
    _row(
        "beforeSubmitPrompt", "prompt attachments![]", reads="continue user_message",
        constant="UserPromptSubmit",
    ),
    # An `ask` is read here and enforced nowhere: it is real for shell and MCP only.
    _row(
        "preToolUse", f"{_CALL} tool_use_id=call_id cwd=@cwd agent_message", subject="tool",
        reads=f"{_SAYS} updated_input", does="allow deny",
    ),
    _row(
        "beforeShellExecution", "command! cwd=@cwd sandbox!false", subject="command", tool="Shell", made_of=("command",),
        reads=_SAYS, does="allow ask deny",
    ),
    _row(
        "beforeMCPExecution", f"{_CALL} url command", subject="tool",
        reads=_SAYS, does="allow ask deny",
    ),
    _row(
        "beforeReadFile", "file_path=path! content! attachments![]", subject="tool", tool="Read", made_of=("file_path",),
        reads="permission user_message", does="allow deny",
    ),
    _row(
        "beforeTabFileRead", "file_path=path! content!", subject="tool", tool="TabRead", made_of=("file_path",),
        reads="permission", does="allow deny",
    ),
    _row(
        "afterShellExecution", "command! output=result! duration=duration_ms!0 sandbox!false", subject="command", tool="Shell",
        made_of=("command",),
    ),
    _row(
        "afterMCPExecution", f"{_CALL} result_json=result! duration=duration_ms!0", subject="tool",
        reads="updated_mcp_tool_output",
    ),
    _row("afterFileEdit", "file_path=path! edits![]", subject="tool", tool="Write", made_of=("file_path", "edits")),
    _row("afterTabFileEdit", "file_path=path! edits![]", subject="tool", tool="TabWrite", made_of=("file_path", "edits")),
    _row(
        "postToolUse", f"{_CALL} tool_output=result! tool_use_id=call_id cwd=@cwd duration=duration_ms!0",
        subject="tool", reads="additional_context updated_mcp_tool_output", only_for={"output": MCP},
    ),
    _row(
        "postToolUseFailure",
        f"{_CALL} tool_use_id=call_id cwd=@cwd error_message=error! failure_type duration=duration_ms!0 is_interrupt!false",
        subject="tool",
    ),
    _row(
        "subagentStart",
        f"{_SUBAGENT} task! parent_conversation_id tool_call_id=call_id subagent_model is_parallel_worker!false git_branch",
        subject="agent_type", reads="permission user_message", does="allow deny",
    ),
    _row(
        "subagentStop",
        f"{_SUBAGENT} status!completed task! description summary=last_message! duration_ms!0 message_count!0 tool_call_count!0 "
        "loop_count!0 modified_files![] agent_transcript_path!null",
        subject="agent_type", reads="followup_message",
    ),
    _row("afterAgentResponse", "text!", constant="AgentResponse"),
    _row("afterAgentThought", "text! duration_ms", constant="AgentThought"),
    _row(
        "preCompact",
        "trigger context_usage_percent context_tokens=tokens context_window_size message_count messages_to_compact "
        "is_first_compaction",
        reads="user_message",
    ),
    # Only a follow-up keeps the agent going; exit 2 has nothing to refuse.
    _row("stop", "status!completed loop_count!0", reads="followup_message", constant="Stop"),
    _row("sessionEnd", "session_id=session! reason duration_ms is_background_agent!false final_status error_message"),
)  # fmt: skip

TABLE = Table(
    name=NAME,
    unknown_keys={"file": "ignored", "hook": "ignored"},
    regex_flavour="javascript",
    rows={row.native: row for row in _ROWS},
    base=column(
        "conversation_id=@session_id! generation_id! model! model_id model_params hook_event_name=@native cursor_version! "
        "workspace_roots![] user_email!null transcript_path!null",
    ),
    project_variables=("CURSOR_PROJECT_DIR",),
    default_timeout=60.0,  # seconds; "the platform's" (docs/formats/comparison.md 3)
    redo_limit=DEFAULT_LOOP_LIMIT,
    fold=FoldRule(input_keys=frozenset({"add"})),
    # The folder of a command may be any; that of an answer's files is the project's.
    folders=("workspace_roots",),
    closes='"failClosed": true',
)


def count_loops(facts: Mapping[str, Any]) -> int:
    """Return how often a stop gate sent the agent back already: as the host counts it, or as our engine does."""
    counts = [facts.get(name) for name in ("loop_count", "stop_block_count")]
    return max((count for count in counts if isinstance(count, int)), default=0)
