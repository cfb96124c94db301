"""The contract of Cline: one row for each event that a file can be named after (docs/formats/cline.md 1)."""

from __future__ import annotations

from hookline.core.dialect import FoldRule, Table, column
from hookline.dialects.kit.event_table import read_events
from hookline.model import kinds

NAME = "cline"
_CALL = "toolName=tool parameters=input id=call_id"
# A cancel ends the run with the reason. Before a tool it refuses the call, and at a prompt the
# prompt, which are never carried out; elsewhere it stops the run. The last seven events read no
# answer. No event asks the user: `review` is declared, and no program of the host acts on it.
_EVENTS = """
event            | called           | body       | may                | subject | section          | payload
TaskStart        | agent_start      |            | halt               |         | taskStart        | taskMetadata
UserPromptSubmit | prompt_submit    | Prompt     | deny               |         | userPromptSubmit | prompt attachments
PreToolUse       | tool_call        | ToolCall   | deny context input | -       | preToolUse       | CALL
PostToolUse      | tool_result      | ToolCall   | halt context       | -       | postToolUse      | CALL result error success executionTimeMs=duration_ms
TaskResume       | agent_resume     |            |                    |         | taskResume       | taskMetadata previousState
PreCompact       | pre_compact      | Compaction |                    |         | preCompact       | contextSize compactionStrategy=trigger tokensIn tokensOut contextJsonPath contextRawPath
Notification     | notification     | Message    |                    |         | notification     | event=kind message=text severity
TaskComplete     | agent_end        |            |                    |         | taskComplete     | taskMetadata
TaskCancel       | agent_abort      |            |                    |         | taskCancel       | taskMetadata
TaskError        | agent_error      |            |                    |         | error            | name message=error stack
SessionShutdown  | session_shutdown |            |                    |         |                  |
"""
_ROWS = read_events(_EVENTS, NAME, kinds.native_names(NAME), words={"CALL": _CALL})

TABLE = Table(
    name=NAME,
    rows=_ROWS,
    aliases={row.called: row.native for row in _ROWS.values()},
    base=column("hookName=@native taskId=@session_id workspaceRoots=@cwd"),
    folders=("workspaceRoots",),
    # Of several answers each context and each reason counts, and of new inputs the last
    # (docs/formats/comparison.md 6; docs/formats/cline.md 1).
    fold=FoldRule(joins_reasons=True, lone_patches=True),
    default_timeout=30.0,  # seconds; fixed, no file can change it (docs/formats/comparison.md 3)
    compact=True,
)
