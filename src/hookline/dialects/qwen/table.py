"""The contract of Qwen Code: one row for each of its 22 events (docs/formats/qwen.md 3)."""

from __future__ import annotations

from hookline.core.dialect import ABSENT, EventRow, Field, FoldRule, Table, column
from hookline.model import kinds
from hookline.model.event import Compaction, Lifecycle, Message, Prompt, Stop, ToolCall
from hookline.model.verdict import Stance

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from hookline.model.event import Body, Event
    from hookline.model.verdict import Verdict

NAME = "qwen"
TICKS_PER_SECOND = 1000  # a command's timeout is in milliseconds, an http hook's in seconds (docs/formats/comparison.md 3)
DEFAULT_TIMEOUT = 60.0
SILENT, ALLOW, ASK, DENY, HALT = Stance

# A tool's display name, which a matcher may write as a whole in the place of the tool's id (docs/formats/qwen.md 4).
DISPLAYED: Mapping[str, str] = {
    "Shell": "run_shell_command",
    "ReadFile": "read_file",
    "WriteFile": "write_file",
    "Edit": "edit",
    "Glob": "glob",
    "Grep": "grep_search",
    "TodoWrite": "todo_write",
    "WebFetch": "web_fetch",
    "Agent": "agent",
    "Task": "agent",
}


_BASE = (
    Field(native="session_id", fact="@session_id", default=""),
    Field(native="transcript_path", fact="transcript_path", default=""),
    Field(native="cwd", fact="@cwd", default=""),
    Field(native="hook_event_name", fact="@native"),
    # Only the host knows the time of its event.
    Field(native="timestamp", fact="timestamp", default=ABSENT),
)
_MODE = "permission_mode!default"
_TOOL = f"{_MODE} tool_name=tool tool_input=input!{{}}"
_ID = "tool_use_id=call_id!text tool_call_id"
_STOP = (
    "stop_hook_active!false last_assistant_message=last_message!text background_tasks![] crons![]"
)
# Our engine's own count (docs/architecture.md 4.12); the host does not send it.
_COUNT = "stop_block_count stop_block_limit"
_TODO = "todo_id=task_id todo_content=subject"

_REFUSES = {"deny": DENY, "block": DENY}
_PERMITS = {**_REFUSES, "ask": ASK, "allow": ALLOW, "approve": ALLOW}
_POWERS: Mapping[str, frozenset[str]] = {
    "additionalContext": frozenset(("context",)),
    "permissionDecision": frozenset(("allow", "ask", "deny")),
    "updatedInput": frozenset(("input",)),
    "decision": frozenset(("allow", "deny", "input", "grant", "halt")),
}
_NAMES: Mapping[Stance, str] = {DENY: "deny", HALT: "halt"}


def _carried(event: Event, verdict: Verdict) -> Event:
    """Return the prompt with the context that a hook added, as the next hook in turn and the model read it."""
    prompt = event.body.value("prompt")
    if not verdict.for_agent or not isinstance(prompt, str):
        return event
    return event.replace(body=event.body.replace(prompt=f"{prompt}\n\n{verdict.for_agent}"))


def _row(
    native: str,
    fields: str = "",
    *,
    body: type[Body] = Lifecycle,
    subject: str = "",
    reads: str = "",
    words: Mapping[str, Stance] | None = None,
    stops: Stance = SILENT,
    blocks: Stance = SILENT,
    spared: tuple[str, str] = ("", ""),
    unread: bool = False,
    fold: FoldRule | None = None,
    carries: Callable[[Event, Verdict], Event] | None = None,
) -> EventRow:
    """Return one row. Its powers follow from what the event reads."""
    keys = reads.split()
    powers = frozenset[str]().union(*(_POWERS[key] for key in keys if key in _POWERS))
    powers |= {_NAMES[stance] for stance in (stops, blocks) if stance}
    return EventRow(
        native=native,
        kind=kinds.native_names(NAME)[native],
        body=body,
        fields=column(fields),
        subject=subject,
        powers=powers | (frozenset() if unread else frozenset(("note",))),
        blocks=blocks,
        reads=dict.fromkeys(keys, ""),
        words=words or {},
        stops=stops,
        spared=spared,
        unread=unread,
        fold=fold,
        carries=carries,
    )


_CONTEXT = "additionalContext"
# In the order of a session, a turn and a call. At a stop both `continue: false` and a block send the agent back to work; after a
# tool nothing but `continue: false` counts, and it ends the turn.
_ROWS = (
    _row(
        "SessionStart", f"{_MODE} source!text model!text agent_type", subject="source", reads=_CONTEXT,
    ),
    _row(
        "InstructionsLoaded", "file_path memory_type load_reason trigger_file_path parent_file_path",
        subject="load_reason",
    ),
    _row(
        "UserPromptExpansion", "command_name command_args=args!text prompt!text", body=Prompt,
        subject="command_name", reads=_CONTEXT, words=_REFUSES, stops=DENY, blocks=DENY, carries=_carried,
    ),
    _row(
        "UserPromptSubmit", "prompt!text submitted_prompt", body=Prompt, reads=_CONTEXT, words=_REFUSES,
        stops=DENY, blocks=DENY, carries=_carried,
    ),
    _row(
        "PreToolUse", f"{_TOOL} {_ID}", body=ToolCall, subject="tool",
        reads=f"permissionDecision permissionDecisionReason updatedInput {_CONTEXT}", words=_PERMITS,
        stops=HALT, blocks=DENY,
    ),
    _row(
        "PermissionRequest", f"{_TOOL} permission_suggestions=suggestions", body=ToolCall, subject="tool",
        reads="decision", blocks=DENY,
    ),
    _row("PermissionDenied", f"tool_name=tool tool_input=input!{{}} {_ID} reason!text", body=ToolCall, subject="tool"),
    _row(
        "PostToolUse", f"{_TOOL} tool_response=result!{{}} {_ID} duration_ms", body=ToolCall, subject="tool",
        reads=_CONTEXT, stops=HALT,
    ),
    _row(
        "PostToolUseFailure", f"{_MODE} {_ID} tool_name=tool tool_input=input!{{}} error!text is_interrupt duration_ms",
        body=ToolCall, subject="tool", reads=_CONTEXT,
    ),
    _row(
        "PostToolBatch", f"{_MODE} tool_calls=calls![]", reads=_CONTEXT,
        words={"deny": HALT, "block": HALT}, stops=HALT, blocks=HALT,
    ),
    _row(
        "TodoCreated", f"{_TODO} todo_status=status all_todos phase", words=_REFUSES, blocks=DENY,
        spared=("phase", "postWrite"),
    ),
    _row(
        "TodoCompleted", f"{_TODO} previous_status all_todos phase", words=_REFUSES, blocks=DENY,
        spared=("phase", "postWrite"),
    ),
    _row("SubagentStart", f"{_MODE} agent_id!text agent_type!text", subject="agent_type", reads=_CONTEXT),
    _row(
        "SubagentStop",
        f"{_MODE} stop_hook_active!false agent_id!text agent_type!text agent_transcript_path!text "
        f"last_assistant_message=last_message!text background_tasks![] crons![] {_COUNT}",
        body=Stop, subject="agent_type", words=_REFUSES, stops=DENY, blocks=DENY,
    ),
    _row("MessageDisplay", "message_id displayed_text=text is_final=final", body=Message, unread=True),
    _row(
        "Stop", f"{_STOP} context_usage context_limit input_tokens {_COUNT}", body=Stop, words=_REFUSES,
        stops=DENY, blocks=DENY,
    ),
    _row(
        "StopFailure", "error!text error_details last_assistant_message=last_message", subject="error",
        unread=True,
    ),
    _row("PreCompact", "trigger!text custom_instructions=instructions!text", body=Compaction, subject="trigger"),
    _row("PostCompact", "trigger!text compact_summary=summary!text", body=Compaction, subject="trigger"),
    _row("Notification", "message=text!text title notification_type=kind!text", body=Message, subject="kind"),
    _row("SessionEnd", "reason!text", subject="reason"),
    _row("SessionDelete", "deleted_session_id", unread=True),
)  # fmt: skip

ROWS: Mapping[str, EventRow] = {row.native: row for row in _ROWS}

TABLE = Table(
    name=NAME,
    unknown_keys={"group": "ignored", "hook": "ignored"},
    regex_flavour="javascript",
    rows=ROWS,
    base=_BASE,
    project_variables=("QWEN_PROJECT_DIR",),
    # Every reason is given; of several new inputs the last one stands (10; 1.6).
    fold=FoldRule(joins_reasons=True, lone_patches=True),
    ticks_per_second=TICKS_PER_SECOND,
    default_timeout=DEFAULT_TIMEOUT,
    compact=True,
    redo_limit=8,
    redo_flag="stop_hook_active",
    late=frozenset({"context", "note"}),  # of `async` hooks, with the next turn
    asks_at_terminal=True,  # without one, the host runs no tool that a hook asks about
    programs=("qwen", "qwen-code"),
    closes='"failMode": "closed"',
)
