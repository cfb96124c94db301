"""The contract of a3s: one row an event, with what a hook may do there and what its payload holds."""

from __future__ import annotations

from hookline.core.dialect import ABSENT, EventRow, Field, FoldRule, Table
from hookline.model import kinds
from hookline.model.event import Compaction, Generation, Lifecycle, Message, Prompt, ToolCall
from hookline.model.verdict import Stance

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Any

    from hookline.model.event import Body

NAME = "a3s"
TICKS_PER_SECOND = 1000
DEFAULT_TIMEOUT = 30.0  # seconds
DEFAULT_PRIORITY = 100
DEFAULT_RETRY_DELAY = 1.0  # seconds

# What any hook may say anywhere, because every action is reported to the caller (docs/formats/a3s.md 5); `modified` is a rewrite that
# has no target, `max_retries` belongs to a retry.
_REPORTED = frozenset({"deny", "retry", "note", "modified", "max_retries"})


# What is sent of a field that has no value, by the mark after its name; without a mark, an empty text.
_DEFAULTS: Mapping[str, Any] = {"?": ABSENT, "#": 0, "!": False, "*": [], "+": {}}


def _fields(column: str) -> tuple[Field, ...]:
    """`native=fact` pairs, each with its mark at the end; a fact of the same name may be left out."""
    fields = []
    for word in column.split():
        mark = word[-1] if word[-1] in _DEFAULTS else ""
        native, _, fact = word.removesuffix(mark).partition("=")
        fields.append(Field(native=native, fact=fact or native, default=_DEFAULTS.get(mark, "")))
    return tuple(fields)


_NATIVES = kinds.native_names("seed2-a3s")


def pascal(native: str) -> str:
    """The document's spelling of an event: `PreToolUse`."""
    return "".join(part.capitalize() for part in native.split("_"))


def _row(
    native: str,
    column: str = "",
    *,
    kind: str = "",
    body: type[Body] = Lifecycle,
    does: str = "",
    **columns: Any,
) -> EventRow:
    return EventRow(
        native=native,
        kind=kind or _NATIVES.get(pascal(native)) or kinds.unknown_kind(NAME, native),
        body=body,
        fields=(*(() if columns.get("sessionless") else (_SESSION,)), *_fields(column)),
        subject="tool" if body is ToolCall else "",
        powers=_REPORTED | set(does.split()),
        parallel=False,
        **columns,
    )


def _gate(native: str, column: str, **columns: Any) -> EventRow:
    """A row whose operation does not happen when a hook says so, or fails."""
    return _row(native, column, fails=Stance.DENY, blocks=Stance.DENY, **columns)


_SESSION = Field(native="session_id", fact="@session_id", default="")
_CWD = "working_directory=@cwd"
_MODEL = "prompt system_prompt? model_provider model_name=model"
_DONE = "success! error?"

# docs/formats/a3s.md 2, in its order.
_ROWS = (
    _gate("pre_tool_use", f"tool args=input+ {_CWD} recent_tools*", body=ToolCall, does="input"),
    _row("post_tool_use", "tool args=input+ result+", body=ToolCall),
    _row("generate_start", f"{_MODEL} available_tools=tools*", body=Generation, blocks=Stance.DENY),
    _row(
        "generate_end",
        "prompt response_text=response tool_calls* usage+ duration_ms=duration#",
        body=Generation,
    ),
    _row("session_start", "system_prompt? model_provider model_name=model"),
    _row("session_end", "total_tokens# total_tool_calls# duration_ms#"),
    _row("skill_load", "skill_name tool_names* version? description? loaded_at#", sessionless=True),
    _row("skill_unload", "skill_name tool_names* duration_ms#", sessionless=True),
    _gate("pre_prompt", "prompt system_prompt? message_count#", kind="prompt.submit", body=Prompt),
    _row("post_response", "response_text tool_calls_count# usage+ duration_ms#", kind="turn.end"),
    _row("on_error", "error_type error_message=error context+", kind="error"),
    _gate(
        "permission_request",
        "tool_id=call_id tool args=input+",
        kind="tool.permission.request",
        body=ToolCall,
        does="input",
    ),
    _gate(
        "pre_compact",
        "message_count# used_tokens=tokens# max_tokens#",
        kind="compact.before",
        body=Compaction,
    ),
    _row(
        "post_compact",
        "message_count_before# message_count_after# summary_generated!",
        kind="compact.after",
        body=Compaction,
    ),
    _row("pre_context_perception", f"intent target_type target_name domain query? {_CWD} urgency"),
    _row("post_context_perception", f"{_DONE} facts_retrieved# files_retrieved#"),
    _row("on_success", "action_type action_summary duration_ms#"),
    _row("pre_memory_recall", f"query memory_type max_results# {_CWD}"),
    _row("post_memory_recall", f"{_DONE} facts_retrieved#"),
    _gate("pre_planning", "task_description available_strategies* constraints?"),
    _row("post_planning", f"strategy_used subtasks* {_DONE}"),
    _row("pre_reasoning", "reasoning_type problem_statement hints?"),
    _row(
        "post_reasoning",
        f"conclusion=text steps_count# {_DONE}",
        kind="thought.after",
        body=Message,
    ),
    _row("on_rate_limit", "limit_type retry_after_ms# current_usage#"),
    _row("on_confirmation", "confirmation_type=kind message options?", kind="notification"),
    _row("intent_detection", "prompt workspace language_hint?"),
    _gate("pre_run_control", "run_id request_id operation command turn? deadline_ms?"),
    _row("post_run_control", "run_id request_id operation state sequence# error?"),
)

TABLE = Table(
    name=NAME,
    unknown_keys={"file": "refused", "hook": "refused"},
    rows={row.native: row for row in _ROWS},
    aliases={pascal(row.native): row.native for row in _ROWS},
    # A denied call keeps its own arguments; `modified` of the last hook stands verbatim (docs/formats/a3s.md 5).
    fold=FoldRule(drops_rewrite_when_denied=True, lasts=frozenset({"modified"})),
    ticks_per_second=TICKS_PER_SECOND,
    default_timeout=DEFAULT_TIMEOUT,
    detached_in_turn=True,
    ask_becomes=Stance.DENY,  # nobody can be asked on this wire, and an ask of another dialect's hook is no yes
    closes='"fail_mode": "closed"',
    names_event=("event_type",),
)


def row_of(native: str) -> EventRow | None:
    """The row of an event by its name, in either spelling."""
    return TABLE.row(native)
