"""The contract of docker-agent: one row an event, and the columns in which its two profiles differ."""

from __future__ import annotations

from hookline.core.dialect import EventRow, FoldRule, Table, column, read_rows
from hookline.model import event, kinds
from hookline.model.verdict import Stance

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping

NAME = "docker-agent"
PROFILES = ("d2", "d1")

SILENT, ALLOW, ASK, DENY, HALT = Stance

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
# What a `permission_decision` means, by the word in the column `decides`. An ask of an approval
# falls through to the prompt (docs/formats/docker-agent.md 5); the veto is X3.
_VERDICTS: Mapping[str, Mapping[str, Stance]] = {
    "": {},
    "verdict": {"allow": ALLOW, "ask": ASK, "deny": DENY},
    "approval": {"allow": ALLOW, "ask": SILENT, "deny": DENY},
    "veto": {"deny": DENY},
}
_BASE = "session_id=@session_id!text cwd=@cwd!text hook_event_name=@native!null agent_name=agent"
# Fields that several events have, by the word for them in the column `payload`.
_FIELDS: Mapping[str, str] = {
    "TOOL": "tool_name=tool tool_use_id=call_id tool_input=input tool_category safety_policy tool_read_only",
    "DONE": "tool_response=result! tool_error=error!false",
    "COUNTS": "input_tokens!0 output_tokens!0 context_limit!0 compaction_reason=trigger",
    "NOTICE": "notification_level=level notification_message=text",
    "RUN": "invocation_id step_id task_input previous_output output conversation",
}
# In the order of the tool call pipeline and the run loop (docs/formats/docker-agent.md 2, 4, 6, 7).
# `may`: the powers of a hook, in the words of `model.kinds`; what may deny or halt can block.
# `grouped`: its hooks stand in matcher groups.
_EVENTS = """
event                         | kind        | body       | may                         | decides  | how                             | payload
tool_input_transform          | tool.before | ToolCall   | deny input                  |          | grouped sequential secondary    | TOOL
tool_guard                    | tool.before | ToolCall   | deny ask allow metadata     | verdict  | grouped always_denies secondary | TOOL
pre_tool_use:preempt          | tool.before | ToolCall   | deny ask allow metadata     | verdict  | grouped always_denies secondary | TOOL
pre_tool_use                  | tool.before | ToolCall   | deny ask allow input        | verdict  | grouped always_denies sequential| TOOL
permission_request            |             | ToolCall   | deny allow metadata         | approval | grouped                         | TOOL
tool_response_transform       |             | ToolCall   | output                      |          | grouped sequential              | TOOL DONE
post_tool_use                 |             | ToolCall   | halt                        |          | grouped                         | TOOL DONE
session_start                 |             | Lifecycle  | context instruction_context |          |                                 | source!startup
turn_start                    |             | Lifecycle  | context instruction_context |          |                                 |
user_prompt_submit            |             | Prompt     | deny context                |          |                                 | prompt
user_steering_messages_submit |             | Lifecycle  | deny context                |          |                                 | steering_messages=messages
user_followup_submit          |             | Prompt     | deny context                |          |                                 | prompt
before_llm_call               |             | Generation | deny messages               |          | sequential                      | model_id=model iteration!0 messages
after_llm_call                |             | Generation |                             |          |                                 | model_id=model stop_response=response last_user_message usage cost
turn_end                      |             | Lifecycle  |                             |          |                                 | reason
stop                          |             | Stop       |                             |          |                                 | stop_response=last_message last_user_message
session_end                   |             | Lifecycle  |                             |          |                                 | reason!stream_ended
pre_compact                   |             | Compaction | deny context                |          |                                 | source=trigger
before_compaction             |             | Compaction | deny summary                | veto     | secondary                       | COUNTS
after_compaction              |             | Compaction |                             |          |                                 | COUNTS summary
subagent_stop                 |             | Stop       |                             |          |                                 | parent_session_id stop_response=last_message!
notification                  |             | Message    |                             |          |                                 | NOTICE
on_error                      |             | Message    |                             |          |                                 | NOTICE
on_max_iterations             |             | Message    |                             |          |                                 | NOTICE
on_user_input                 |             | Lifecycle  |                             |          |                                 |
on_agent_switch               |             | Lifecycle  |                             |          |                                 | from_agent=from to_agent=to agent_switch_kind=kind from_agent_models
on_session_resume             |             | Lifecycle  |                             |          |                                 | previous_max_iterations=previous_max new_max_iterations=new_max
on_tool_approval_decision     |             | ToolCall   |                             |          |                                 | TOOL approval_decision=decision approval_source=source safety_label
worktree_create               |             | Lifecycle  | deny context                |          |                                 | worktree_path=path worktree_branch=name worktree_source_dir
before_agent_run              |             | Lifecycle  | deny metadata transition    |          | always_denies always_strict     | RUN
after_agent_complete          |             | Lifecycle  | deny metadata transition    |          | always_denies always_strict     | RUN
"""

# What the older document's profile does otherwise (docs/formats/docker-agent.md 1).
_D1: Mapping[str, Mapping[str, object]] = {
    "pre_tool_use": {"parallel": True},
    "tool_input_transform": {"parallel": True},
    "tool_response_transform": {"parallel": True},
    "before_llm_call": {"parallel": True},
    "post_tool_use": {"plain_context": True, "powers": frozenset({"halt", "context", "note"})},
    "stop": {"plain_context": True, "powers": frozenset({"context", "note"})},
}


def _make_row(cells: Mapping[str, str]) -> EventRow:
    native, powers, how = cells["event"], frozenset(cells["may"].split()), cells["how"].split()
    payload = " ".join(_FIELDS.get(word, word) for word in cells["payload"].split())
    usual = kinds.native_names("seed4-docker").get(native, kinds.unknown_kind(NAME, native))
    return EventRow(
        native=native,
        payload_name=native.partition(":")[0],
        kind=cells["kind"] or usual,
        body=getattr(event, cells["body"]),
        fields=column(payload),
        subject="tool" if cells["body"] == "ToolCall" else "",
        powers=powers | {"note"},
        verdicts=_VERDICTS[cells["decides"]],
        blocks=DENY if "deny" in powers else HALT if "halt" in powers else SILENT,
        fails=DENY if "always_denies" in how else SILENT,
        plain_context="context" in powers,
        parallel="sequential" not in how,
        grouped="grouped" in how,
        secondary="secondary" in how,
        always_denies="always_denies" in how,
        always_strict="always_strict" in how,
    )


def table(profile: str, *, exact: bool) -> Table:
    """Return the table of a profile; `exact` is the upstream program's."""
    rows = {cells["event"]: _make_row(cells) for cells in read_rows(_EVENTS)}
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
        # A host that knows no lanes raises `pre_tool_use` and gets both; one that does raises each
        # by its own name.
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
