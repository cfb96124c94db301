"""The contract of Cline: one row for each event of a file (docs/formats/cline.md 1)."""

from __future__ import annotations

from hookline.core.dialect import FoldRule, Table, column
from hookline.dialects.kit.event_table import read_events

NAME = "cline"
_CALL = "toolName=tool parameters=input id=call_id"
# A cancel ends the run with the reason. Before a tool it refuses the call, and at a prompt the
# prompt, which are never carried out; elsewhere it stops the run. The last seven events read no
# answer. No event asks the user: `review` is declared, and no program of the host acts on it.
_EVENTS = """
event            | called           | may                | how
TaskStart        | agent_start      | halt               | section=taskStart
    taskMetadata
UserPromptSubmit | prompt_submit    | deny               | section=userPromptSubmit
    prompt attachments
PreToolUse       | tool_call        | deny context input | subject=- section=preToolUse
    CALL
PostToolUse      | tool_result      | halt context       | subject=- section=postToolUse
    CALL result error success executionTimeMs=duration_ms
TaskResume       | agent_resume     |                    | section=taskResume
    taskMetadata previousState
PreCompact       | pre_compact      |                    | section=preCompact
    contextSize compactionStrategy=trigger tokensIn tokensOut contextJsonPath contextRawPath
Notification     | notification     |                    | section=notification
    event=kind message=text severity
TaskComplete     | agent_end        |                    | section=taskComplete
    taskMetadata
TaskCancel       | agent_abort      |                    | section=taskCancel
    taskMetadata
TaskError        | agent_error      |                    | section=error
    name message=error stack
SessionShutdown  | session_shutdown |                    |
"""
_ROWS = read_events(_EVENTS, NAME, words={"CALL": _CALL})

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
