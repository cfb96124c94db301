"""The contract of Cursor: its 21 events, and the keys of an answer (docs/formats/cursor.md 3)."""

from __future__ import annotations

from hookline.core.dialect import FoldRule, Table, column
from hookline.dialects.kit.event_table import read_events, read_keys
from hookline.model.verdict import Stance

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Any

NAME = "cursor"
DEFAULT_LOOP_LIMIT = 5
MCP = "MCP:"  # how the names of an MCP server's tools begin on the tool events (20)

# The keys of an answer.
KEYS = read_keys("""
permission              text
user_message            text   note
agent_message           text   context
updated_input           object input
continue                flag   deny
followup_message        text   deny
env                     object env
additional_context      text   context
updated_mcp_tool_output any    output
pluginPaths             list   plugin_paths
""")
WORDS: Mapping[str, Stance] = {"allow": Stance.ALLOW, "ask": Stance.ASK, "deny": Stance.DENY}
# A word of the table -> the words that replace it.
_WORDS: Mapping[str, str] = {
    "CALL": "tool_name=tool tool_input=input!{}",
    "SUBAGENT": "subagent_id=agent_id subagent_type=agent_type",
    "SAYS": "permission user_message agent_message",
    "CALLING": "permission user_message agent_message updated_input",
    "OUTPUT": "additional_context updated_mcp_tool_output",
}
# In the order of a session, a turn and a call. Powers go beyond the canonical kind in this: a
# permission may be `allow` wherever there is one, a message for the agent goes with every
# permission for a command or a call, and `workspaceOpen` names plugins. The host reads an `ask` at
# `preToolUse`, and enforces it for shell and MCP only. At a stop only a follow-up keeps the agent
# going; exit 2 has nothing to refuse.
_EVENTS = """
event                | may            | subject    | how
workspaceOpen        | plugin_paths   |            |
sessionStart         | env            |            | reads=env,additional_context
    session_id=session! is_background_agent!false composer_mode
beforeSubmitPrompt   | deny           |            | constant=UserPromptSubmit
                     |                |            | reads=continue,user_message
    prompt attachments![]
preToolUse           | allow deny     |            | reads=CALLING
    CALL tool_use_id=call_id cwd=@cwd agent_message
beforeShellExecution | allow ask deny | command    | tool=Shell made_of=command reads=SAYS
    command! cwd=@cwd sandbox!false
beforeMCPExecution   | allow ask deny |            | reads=SAYS
    CALL url command
beforeReadFile       | allow deny     | tool       | tool=Read made_of=file_path
                     |                |            | reads=permission,user_message
    file_path=path! content! attachments![]
beforeTabFileRead    | allow deny     | tool       | tool=TabRead made_of=file_path
                     |                |            | reads=permission
    file_path=path! content!
afterShellExecution  |                | command    | tool=Shell made_of=command
    command! output=result! duration=duration_ms!0 sandbox!false
afterMCPExecution    | output         |            |
    CALL result_json=result! duration=duration_ms!0
afterFileEdit        |                | tool       | tool=Write made_of=file_path,edits
    file_path=path! edits![]
afterTabFileEdit     |                | tool       | tool=TabWrite made_of=file_path,edits
    file_path=path! edits![]
postToolUse          | output         |            | only_for=output:MCP: reads=OUTPUT
    CALL tool_output=result! tool_use_id=call_id cwd=@cwd duration=duration_ms!0
postToolUseFailure   |                |            |
    CALL tool_use_id=call_id cwd=@cwd error_message=error! failure_type duration=duration_ms!0
    is_interrupt!false
subagentStart        | allow deny     | agent_type | reads=permission,user_message
    SUBAGENT task! parent_conversation_id tool_call_id=call_id subagent_model
    is_parallel_worker!false git_branch
subagentStop         | deny           | agent_type | reads=followup_message
    SUBAGENT status!completed task! description summary=last_message! duration_ms!0 message_count!0
    tool_call_count!0 loop_count!0 modified_files![] agent_transcript_path!null
afterAgentResponse   |                |            | constant=AgentResponse
    text!
afterAgentThought    |                |            | constant=AgentThought
    text! duration_ms
preCompact           |                |            | reads=user_message
    trigger context_usage_percent context_tokens=tokens context_window_size message_count
    messages_to_compact is_first_compaction
stop                 | deny           |            | constant=Stop reads=followup_message
    status!completed loop_count!0
sessionEnd           |                |            |
    session_id=session! reason duration_ms is_background_agent!false final_status error_message
"""

TABLE = Table(
    name=NAME,
    unknown_keys="file hook",
    regex_flavour="javascript",
    rows=read_events(_EVENTS, NAME, words=_WORDS, keys=KEYS),
    base=column(
        "conversation_id=@session_id! generation_id! model! model_id model_params"
        " hook_event_name=@native cursor_version! workspace_roots![] user_email!null"
        " transcript_path!null"
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
    """Return how often a stop gate sent the agent back, as the host or our engine counts it."""
    counts = [facts.get(name) for name in ("loop_count", "stop_block_count")]
    return max((count for count in counts if isinstance(count, int)), default=0)
