"""The contract of a3s: one row an event."""

from __future__ import annotations

from hookline.core.dialect import FoldRule, Table
from hookline.dialects.kit.event_table import read_events
from hookline.model.verdict import Stance

NAME = "a3s"
DEFAULT_PRIORITY = 100
DEFAULT_RETRY_DELAY = 1.0  # seconds
DEFAULT_REASON = "Blocked"

# What every event may carry, because every action is reported to the caller (docs/formats/a3s.md
# 5); `modified` is a rewrite that has no target, `max_retries` belongs to a retry.
_REPORTED = "deny retry note modified max_retries"
# Fields that several events have, by the word for them in the column `payload`.
_FIELDS = {
    "SESSION": "session_id=@session_id",
    "CWD": "working_directory=@cwd",
    "MODEL": "model_provider model_name=model",
    "DONE": "success!false error!absent",
    "RUN": "run_id request_id operation",
}
# docs/formats/a3s.md 2, in its order. A gate's operation does not happen if a hook blocks it or
# fails, that of `generate_start` if a hook blocks it. A `sessionless` event carries no session.
_EVENTS = """
event                   | kind                    | how
pre_tool_use            | tool.before             | may=input blocks=DENY fails=DENY
    SESSION tool args=input!object CWD recent_tools!list
post_tool_use           | tool.after              | blocks=SILENT
    SESSION tool args=input!object result!object
generate_start          | model.request           | blocks=DENY
    SESSION prompt system_prompt!absent MODEL available_tools=tools!list
generate_end            | model.response          | blocks=SILENT
    SESSION prompt response_text=response tool_calls!list usage!object duration_ms=duration!0
session_start           | session.start           | blocks=SILENT
    SESSION system_prompt!absent MODEL
session_end             | session.end             | blocks=SILENT
    SESSION total_tokens!0 total_tool_calls!0 duration_ms!0
skill_load              |                         | sessionless blocks=SILENT
    skill_name tool_names!list version!absent description!absent loaded_at!0
skill_unload            |                         | sessionless blocks=SILENT
    skill_name tool_names!list duration_ms!0
pre_prompt              | prompt.submit           | blocks=DENY fails=DENY
    SESSION prompt system_prompt!absent message_count!0
post_response           | turn.end                | blocks=SILENT
    SESSION response_text tool_calls_count!0 usage!object duration_ms!0
on_error                | error                   | blocks=SILENT
    SESSION error_type error_message=error context!object
permission_request      | tool.permission.request | may=input blocks=DENY fails=DENY
    SESSION tool_id=call_id tool args=input!object
pre_compact             | compact.before          | blocks=DENY fails=DENY
    SESSION message_count!0 used_tokens=tokens!0 max_tokens!0
post_compact            | compact.after           | blocks=SILENT
    SESSION message_count_before!0 message_count_after!0 summary_generated!false
pre_context_perception  |                         | blocks=SILENT
    SESSION intent target_type target_name domain query!absent CWD urgency
post_context_perception |                         | blocks=SILENT
    SESSION DONE facts_retrieved!0 files_retrieved!0
on_success              |                         | blocks=SILENT
    SESSION action_type action_summary duration_ms!0
pre_memory_recall       |                         | blocks=SILENT
    SESSION query memory_type max_results!0 CWD
post_memory_recall      |                         | blocks=SILENT
    SESSION DONE facts_retrieved!0
pre_planning            |                         | blocks=DENY fails=DENY
    SESSION task_description available_strategies!list constraints!absent
post_planning           |                         | blocks=SILENT
    SESSION strategy_used subtasks!list DONE
pre_reasoning           |                         | blocks=SILENT
    SESSION reasoning_type problem_statement hints!absent
post_reasoning          | thought.after           | blocks=SILENT
    SESSION conclusion=text steps_count!0 DONE
on_rate_limit           |                         | blocks=SILENT
    SESSION limit_type retry_after_ms!0 current_usage!0
on_confirmation         | notification            | body=Lifecycle blocks=SILENT
    SESSION confirmation_type=kind message options!absent
intent_detection        |                         | blocks=SILENT
    SESSION prompt workspace language_hint!absent
pre_run_control         |                         | blocks=DENY fails=DENY
    SESSION RUN command turn!absent deadline_ms!absent
post_run_control        |                         | blocks=SILENT
    SESSION RUN state sequence!0 error!absent
"""


def pascal(native: str) -> str:
    """Return the document's spelling of an event: `PreToolUse`."""
    return "".join(part.capitalize() for part in native.split("_"))


_ROWS = read_events(_EVENTS, NAME, words=_FIELDS, always=_REPORTED, otherwise="", parallel=False)
TABLE = Table(
    name=NAME,
    unknown_keys="file hook",
    refuses_unknown_keys=True,
    rows=_ROWS,
    aliases={pascal(native): native for native in _ROWS},
    # A denied call keeps its own arguments; `modified` of the last hook stands verbatim
    # (docs/formats/a3s.md 5).
    fold=FoldRule(drops_rewrite_when_denied=True, lasts=frozenset({"modified"})),
    ticks_per_second=1000,
    default_timeout=30.0,
    detached_in_turn=True,
    # This wire cannot ask a person, and an ask of another dialect's hook is no yes.
    ask_becomes=Stance.DENY,
    closes='"fail_mode": "closed"',
    names_event=("event_type",),
)
