"""The contract of docker-agent: one row an event, in either of its two profiles."""

from __future__ import annotations

from functools import cache

from hookline.core.dialect import FoldRule, Table, column
from hookline.dialects.kit.event_table import read_events
from hookline.model import kinds

NAME = "docker-agent"
PROFILES = ("d2", "d1")

# Power -> the key of `hook_specific_output` that uses it.
OUTPUT_KEYS = {
    "input": "updated_input",
    "messages": "updated_messages",
    "output": "updated_tool_response",
    "summary": "summary",
    "context": "additional_context",
    "instruction_context": "instruction_context",
    "metadata": "metadata",
    "transition": "transition",
}
_BASE = "session_id=@session_id!text cwd=@cwd!text hook_event_name=@native!null agent_name=agent"
# What several events have in common, by the word for that in the table.
_WORDS = {
    "VERDICT": "allow:ALLOW ask:ASK deny:DENY",
    "PERMIT": "allow:ALLOW ask:SILENT deny:DENY",
    "TOOL": (
        "tool_name=tool tool_use_id=call_id tool_input=input tool_category safety_policy"
        " tool_read_only"
    ),
    "DONE": "tool_response=result! tool_error=error!false",
    "COUNTS": "input_tokens!0 output_tokens!0 context_limit!0 compaction_reason=trigger",
    "NOTICE": "notification_level=level notification_message=text",
    "RUN": "invocation_id step_id task_input previous_output output conversation",
}
# In the order of the tool call pipeline and the run loop (docs/formats/docker-agent.md 2, 4, 6, 7).
# `grouped`: its hooks stand in matcher groups. `fails`: a failure denies whatever the hook says.
# `verdicts`: what a `permission_decision` means; an ask of a permission request falls through to
# the prompt (docs/formats/docker-agent.md 5).
_EVENTS = """
event                         | may                         | how
tool_input_transform          | deny input                  | grouped not-parallel secondary
                              |                             | kind=tool.before
    TOOL
tool_guard                    | deny ask allow metadata     | grouped secondary kind=tool.before
                              |                             | verdicts=VERDICT fails=DENY
    TOOL
pre_tool_use:preempt          | deny ask allow metadata     | grouped secondary kind=tool.before
                              |                             | verdicts=VERDICT fails=DENY
    TOOL
pre_tool_use                  | deny ask allow input        | grouped not-parallel kind=tool.before
                              |                             | verdicts=VERDICT fails=DENY
    TOOL
permission_request            | deny allow metadata         | grouped
                              |                             | verdicts=PERMIT
    TOOL
tool_response_transform       | output                      | grouped not-parallel body=ToolCall
    TOOL DONE
post_tool_use                 | halt                        | grouped
    TOOL DONE
session_start                 | context instruction_context |
    source!startup
turn_start                    | context instruction_context |
user_prompt_submit            | deny context                |
    prompt
user_steering_messages_submit | deny context                | body=Lifecycle
    steering_messages=messages
user_followup_submit          | deny context                |
    prompt
before_llm_call               | deny messages               | not-parallel
    model_id=model iteration!0 messages
after_llm_call                |                             |
    model_id=model stop_response=response last_user_message usage cost
turn_end                      |                             |
    reason
stop                          |                             |
    stop_response=last_message last_user_message
session_end                   |                             |
    reason!stream_ended
pre_compact                   | deny context                |
    source=trigger
before_compaction             | deny summary                | secondary verdicts=deny:DENY
    COUNTS
after_compaction              |                             |
    COUNTS summary
subagent_stop                 |                             |
    parent_session_id parent_agent_name=parent_agent stop_response=last_message!
notification                  |                             |
    NOTICE
on_error                      |                             | body=Message
    NOTICE
on_max_iterations             |                             | body=Message
    NOTICE
on_user_input                 |                             |
on_agent_switch               |                             |
    from_agent=from to_agent=to agent_switch_kind=kind from_agent_models
on_session_resume             |                             |
    previous_max_iterations=previous_max new_max_iterations=new_max
on_tool_approval_decision     |                             |
    TOOL approval_decision=decision approval_source=source safety_label
worktree_create               | deny context                |
    worktree_path=path worktree_branch=name worktree_source_dir
before_agent_run              | deny metadata transition    | always_strict fails=DENY
    RUN
after_agent_complete          | deny metadata transition    | always_strict fails=DENY
    RUN
"""

_OF_D1 = frozenset({"post_tool_use", "stop"})  # events that have context in that profile only


@cache
def table(profile: str, *, exact: bool, gates_stop: bool = False) -> Table:
    """Return the table of a profile (docs/formats/docker-agent.md 1).

    `exact` is the upstream program's. `gates_stop`: a refused stop sends the agent back.
    """
    listed = kinds.native_names("seed4-docker")
    rows = read_events(_EVENTS, NAME, listed, words=_WORDS, always="note")
    lenient = profile == "d1"
    for name, row in rows.items():
        powers = row.powers | {"context"} if lenient and name in _OF_D1 else row.powers
        if gates_stop and name == "stop":
            powers |= {"deny"}
        rows[name] = row.replace(
            payload_name=name.partition(":")[0],
            verdicts={} if exact and name == "before_compaction" else row.verdicts,  # X3
            powers=powers,
            plain_context="context" in powers,
            parallel=row.parallel or lenient,
            lenient=lenient,
            exact=exact,
        )
    return Table(
        name=NAME,
        unknown_keys="group hook",
        refuses_unknown_keys=True,
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
        compact=exact,
        echo_safe=not exact,
        closes="on_error: block",
        # Its turns are model calls.
        repeats=frozenset({"turn.start"}) if gates_stop else frozenset(),
    )


# What a payload holds is the same in every profile.
TABLE = table(PROFILES[0], exact=False)
