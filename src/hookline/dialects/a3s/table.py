"""The contract of a3s: one row an event, with what a hook may do there and what its payload holds."""

from __future__ import annotations

from hookline.core.dialect import EventRow, FoldRule, Table, column, read_rows
from hookline.model import event, kinds
from hookline.model.verdict import Stance

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping

NAME = "a3s"
DEFAULT_PRIORITY = 100
DEFAULT_RETRY_DELAY = 1.0  # seconds
DEFAULT_REASON = "Blocked"

# What every event may carry, because every action is reported to the caller (docs/formats/a3s.md
# 5); `modified` is a rewrite that has no target, `max_retries` belongs to a retry.
_REPORTED = frozenset({"deny", "retry", "note", "modified", "max_retries"})
# Fields that several events have, by the word for them in the column `payload`.
_FIELDS: Mapping[str, str] = {
    "CWD": "working_directory=@cwd",
    "MODEL": "model_provider model_name=model",
    "DONE": "success!false error!absent",
    "RUN": "run_id request_id operation",
}
# docs/formats/a3s.md 2, in its order. `how`: a gate's operation does not happen if a hook blocks it
# or fails, that of `blocks` if a hook blocks it. A `sessionless` event carries no session.
_EVENTS = """
event                   | kind                    | body       | how         | payload
pre_tool_use            |                         | ToolCall   | gate input  | tool args=input!object CWD recent_tools!list
post_tool_use           |                         | ToolCall   |             | tool args=input!object result!object
generate_start          |                         | Generation | blocks      | prompt system_prompt!absent MODEL available_tools=tools!list
generate_end            |                         | Generation |             | prompt response_text=response tool_calls!list usage!object duration_ms=duration!0
session_start           |                         | Lifecycle  |             | system_prompt!absent MODEL
session_end             |                         | Lifecycle  |             | total_tokens!0 total_tool_calls!0 duration_ms!0
skill_load              |                         | Lifecycle  | sessionless | skill_name tool_names!list version!absent description!absent loaded_at!0
skill_unload            |                         | Lifecycle  | sessionless | skill_name tool_names!list duration_ms!0
pre_prompt              | prompt.submit           | Prompt     | gate        | prompt system_prompt!absent message_count!0
post_response           | turn.end                | Lifecycle  |             | response_text tool_calls_count!0 usage!object duration_ms!0
on_error                | error                   | Lifecycle  |             | error_type error_message=error context!object
permission_request      | tool.permission.request | ToolCall   | gate input  | tool_id=call_id tool args=input!object
pre_compact             | compact.before          | Compaction | gate        | message_count!0 used_tokens=tokens!0 max_tokens!0
post_compact            | compact.after           | Compaction |             | message_count_before!0 message_count_after!0 summary_generated!false
pre_context_perception  |                         | Lifecycle  |             | intent target_type target_name domain query!absent CWD urgency
post_context_perception |                         | Lifecycle  |             | DONE facts_retrieved!0 files_retrieved!0
on_success              |                         | Lifecycle  |             | action_type action_summary duration_ms!0
pre_memory_recall       |                         | Lifecycle  |             | query memory_type max_results!0 CWD
post_memory_recall      |                         | Lifecycle  |             | DONE facts_retrieved!0
pre_planning            |                         | Lifecycle  | gate        | task_description available_strategies!list constraints!absent
post_planning           |                         | Lifecycle  |             | strategy_used subtasks!list DONE
pre_reasoning           |                         | Lifecycle  |             | reasoning_type problem_statement hints!absent
post_reasoning          | thought.after           | Message    |             | conclusion=text steps_count!0 DONE
on_rate_limit           |                         | Lifecycle  |             | limit_type retry_after_ms!0 current_usage!0
on_confirmation         | notification            | Lifecycle  |             | confirmation_type=kind message options!absent
intent_detection        |                         | Lifecycle  |             | prompt workspace language_hint!absent
pre_run_control         |                         | Lifecycle  | gate        | RUN command turn!absent deadline_ms!absent
post_run_control        |                         | Lifecycle  |             | RUN state sequence!0 error!absent
"""


def pascal(native: str) -> str:
    """Return the document's spelling of an event: `PreToolUse`."""
    return "".join(part.capitalize() for part in native.split("_"))


def _make_row(cells: Mapping[str, str]) -> EventRow:
    native, how = cells["event"], cells["how"].split()
    payload = " ".join(_FIELDS.get(word, word) for word in cells["payload"].split())
    session = "" if "sessionless" in how else "session_id=@session_id "
    listed = kinds.native_names("seed2-a3s").get(pascal(native))
    return EventRow(
        native=native,
        kind=cells["kind"] or listed or kinds.unknown_kind(NAME, native),
        body=getattr(event, cells["body"]),
        fields=column(session + payload, ""),
        subject="tool" if cells["body"] == "ToolCall" else "",
        powers=_REPORTED | ({"input"} & set(how)),
        parallel=False,
        blocks=Stance.DENY if "gate" in how or "blocks" in how else Stance.SILENT,
        fails=Stance.DENY if "gate" in how else Stance.SILENT,
        sessionless="sessionless" in how,
    )


_ROWS = {cells["event"]: _make_row(cells) for cells in read_rows(_EVENTS)}
TABLE = Table(
    name=NAME,
    unknown_keys={"file": "refused", "hook": "refused"},
    rows=_ROWS,
    aliases={pascal(native): native for native in _ROWS},
    # A denied call keeps its own arguments; `modified` of the last hook stands verbatim
    # (docs/formats/a3s.md 5).
    fold=FoldRule(drops_rewrite_when_denied=True, lasts=frozenset({"modified"})),
    ticks_per_second=1000,
    default_timeout=30.0,
    detached_in_turn=True,
    ask_becomes=Stance.DENY,  # this wire cannot ask a person, and an ask of another dialect's hook is no yes
    closes='"fail_mode": "closed"',
    names_event=("event_type",),
)
