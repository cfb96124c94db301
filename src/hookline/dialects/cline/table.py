"""The contract of Cline: one row for each event that a file can be named after (docs/formats/cline.md 1)."""

from __future__ import annotations

from hookline.core.dialect import EventRow, Field, FoldRule, Table, column
from hookline.model import kinds
from hookline.model.event import Compaction, Lifecycle, Message, Prompt, ToolCall
from hookline.model.verdict import Stance

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping

    from hookline.model.event import Body

NAME = "cline"
TIMEOUT = 30.0  # seconds; fixed, no file can change it (docs/formats/comparison.md 3)
SILENT, ALLOW, ASK, DENY, HALT = Stance


def _row(
    native: str,
    called: str,
    section: str = "",
    fields: str = "",
    *,
    body: type[Body] = Lifecycle,
    powers: str = "",
    blocks: Stance = SILENT,
) -> EventRow:
    """Return one row. Its fields are those of the section, by the facts that they carry."""
    return EventRow(
        native=native,
        kind=kinds.native_names(NAME)[native],
        body=body,
        fields=column(fields),
        powers=frozenset(powers.split()),
        blocks=blocks,
        section=section,
        called=called,
    )


_CALL = "toolName=tool parameters=input"
# A cancel ends the run with the reason. Before a tool it refuses the call, and at a prompt the prompt, which are never
# carried out; elsewhere it stops the run. The last seven events read no answer. No event asks the user: `review` is
# declared, and no program of the host acts on it.
_ROWS = (
    _row("TaskStart", "agent_start", "taskStart", "taskMetadata", powers="halt", blocks=HALT),
    _row(
        "UserPromptSubmit", "prompt_submit", "userPromptSubmit", "prompt attachments", body=Prompt,
        powers="deny", blocks=DENY,
    ),
    _row("PreToolUse", "tool_call", "preToolUse", _CALL, body=ToolCall, powers="deny context input", blocks=DENY),
    _row(
        "PostToolUse", "tool_result", "postToolUse",
        f"{_CALL} result success executionTimeMs=duration_ms", body=ToolCall, powers="halt context", blocks=HALT,
    ),
    _row("TaskResume", "agent_resume", "taskResume", "taskMetadata previousState"),
    _row(
        "PreCompact", "pre_compact", "preCompact",
        "contextSize compactionStrategy=trigger tokensIn tokensOut contextJsonPath contextRawPath", body=Compaction,
    ),
    _row("Notification", "notification", "notification", "event=kind message=text severity", body=Message),
    _row("TaskComplete", "agent_end", "taskComplete", "taskMetadata"),
    _row("TaskCancel", "agent_abort", "taskCancel", "taskMetadata"),
    _row("TaskError", "agent_error", "error", "name message=error stack"),
    _row("SessionShutdown", "session_shutdown"),
)  # fmt: skip

ROWS: Mapping[str, EventRow] = {row.native: row for row in _ROWS}

TABLE = Table(
    name=NAME,
    rows=ROWS,
    aliases={row.called: row.native for row in _ROWS},
    base=(
        Field(native="hookName", fact="@native"),
        Field(native="taskId", fact="@session_id"),
        Field(native="workspaceRoots", fact="@cwd"),
    ),
    folders=("workspaceRoots",),
    # Of several answers each context and each reason counts, and of new inputs the last (docs/formats/comparison.md 6; docs/formats/cline.md 1).
    fold=FoldRule(joins_reasons=True, lone_patches=True),
    default_timeout=TIMEOUT,
    compact=True,
)


def row_of(native: str) -> EventRow | None:
    """Return the row of an event by either of its names."""
    return TABLE.row(native)
