"""The contract of Cline: one row for each event that a file can be named after (docs/formats/cline.md 1)."""

from __future__ import annotations

from hookline.core.dialect import FoldRule, Table, column
from hookline.dialects.kit.dialect import make_row
from hookline.model.verdict import Stance

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from hookline.core.dialect import EventRow

NAME = "cline"
SILENT, ALLOW, ASK, DENY, HALT = Stance


def _row(native: str, called: str, fields: str = "", **columns: Any) -> EventRow:
    """Return one row. Its fields are those of its section, which is called as the event is."""
    columns.setdefault("section", native[0].lower() + native[1:])
    return make_row(NAME, {}, native, fields, called=called, **columns)


_CALL = "toolName=tool parameters=input id=call_id"
# A cancel ends the run with the reason. Before a tool it refuses the call, and at a prompt the
# prompt, which are never carried out; elsewhere it stops the run. The last seven events read no
# answer. No event asks the user: `review` is declared, and no program of the host acts on it.
_ROWS = (
    _row("TaskStart", "agent_start", "taskMetadata", does="halt", blocks=HALT),
    _row(
        "UserPromptSubmit", "prompt_submit", "prompt attachments",
        does="deny",
    ),
    _row("PreToolUse", "tool_call", _CALL, does="deny context input"),
    _row(
        "PostToolUse", "tool_result",
        f"{_CALL} result error success executionTimeMs=duration_ms", does="halt context", blocks=HALT,
    ),
    _row("TaskResume", "agent_resume", "taskMetadata previousState"),
    _row(
        "PreCompact", "pre_compact",
        "contextSize compactionStrategy=trigger tokensIn tokensOut contextJsonPath contextRawPath",
    ),
    _row("Notification", "notification", "event=kind message=text severity"),
    _row("TaskComplete", "agent_end", "taskMetadata"),
    _row("TaskCancel", "agent_abort", "taskMetadata"),
    _row("TaskError", "agent_error", "name message=error stack", section="error"),
    _row("SessionShutdown", "session_shutdown", section=""),
)  # fmt: skip

TABLE = Table(
    name=NAME,
    rows={row.native: row for row in _ROWS},
    aliases={row.called: row.native for row in _ROWS},
    base=column("hookName=@native taskId=@session_id workspaceRoots=@cwd"),
    folders=("workspaceRoots",),
    # Of several answers each context and each reason counts, and of new inputs the last
    # (docs/formats/comparison.md 6; docs/formats/cline.md 1).
    fold=FoldRule(joins_reasons=True, lone_patches=True),
    default_timeout=30.0,  # seconds; fixed, no file can change it (docs/formats/comparison.md 3)
    compact=True,
)
