"""The contract of docker-agent: one row an event, and the columns in which its two profiles differ."""

from __future__ import annotations

from hookline.core.dialect import EventRow, FoldRule, Table, column
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

SILENT, ALLOW, ASK, DENY, HALT = Stance

_TOOL = (
    "tool_name=tool tool_use_id=call_id tool_input=input tool_category safety_policy tool_read_only"
)
_DONE = f"{_TOOL} tool_response=result! tool_error=error!false"
_COUNTS = "input_tokens!0 output_tokens!0 context_limit!0 compaction_reason=trigger"
_NOTICE = "notification_level=level notification_message=text"
_RUN = "invocation_id step_id task_input previous_output output conversation"

# Power -> the key of `hook_specific_output` that uses it.
OUTPUT_KEYS: Mapping[str, str] = {
    "input": "updated_input",
    "messages": "updated_messages",
    "output": "updated_tool_response",
    "summary": "summary",
    "context": "additional_context",
    "instruction_context": "instruction_context",
    "metadata": "metadata",
    "transition": "transition",
}
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
    does: str = "",
    body: type[Body] = Lifecycle,
    kind: str = "",
    **columns: Any,
) -> EventRow:
    """Return one row. `does` lists its powers, in the words of `model.kinds`: what can deny or halt can block."""
    powers = frozenset(does.split())
    return EventRow(
        native=native,
        kind=kind
        or kinds.native_names("seed4-docker").get(native, kinds.unknown_kind(NAME, native)),
        body=body,
        fields=column(fields),
        powers=powers | {"note"},
        blocks=DENY if "deny" in powers else HALT if "halt" in powers else SILENT,
        fails=DENY if columns.get("always_denies") else SILENT,
        plain_context="context" in powers,
        subject="tool" if body is ToolCall else "",
        **{"payload_name": native, "grouped": body is ToolCall, **columns},
    )


def _gate(native: str, does: str, **columns: Any) -> EventRow:
    """Return a row of the tool events that may refuse a call."""
    return _row(native, _TOOL, does=does, body=ToolCall, kind="tool.before", **columns)


def _guard(native: str, does: str, **columns: Any) -> EventRow:
    """Return a row of those whose hooks give a verdict, and deny when they fail."""
    return _gate(native, does, always_denies=True, verdicts=_VERDICT, **columns)


def _control(native: str) -> EventRow:
    """Return a row of the events around one agent's run, which may send the work to another agent."""
    powers = "deny metadata transition"
    return _row(native, _RUN, does=powers, always_denies=True, always_strict=True)


# In the order of the tool call pipeline and the run loop (docs/formats/docker-agent.md 2, 4, 6, 7).
_ROWS = (
    _gate("tool_input_transform", "deny input", parallel=False, secondary=True),
    _guard("tool_guard", "deny ask allow metadata", secondary=True),
    _guard("pre_tool_use:preempt", "deny ask allow metadata", payload_name="pre_tool_use", secondary=True),
    _guard("pre_tool_use", "deny ask allow input", parallel=False),
    _row("permission_request", _TOOL, does="deny allow metadata", body=ToolCall, verdicts=_APPROVAL),
    _row("tool_response_transform", _DONE, does="output", body=ToolCall, parallel=False),
    _row("post_tool_use", _DONE, does="halt", body=ToolCall),
    _row("session_start", "source!startup", does="context instruction_context"),
    _row("turn_start", does="context instruction_context"),
    _row("user_prompt_submit", "prompt", does="deny context", body=Prompt),
    _row("user_steering_messages_submit", "steering_messages=messages", does="deny context"),
    _row("user_followup_submit", "prompt", does="deny context", body=Prompt),
    _row("before_llm_call", "model_id=model iteration!0 messages", does="deny messages", body=Generation, parallel=False),
    _row("after_llm_call", "model_id=model stop_response=response last_user_message usage cost", body=Generation),
    _row("turn_end", "reason"),
    _row("stop", "stop_response=last_message last_user_message", body=Stop),
    _row("session_end", "reason!stream_ended"),
    _row("pre_compact", "source=trigger", does="deny context", body=Compaction),
    _row("before_compaction", _COUNTS, does="deny summary", body=Compaction, verdicts=_VETO, secondary=True),
    _row("after_compaction", f"{_COUNTS} summary", body=Compaction),
    _row("subagent_stop", "parent_session_id stop_response=last_message!", body=Stop),
    _row("notification", _NOTICE, body=Message),
    _row("on_error", _NOTICE, body=Message),
    _row("on_max_iterations", _NOTICE, body=Message),
    _row("on_user_input"),
    _row("on_agent_switch", "from_agent=from to_agent=to agent_switch_kind=kind from_agent_models"),
    _row("on_session_resume", "previous_max_iterations=previous_max new_max_iterations=new_max"),
    _row("on_tool_approval_decision", f"{_TOOL} approval_decision=decision approval_source=source safety_label", body=ToolCall, grouped=False),
    _row("worktree_create", "worktree_path=path worktree_branch=name worktree_source_dir", does="deny context"),
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

_BASE = "session_id=@session_id!text cwd=@cwd!text hook_event_name=@native!null agent_name=agent"


def table(profile: str, *, exact: bool) -> Table:
    """Return the table of a profile; `exact` is the upstream program's."""
    rows = {row.native: row for row in _ROWS}
    if profile == "d1":
        rows = {name: row.replace(lenient=True, **_D1.get(name, {})) for name, row in rows.items()}
    if exact:
        rows = {name: row.replace(exact=True) for name, row in rows.items()}
        rows["before_compaction"] = rows["before_compaction"].replace(verdicts={})  # X3
    return Table(
        name=NAME,
        unknown_keys={"group": "refused", "hook": "refused"},
        regex_flavour="go",
        rows=rows,
        base=column(_BASE),
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
        default_timeout=60.0,
        compact=exact,
        echo_safe=not exact,
        closes="on_error: block",
    )


# What a payload holds is the same in every profile.
TABLE = table(PROFILES[0], exact=False)
