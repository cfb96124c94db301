"""The contract of GitHub Copilot: one row for each of its 14 events, and how the other spelling of its key says the same.

Facts: docs/formats/comparison.md; docs/formats/copilot.md 3; docs/formats/comparison.md 12, 13; the
names of fields, and which event reads which key, are the vendor's hooks reference.
"""

from __future__ import annotations

from functools import partial

from hookline.core.dialect import Field, Table
from hookline.dialects.kit.dialect import make_row
from hookline.model.verdict import Stance

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping

    from hookline.core.dialect import EventRow

NAME = "copilot"
SILENT, ALLOW, ASK, DENY, HALT = Stance

# Output key -> the power that it uses; those that hold a decision use the stance that they name.
POWERS: Mapping[str, str] = {
    "modifiedArgs": "input",
    "modifiedResult": "output",
    "modifiedTransformedPrompt": "text",
    "modifiedPrompt": "text",
    "modifiedResponse": "response",
    "additionalContext": "context",
}


_BASE = "sessionId=@session_id! timestamp cwd=@cwd!"
_TOOL = f"{_BASE} toolName=tool toolArgs=input!object"
_STOP = "stopReason=ending!end_turn"
_COUNTS = "stop_block_count stop_block_limit"  # our engine's own count (docs/architecture.md 4.12); a host sends neither
# What VS Code's payload calls otherwise than by the same words in snake case.
_OTHERWISE = {"toolArgs": "tool_input", "response": "last_assistant_message"}


# Hooks run one after another, in file order (1.7). A note is a progress line, which every event may
# print.
_row = partial(make_row, NAME, POWERS, does="note", parallel=False)

# In the order of a session, a turn and a call. Of events whose `tells` are in a payload, the one
# with the most counts.
_ROWS = (
    _row(
        "sessionStart", f"{_BASE} source initialPrompt=initial_prompt", reads="additionalContext", called="SessionStart", tells="source",
    ),
    # Whatever a configured hook prints here is dropped; `modifiedPrompt` is the SDK's alone.
    _row("userPromptSubmitted", f"{_BASE} prompt", called="UserPromptSubmit", tells="prompt"),
    # The text that is rewritten is the one that the model gets; what the user typed goes along.
    _row(
        "userPromptTransformed", f"{_BASE} prompt=submitted transformedPrompt=prompt",
        reads="modifiedTransformedPrompt", tells="prompt transformedPrompt",
    ),
    # Command hooks fail closed here, and nowhere else (docs/formats/comparison.md 4).
    _row(
        "preToolUse", _TOOL, subject="tool", does="note allow ask deny", fails=DENY,
        reads="permissionDecision permissionDecisionReason modifiedArgs", called="PreToolUse", tells="toolName toolArgs",
    ),
    # The one event that is sent its name, and raw tool names in camelCase, under either spelling of
    # the key.
    _row(
        "permissionRequest",
        f"hookName=@raw!permissionRequest {_BASE} toolName=tool toolInput=input!object permissionSuggestions=suggestions!list",
        subject="tool", does="note allow deny halt",
        reads="behavior message interrupt", called="PermissionRequest", tells="toolName toolInput",
    ),
    _row(
        "postToolUse", f"{_TOOL} toolResult=result!", subject="tool", does="note result_type",
        reads="modifiedResult additionalContext", called="PostToolUse", tells="toolName toolArgs toolResult",
    ),
    _row(
        "postToolUseFailure", f"{_TOOL} error!", shows=True,
        reads="additionalContext", called="PostToolUseFailure", tells="toolName toolArgs error",
    ),
    _row("errorOccurred", f"{_BASE} error errorContext=context recoverable", called="ErrorOccurred", tells="error"),
    _row(
        "notification", f"{_BASE} hook_event_name=@raw!Notification message=text title notification_type=kind",
        subject="kind", reads="additionalContext", called="Notification", tells="notification_type",
    ),
    _row(
        "subagentStart",
        f"{_BASE} transcriptPath=transcript_path agentName=agent_type agentDisplayName=display_name agentDescription=description",
        subject="agent_type", reads="additionalContext", called="SubagentStart", tells="agentName",
    ),
    _row(
        "subagentStop",
        f"{_BASE} transcriptPath=transcript_path agentId=agent_id agentType=agent_type agentName=agent_name "
        f"agentDisplayName=display_name response=last_message {_STOP} {_COUNTS}",
        does="note deny", reads="decision reason modifiedResponse", called="SubagentStop", tells="agentName stopReason",
    ),
    _row(
        "agentStop", f"{_BASE} transcriptPath=transcript_path {_STOP} stop_hook_active!false {_COUNTS}", does="note deny",
        reads="decision reason", called="Stop", tells="stopReason",
    ),
    _row(
        "preCompact", f"{_BASE} transcriptPath=transcript_path trigger customInstructions=instructions",
        subject="trigger", called="PreCompact", tells="trigger",
    ),
    _row("sessionEnd", f"{_BASE} reason", called="SessionEnd", tells="reason"),
)  # fmt: skip


def to_snake_case(name: str) -> str:
    """Return a key of a camelCase payload as VS Code's payload has it."""
    words = "".join(f"_{char.lower()}" if char.isupper() else char for char in name)
    return _OTHERWISE.get(name, words)


def _spelled(row: EventRow) -> EventRow:
    """Return a row as its PascalCase key has it: VS Code's payload, unless the payload holds a name itself."""
    if any(field.fact == "@raw" for field in row.fields):
        return row.replace(native=row.called, grouped=True)
    fields = (field.replace(native=to_snake_case(field.native)) for field in row.fields)
    name = Field(native="hook_event_name", fact="@native")
    return row.replace(native=row.called, grouped=True, snake=True, fields=(name, *fields))


# Every spelling that a key may have -> its contract.
CONTRACTS: Mapping[str, EventRow] = {
    **{row.native: row for row in _ROWS},
    **{row.called: _spelled(row) for row in _ROWS if row.called},
}

TABLE = Table(
    name=NAME,
    unknown_keys={"file": "ignored", "group": "ignored", "hook": "ignored"},
    regex_flavour="javascript",
    rows={row.native: row for row in _ROWS},
    # Both spellings are one event: their hooks run once a moment, together in file order, and hooks
    # of other dialects once.
    aliases={row.called: row.native for row in _ROWS if row.called},
    default_timeout=30.0,  # seconds (docs/formats/comparison.md 3)
    compact=True,
    redo_limit=8,
    names_event=("hookName", "hook_event_name"),
)

# Payloads are read and written by the spelling of the key, so here each spelling is a row of its
# own.
SPELLINGS = TABLE.replace(rows=CONTRACTS, aliases={})

# The runtime's name of a tool -> Claude's, by which a PascalCase key knows it
# (docs/formats/comparison.md 12). A tool that is not here has one name.
CLAUDE_NAMES: Mapping[str, str] = {
    "bash": "Bash",
    "powershell": "Bash",
    "view": "Read",
    "create": "Write",
    "edit": "Edit",
    "str_replace_editor": "Edit",
    "apply_patch": "Edit",
    "grep": "Grep",
    "rg": "Grep",
    "glob": "Glob",
    "web_fetch": "WebFetch",
    "web_search": "WebSearch",
    "ask_user": "AskUserQuestion",
    "update_todo": "TodoWrite",
    "task": "Agent",
}


# Claude's older name of a tool -> the present one. Matchers know it, payloads do not use it.
OLDER_NAMES: Mapping[str, str] = {"Task": "Agent"}


def runtime_names(tool: str) -> tuple[str, ...]:
    """Return the runtime's names of a tool that is called by Claude's; none for any other."""
    claude = OLDER_NAMES.get(tool, tool)
    return tuple(name for name, other in CLAUDE_NAMES.items() if other == claude)
