"""The shell-hook events of Hermes: one row an event. Three of them direct, three rewrite, and the others only observe."""

from __future__ import annotations

from hookline.core.dialect import EventRow, FoldRule, Table, column
from hookline.model import kinds
from hookline.model.event import Generation, Lifecycle, Message, Stop, ToolCall
from hookline.model.verdict import Stance

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Any

    from hookline.model.event import Body

NAME = "hermes"
DEFAULT_TIMEOUT = 60  # seconds (docs/formats/hermes.md 1)
LONGEST_TIMEOUT = 300
REDO_LIMIT = 3  # agent.max_verify_nudges


def _row(
    native: str,
    kind: str = "",
    extra: str = "",
    body: type[Body] = Lifecycle,
    *,
    does: str = "",
    **columns: Any,
) -> EventRow:
    """One row; `does` lists its powers, in the words of `model.kinds`."""
    return EventRow(
        native=native,
        kind=kind or kinds.unknown_kind(NAME, native),
        body=body,
        fields=column(extra),
        powers=frozenset(does.split()) | {"note"},
        parallel=False,
        **columns,
    )


_TOOL: Mapping[str, Any] = {"body": ToolCall, "subject": "tool"}
_DONE = "tool_call_id=call_id result duration_ms status"

# `pre_llm_call` is once a turn here, and `on_session_end` at the end of every turn
# (docs/formats/hermes.md 1).
_ROWS = (
    _row(
        "pre_tool_call", "tool.before", "tool_call_id=call_id",
        **_TOOL, does="deny ask input", blocks=Stance.DENY, output="directive",
    ),
    _row("post_tool_call", "tool.after", _DONE, **_TOOL),
    _row("transform_tool_result", "tool.result", _DONE, ToolCall, does="output", output="rewrite", rewrites="result"),
    _row(
        "transform_terminal_output", "tool.result", "output=result command returncode", ToolCall,
        does="output", output="rewrite", rewrites="output", tool="terminal", secondary=True,
    ),
    _row("transform_llm_output", "response.before", "response_text=text model", Message, does="text", output="rewrite", rewrites="response_text"),
    _row("pre_llm_call", "turn.start", "user_message=prompt is_first_turn model", does="context", output="context"),
    _row("post_llm_call", "turn.end", "user_message=prompt assistant_response=last_message model", secondary=True),
    _row(
        "pre_verify", "stop", "final_response=last_message attempt changed_paths model", Stop,
        does="deny", blocks=Stance.DENY, ignores_exit=True, output="redo",
    ),
    _row("pre_api_request", "model.request", "model request_messages=messages", Generation),
    _row("post_api_request", "model.response", "model response usage", Generation),
    _row("api_request_error", "model.error", "error model retryable"),
    _row("on_session_start", "session.start", "model platform"),
    _row("on_session_end", "turn.end", "turn_exit_reason=reason completed interrupted"),
    _row("on_session_finalize", "session.end", "reason"),
    _row("on_session_reset", "", "reason"),
    _row("subagent_start", "subagent.start", "child_session_id=agent_id child_role=agent_type child_goal=task"),
    _row("subagent_stop", "subagent.stop", "child_session_id=agent_id child_role=agent_type child_summary=result duration_ms"),
    _row("pre_approval_request", "tool.permission.request", "command description"),
    _row("post_approval_response", "tool.permission.resolved", "command choice=decision decided_by=source"),
    _row("kanban_task_claimed", "", "task_id"),
    _row("kanban_task_completed", "task.completed", "task_id summary"),
    _row("kanban_task_blocked", "", "task_id reason"),
)  # fmt: skip

_BASE = column(
    "hook_event_name=@native tool_name=tool tool_input=input session_id=@session_id!text cwd=@cwd!text profile!default",
    None,
)


TABLE = Table(
    name=NAME,
    unknown_keys={"hook": "ignored"},
    regex_flavour="python",
    rows={row.native: row for row in _ROWS},
    base=_BASE,
    fold=FoldRule(input_keys=frozenset({"add"}), drops_rewrite_when_denied=True),
    default_timeout=float(DEFAULT_TIMEOUT),
    ask_becomes=Stance.DENY,
    redo_limit=REDO_LIMIT,
    approvals=True,  # docs/formats/starchild.md 6; docs/formats/hermes.md
    ends_session=frozenset(),  # what is called so is the end of a turn
    closes="fail_closed: true",
)
