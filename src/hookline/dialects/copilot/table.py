"""The contract of GitHub Copilot: one row for each of its 14 events, and how the other spelling of its key says the same.

Facts: docs/formats/comparison.md; docs/formats/copilot.md 3; docs/formats/comparison.md 12, 13; the names of fields, and which event reads which key, are the vendor's hooks reference.
"""

from __future__ import annotations

from hookline.core.dialect import EventRow, Field, Table, column
from hookline.model import kinds
from hookline.model.event import Compaction, Lifecycle, Message, Prompt, Stop, ToolCall
from hookline.model.verdict import Stance

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping

    from hookline.model.event import Body

NAME = "copilot"
DEFAULT_TIMEOUT = 30.0  # seconds (docs/formats/comparison.md 3)
SILENT, ALLOW, ASK, DENY, HALT = Stance

# Output key -> the power that it uses; `permissionDecision`, `behavior` and `decision` use those that they name.
POWERS: Mapping[str, str] = {
    "modifiedArgs": "input",
    "modifiedResult": "output",
    "modifiedTransformedPrompt": "text",
    "modifiedPrompt": "text",
    "modifiedResponse": "response",
    "additionalContext": "context",
}


_BASE = "sessionId=@session_id! timestamp cwd=@cwd!"
_TOOL = "toolName=tool toolArgs=input!{}"
_STOP = "stopReason=ending!end_turn"
_COUNTS = "stop_block_count stop_block_limit"  # our engine's own count (docs/architecture.md 4.12); a host sends neither
_VERDICTS = {
    "permissionDecision": {"allow", "ask", "deny"},
    "behavior": {"allow", "deny", "halt"},
    "decision": {"deny"},
}
# What VS Code's payload calls otherwise than by the same words in snake case.
_OTHERWISE = {"toolArgs": "tool_input", "response": "last_assistant_message"}


def _row(
    native: str,
    spelling: str,
    fields: str,
    *,
    body: type[Body] = Lifecycle,
    reads: str = "",
    base: str = _BASE,
    **columns: object,
) -> EventRow:
    """One row; its powers follow from what it reads. A note is a progress line, which every event may print.

    They go beyond the canonical kind in `response`, and in `result_type`: a hook may declare a tool's success a failure.
    """
    keys = frozenset(reads.split())
    powers = {"note", *(POWERS[key] for key in keys if key in POWERS)}
    powers |= {stance for key in keys for stance in _VERDICTS.get(key, ())}
    powers |= {"result_type"} if "modifiedResult" in keys else set()
    return EventRow(
        native=native,
        kind=kinds.native_names(NAME)[native],
        called=spelling,
        body=body,
        fields=column(f"{base} {fields}"),
        powers=frozenset(powers),
        reads={key: POWERS.get(key, "") for key in keys},
        parallel=False,  # one after another, in file order (1.7)
        **columns,  # type: ignore[arg-type]  # checked by the constructor
    )


# In the order of a session, a turn and a call; `tells` is looked at in this order, too.
_ROWS = (
    _row(
        "sessionStart", "SessionStart", "source initialPrompt=initial_prompt", reads="additionalContext", tells=(("source",),),
    ),
    # Whatever a configured hook prints here is dropped; `modifiedPrompt` is the SDK's alone.
    _row("userPromptSubmitted", "UserPromptSubmit", "prompt", body=Prompt, tells=(("prompt",),)),
    # The text that is rewritten is the one that the model gets; what the user typed goes along.
    _row(
        "userPromptTransformed", "", "prompt=submitted transformedPrompt=prompt", body=Prompt,
        reads="modifiedTransformedPrompt", tells=(("prompt", "transformedPrompt"),),
    ),
    # Command hooks fail closed here, and nowhere else (docs/formats/comparison.md 4).
    _row(
        "preToolUse", "PreToolUse", _TOOL, body=ToolCall, subject="tool", blocks=DENY, fails=DENY, nonzero=DENY,
        reads="permissionDecision permissionDecisionReason modifiedArgs", tells=(("toolName",), ("toolName", "toolArgs")),
    ),
    # The one event that is sent its name, and raw tool names in camelCase, under either spelling of the key.
    _row(
        "permissionRequest", "PermissionRequest", "toolName=tool toolInput=input!{} permissionSuggestions=suggestions![]",
        base=f"hookName=@raw!permissionRequest {_BASE}", body=ToolCall, subject="tool", blocks=DENY,
        reads="behavior message interrupt", tells=(("toolName", "toolInput"),),
    ),
    _row(
        "postToolUse", "PostToolUse", f"{_TOOL} toolResult=result!", body=ToolCall, subject="tool",
        reads="modifiedResult additionalContext",
        tells=(("toolName", "toolResult"), ("toolName", "toolArgs", "toolResult")),
    ),
    _row(
        "postToolUseFailure", "PostToolUseFailure", f"{_TOOL} error!", body=ToolCall, shows=True,
        reads="additionalContext", tells=(("toolName", "error"), ("toolName", "toolArgs", "error")),
    ),
    _row(
        "errorOccurred", "ErrorOccurred", "error errorContext=context recoverable", tells=(("errorContext",), ("error",)),
    ),
    _row(
        "notification", "Notification", "hook_event_name=@raw!Notification message=text title notification_type=kind", body=Message,
        subject="kind", reads="additionalContext", tells=(("notification_type",),),
    ),
    _row(
        "subagentStart", "SubagentStart",
        "transcriptPath=transcript_path agentName=agent_type agentDisplayName=display_name agentDescription=description",
        subject="agent_type", reads="additionalContext", tells=(("agentName",),),
    ),
    _row(
        "subagentStop", "SubagentStop",
        "transcriptPath=transcript_path agentId=agent_id agentType=agent_type agentName=agent_name "
        f"agentDisplayName=display_name response=last_message {_STOP} {_COUNTS}",
        body=Stop, blocks=DENY, ignores_exit=True, reads="decision reason modifiedResponse", tells=(("agentName", "stopReason"), ("agentName", "response")),
    ),
    _row(
        "agentStop", "Stop", f"transcriptPath=transcript_path {_STOP} stop_hook_active!false {_COUNTS}", body=Stop, blocks=DENY, ignores_exit=True,
        reads="decision reason", tells=(("stopReason",),),
    ),
    _row(
        "preCompact", "PreCompact", "transcriptPath=transcript_path trigger customInstructions=instructions", body=Compaction,
        subject="trigger", tells=(("trigger",),),
    ),
    _row("sessionEnd", "SessionEnd", "reason", tells=(("reason",),)),
)  # fmt: skip


def _snake(name: str) -> str:
    return _OTHERWISE.get(name) or "".join(
        f"_{char.lower()}" if char.isupper() else char for char in name
    )


def _spelled(row: EventRow) -> EventRow:
    """A row as its PascalCase key has it: VS Code's payload, where the event has one."""
    if any(
        field.fact == "@raw" for field in row.fields
    ):  # a payload with a name in it is the same under both keys
        return row.replace(native=row.called)
    fields = tuple(field.replace(native=_snake(field.native)) for field in row.fields)
    return row.replace(
        native=row.called,
        snake=True,
        fields=(Field(native="hook_event_name", fact="@native"), *fields),
    )


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
    # Both spellings are one event: their hooks run once a moment, together in file order, and everybody else's once.
    aliases={row.called: row.native for row in _ROWS if row.called},
    default_timeout=DEFAULT_TIMEOUT,
    compact=True,
    redo_limit=8,
    names_event=("hookName", "hook_event_name"),
)

# Payloads are read and written by the spelling of the key, so here each spelling is a row of its own.
SPELLINGS = TABLE.replace(rows=CONTRACTS, aliases={})

# The most of context that the model is given, in bytes (docs/formats/copilot.md 5).
CONTEXT_LIMIT = 10 << 10
