"""The shell-hook events of Hermes: one row an event.

Three of them direct, three rewrite, and the others only observe.
"""

from __future__ import annotations

from hookline.core.dialect import FoldRule, Table, column
from hookline.dialects.kit.event_table import read_events
from hookline.model.verdict import Stance

NAME = "hermes"
DEFAULT_TIMEOUT = 60  # seconds (docs/formats/hermes.md 1)
LONGEST_TIMEOUT = 300
REDO_LIMIT = 3  # agent.max_verify_nudges


# Fields that several events have, by the word for them in the column `payload`.
_FIELDS = {
    "DONE": "tool_call_id=call_id result duration_ms status",
    "CHILD": "child_session_id=agent_id child_role=agent_type",
}
# `pre_llm_call` is once a turn here, and `on_session_end` at the end of every turn
# (docs/formats/hermes.md 1).
_EVENTS = """
event                     | kind                     | may            | how
pre_tool_call             | tool.before              | deny ask input | output=directive
    tool_call_id=call_id
post_tool_call            | tool.after               |                |
    DONE
transform_tool_result     | tool.result              | output         | body=ToolCall subject=-
                          |                          |                | output=rewrite
                          |                          |                | rewrites=result
    DONE
transform_terminal_output | tool.result              | output         | secondary body=ToolCall
                          |                          |                | subject=- output=rewrite
                          |                          |                | tool=terminal
                          |                          |                | rewrites=output
    output=result command returncode
transform_llm_output      | response.before          | text           | body=Message output=rewrite
                          |                          |                | rewrites=response_text
    response_text=text model
pre_llm_call              | turn.start               | context        | output=context
    user_message=prompt is_first_turn model
post_llm_call             | turn.end                 |                | secondary
    user_message=prompt assistant_response=last_message model
pre_verify                | stop                     | deny           | ignores_exit output=redo
    final_response=last_message attempt changed_paths model
pre_api_request           | model.request            |                |
    model request_messages=messages
post_api_request          | model.response           |                |
    model response usage
api_request_error         | model.error              |                |
    error model retryable
on_session_start          | session.start            |                |
    model platform
on_session_end            | turn.end                 |                |
    turn_exit_reason=reason completed interrupted
on_session_finalize       | session.end              |                |
    reason
on_session_reset          |                          |                |
    reason
subagent_start            | subagent.start           |                |
    CHILD child_goal=task
subagent_stop             | subagent.stop            |                | body=Lifecycle
    CHILD child_summary=result duration_ms
pre_approval_request      | tool.permission.request  |                | body=Lifecycle
    command description
post_approval_response    | tool.permission.resolved |                | body=Lifecycle
    command choice=decision decided_by=source
kanban_task_claimed       |                          |                |
    task_id
kanban_task_completed     | task.completed           |                |
    task_id summary
kanban_task_blocked       |                          |                |
    task_id reason
"""
_ROWS = read_events(_EVENTS, NAME, words=_FIELDS, always="note", parallel=False)
_BASE = column(
    "hook_event_name=@native tool_name=tool tool_input=input session_id=@session_id!text"
    " cwd=@cwd!text profile!default",
    None,
)


TABLE = Table(
    name=NAME,
    unknown_keys="hook",
    regex_flavour="python",
    rows=_ROWS,
    base=_BASE,
    fold=FoldRule(input_keys=frozenset({"add"}), drops_rewrite_when_denied=True),
    default_timeout=float(DEFAULT_TIMEOUT),
    ask_becomes=Stance.DENY,
    redo_limit=REDO_LIMIT,
    approvals=True,  # docs/formats/starchild.md 6; docs/formats/hermes.md
    ends_session=frozenset(),  # what is called so is the end of a turn
    closes="fail_closed: true",
)
