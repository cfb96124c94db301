"""The contract of a3s: one row an event, with what a hook may do there and what its payload holds."""

from __future__ import annotations

from hookline.core.dialect import EventRow, FoldRule, Table, column
from hookline.model import kinds
from hookline.model.event import Compaction, Generation, Lifecycle, Message, Prompt, ToolCall
from hookline.model.verdict import Stance

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from hookline.model.event import Body

NAME = "a3s"
DEFAULT_PRIORITY = 100
DEFAULT_RETRY_DELAY = 1.0  # seconds
DEFAULT_REASON = "Blocked"

# What every event may carry, because every action is reported to the caller (docs/formats/a3s.md 5); `modified` is a rewrite
# that has no target, `max_retries` belongs to a retry.
_REPORTED = frozenset({"deny", "retry", "note", "modified", "max_retries"})

_NATIVES = kinds.native_names("seed2-a3s")


def pascal(native: str) -> str:
    """The document's spelling of an event: `PreToolUse`."""
    return "".join(part.capitalize() for part in native.split("_"))


def _row(
    native: str,
    fields: str = "",
    *,
    kind: str = "",
    body: type[Body] = Lifecycle,
    does: str = "",
    **columns: Any,
) -> EventRow:
    """Return one row; `does` lists its powers beyond those that every event has."""
    session = "" if columns.get("sessionless") else "session_id=@session_id "
    return EventRow(
        native=native,
        kind=kind or _NATIVES.get(pascal(native)) or kinds.unknown_kind(NAME, native),
        body=body,
        fields=column(session + fields, ""),
        subject="tool" if body is ToolCall else "",
        powers=_REPORTED | set(does.split()),
        parallel=False,
        **columns,
    )


def _gate(native: str, fields: str, **columns: Any) -> EventRow:
    """Return a row whose operation does not happen if a hook blocks it or fails."""
    return _row(native, fields, fails=Stance.DENY, blocks=Stance.DENY, **columns)


_CWD = "working_directory=@cwd"
_MODEL = "prompt system_prompt!absent model_provider model_name=model"
_DONE = "success!false error!absent"

# docs/formats/a3s.md 2, in its order.
_ROWS = (
    _gate(
        "pre_tool_use",
        f"tool args=input!object {_CWD} recent_tools!list",
        body=ToolCall,
        does="input",
    ),
    _row("post_tool_use", "tool args=input!object result!object", body=ToolCall),
    _row(
        "generate_start",
        f"{_MODEL} available_tools=tools!list",
        body=Generation,
        blocks=Stance.DENY,
    ),
    _row(
        "generate_end",
        "prompt response_text=response tool_calls!list usage!object duration_ms=duration!0",
        body=Generation,
    ),
    _row("session_start", "system_prompt!absent model_provider model_name=model"),
    _row("session_end", "total_tokens!0 total_tool_calls!0 duration_ms!0"),
    _row(
        "skill_load",
        "skill_name tool_names!list version!absent description!absent loaded_at!0",
        sessionless=True,
    ),
    _row("skill_unload", "skill_name tool_names!list duration_ms!0", sessionless=True),
    _gate(
        "pre_prompt",
        "prompt system_prompt!absent message_count!0",
        kind="prompt.submit",
        body=Prompt,
    ),
    _row(
        "post_response",
        "response_text tool_calls_count!0 usage!object duration_ms!0",
        kind="turn.end",
    ),
    _row("on_error", "error_type error_message=error context!object", kind="error"),
    _gate(
        "permission_request",
        "tool_id=call_id tool args=input!object",
        kind="tool.permission.request",
        body=ToolCall,
        does="input",
    ),
    _gate(
        "pre_compact",
        "message_count!0 used_tokens=tokens!0 max_tokens!0",
        kind="compact.before",
        body=Compaction,
    ),
    _row(
        "post_compact",
        "message_count_before!0 message_count_after!0 summary_generated!false",
        kind="compact.after",
        body=Compaction,
    ),
    _row(
        "pre_context_perception",
        f"intent target_type target_name domain query!absent {_CWD} urgency",
    ),
    _row("post_context_perception", f"{_DONE} facts_retrieved!0 files_retrieved!0"),
    _row("on_success", "action_type action_summary duration_ms!0"),
    _row("pre_memory_recall", f"query memory_type max_results!0 {_CWD}"),
    _row("post_memory_recall", f"{_DONE} facts_retrieved!0"),
    _gate("pre_planning", "task_description available_strategies!list constraints!absent"),
    _row("post_planning", f"strategy_used subtasks!list {_DONE}"),
    _row("pre_reasoning", "reasoning_type problem_statement hints!absent"),
    _row(
        "post_reasoning",
        f"conclusion=text steps_count!0 {_DONE}",
        kind="thought.after",
        body=Message,
    ),
    _row("on_rate_limit", "limit_type retry_after_ms!0 current_usage!0"),
    _row("on_confirmation", "confirmation_type=kind message options!absent", kind="notification"),
    _row("intent_detection", "prompt workspace language_hint!absent"),
    _gate("pre_run_control", "run_id request_id operation command turn!absent deadline_ms!absent"),
    _row("post_run_control", "run_id request_id operation state sequence!0 error!absent"),
)

TABLE = Table(
    name=NAME,
    unknown_keys={"file": "refused", "hook": "refused"},
    rows={row.native: row for row in _ROWS},
    aliases={pascal(row.native): row.native for row in _ROWS},
    # A denied call keeps its own arguments; `modified` of the last hook stands verbatim (docs/formats/a3s.md 5).
    fold=FoldRule(drops_rewrite_when_denied=True, lasts=frozenset({"modified"})),
    ticks_per_second=1000,
    default_timeout=30.0,
    detached_in_turn=True,
    ask_becomes=Stance.DENY,  # this wire cannot ask a person, and an ask of another dialect's hook is no yes
    closes='"fail_mode": "closed"',
    names_event=("event_type",),
)
