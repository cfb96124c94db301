"""The contract of docker-agent: one row an event, and the columns in which its two profiles differ."""

from __future__ import annotations

from hookline.core.dialect import ABSENT, EventRow, Field, FoldRule, Table, column
from hookline.model import kinds
from hookline.model.event import Compaction, Generation, Lifecycle, Message, Prompt, Stop, ToolCall
from hookline.model.verdict import Stance

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Any

    from hookline.model.event import Body

NAME = "docker-agent"
PROFILES = ("d2", "d1")
DEFAULT_TIMEOUT = 60  # seconds, also for 0 (docs/formats/docker-agent.md 3)

SILENT, ALLOW, ASK, DENY, HALT = Stance


_TOOL = (
    "tool_name=tool tool_use_id=call_id tool_input=input tool_category safety_policy tool_read_only"
)
_DONE = f"{_TOOL} tool_response=result! tool_error=error!false"
_COUNTS = "input_tokens!0 output_tokens!0 context_limit!0 compaction_reason=trigger"
_RUN = "invocation_id step_id task_input previous_output output conversation"

_VERDICT = {"allow": ALLOW, "ask": ASK, "deny": DENY}
_APPROVAL = {
    "allow": ALLOW,
    "ask": SILENT,
    "deny": DENY,
}  # an ask falls through to the prompt (docs/formats/docker-agent.md 5)
_VETO = {"deny": DENY}  # X3


def _row(
    native: str,
    fields: str = "",
    *,
    kind: str = "",
    body: type[Body] = Lifecycle,
    does: str = "",
    **columns: Any,
) -> EventRow:
    """One row; `does` lists its powers, in the words of `model.kinds`."""
    return EventRow(
        native=native,
        kind=kind
        or kinds.native_names("seed4-docker").get(native, kinds.unknown_kind(NAME, native)),
        body=body,
        fields=column(fields),
        powers=frozenset(does.split()) | {"note"},
        **{"payload_name": native, **columns},
    )


def _gate(native: str, fields: str, **columns: Any) -> EventRow:
    """A row of the tool events that may refuse a call."""
    return _row(
        native,
        fields,
        kind="tool.before",
        body=ToolCall,
        subject="tool",
        grouped=True,
        blocks=DENY,
        **columns,
    )


def _control(native: str) -> EventRow:
    """A row of the events around one agent's run, which may send the work to another agent."""
    return _row(
        native,
        _RUN,
        blocks=DENY,
        fails=DENY,
        always_denies=True,
        always_strict=True,
        does="deny metadata transition",
    )


# In the order of the tool call pipeline and the run loop (docs/formats/docker-agent.md 2, 4, 6, 7).
_ROWS = (
    _gate("tool_input_transform", _TOOL, parallel=False, secondary=True, does="deny input"),
    _gate("tool_guard", _TOOL, always_denies=True, fails=DENY, verdicts=_VERDICT, secondary=True, does="deny ask allow metadata"),
    _gate("pre_tool_use:preempt", _TOOL, always_denies=True, fails=DENY, verdicts=_VERDICT, payload_name="pre_tool_use", secondary=True, does="deny ask allow metadata"),
    _gate("pre_tool_use", _TOOL, always_denies=True, fails=DENY, parallel=False, verdicts=_VERDICT, does="deny ask allow input"),
    _row("permission_request", _TOOL, body=ToolCall, subject="tool", grouped=True, blocks=DENY, verdicts=_APPROVAL, does="deny allow metadata"),
    _row("tool_response_transform", _DONE, body=ToolCall, subject="tool", grouped=True, parallel=False, does="output"),
    _row("post_tool_use", _DONE, body=ToolCall, subject="tool", grouped=True, blocks=HALT, does="halt"),
    _row("session_start", "source!startup", plain_context=True, does="context instruction_context"),
    _row("turn_start", plain_context=True, does="context instruction_context"),
    _row("user_prompt_submit", "prompt", body=Prompt, blocks=DENY, plain_context=True, does="deny context"),
    _row("user_steering_messages_submit", "steering_messages=messages", blocks=DENY, plain_context=True, does="deny context"),
    _row("user_followup_submit", "prompt", body=Prompt, blocks=DENY, plain_context=True, does="deny context"),
    _row(
        "before_llm_call", "model_id=model iteration!0 messages",
        body=Generation, blocks=DENY, parallel=False, does="deny messages",
    ),
    _row("after_llm_call", "model_id=model stop_response=response last_user_message usage cost", body=Generation),
    _row("turn_end", "reason"),
    _row("stop", "stop_response=last_message last_user_message", body=Stop),
    _row("session_end", "reason!stream_ended"),
    _row("pre_compact", "source=trigger", body=Compaction, blocks=DENY, plain_context=True, does="deny context"),
    _row("before_compaction", _COUNTS, body=Compaction, blocks=DENY, verdicts=_VETO, secondary=True, does="deny summary"),
    _row("after_compaction", f"{_COUNTS} summary", body=Compaction),
    _row("subagent_stop", "parent_session_id stop_response=last_message!", body=Stop),
    _row("notification", "notification_level=level notification_message=text", body=Message),
    _row("on_error", "notification_level=level notification_message=text", body=Message),
    _row("on_max_iterations", "notification_level=level notification_message=text", body=Message),
    _row("on_user_input"),
    _row("on_agent_switch", "from_agent=from to_agent=to agent_switch_kind=kind from_agent_models"),
    _row("on_session_resume", "previous_max_iterations=previous_max new_max_iterations=new_max"),
    _row(
        "on_tool_approval_decision", f"{_TOOL} approval_decision=decision approval_source=source safety_label",
        body=ToolCall, subject="tool",
    ),
    _row("worktree_create", "worktree_path=path worktree_branch=name worktree_source_dir", blocks=DENY, plain_context=True, does="deny context"),
    _control("before_agent_run"),
    _control("after_agent_complete"),
)  # fmt: skip

# What the older document's profile does otherwise (docs/formats/docker-agent.md 1).
_D1: Mapping[str, Mapping[str, object]] = {
    "pre_tool_use": {"parallel": True},
    "tool_input_transform": {"parallel": True},
    "tool_response_transform": {"parallel": True},
    "before_llm_call": {"parallel": True},
    "post_tool_use": {"plain_context": True, "powers": frozenset({"halt", "context", "note"})},
    "stop": {"plain_context": True, "powers": frozenset({"context", "note"})},
}

# What upstream's program does otherwise (docs/formats/docker-agent.md 1: X3, X9; X5 holds for every row).
_EXACT: Mapping[str, Mapping[str, object]] = {
    "before_compaction": {"verdicts": {}},
    "tool_response_transform": {"withheld": frozenset({"tool_error"})},
}

_BASE = (
    Field(native="session_id", fact="@session_id", default=""),
    Field(native="cwd", fact="@cwd", default=""),
    Field(native="hook_event_name", fact="@native"),
    Field(native="agent_name", fact="agent", default=ABSENT),
)


def table(profile: str, *, exact: bool) -> Table:
    """The table of a profile; `exact` is the upstream program's wire text and payloads."""
    rows = {row.native: row for row in _ROWS}
    if profile == "d1":
        rows |= {native: rows[native].replace(**columns) for native, columns in _D1.items()}
    if exact:
        rows = {
            native: row.replace(**_EXACT.get(native, {}), omits_zeros=True)
            for native, row in rows.items()
        }
    return Table(
        name=NAME,
        unknown_keys={"group": "refused", "hook": "refused"},
        regex_flavour="go",
        rows=rows,
        base=_BASE,
        # A host that knows no lanes raises `pre_tool_use` and gets both; one that does raises each by its own name.
        covers={
            "pre_tool_use": ("pre_tool_use:preempt", "pre_tool_use"),
            "pre_tool_use:default": ("pre_tool_use",),
        },
        aliases={"pre_tool_use:default": "pre_tool_use"},
        fold=FoldRule(
            input_keys=frozenset({"add"}),
            joins_reasons=True,
            exclusive={"transition": "conflicting route transitions"},
        ),
        default_timeout=float(DEFAULT_TIMEOUT),
        compact=exact,
        echo_safe=not exact,
        closes="on_error: block",
    )


# What a payload holds is the same in every profile.
TABLE = table(PROFILES[0], exact=False)
