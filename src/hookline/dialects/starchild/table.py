"""The twelve events of shell_hooks.yaml: one row an event, and the columns in which they differ."""

from __future__ import annotations

from hookline.core.dialect import FoldRule, Table, column
from hookline.dialects.kit.event_table import read_events
from hookline.model import kinds
from hookline.model.verdict import Stance

NAME = "starchild"
DEFAULT_TIMEOUT = 20  # seconds (docs/formats/starchild.md 1)
LONGEST_TIMEOUT = 120
SUSPENDS_AFTER = 5  # failures in a row (docs/formats/starchild.md 7)
NOTE_GAP = "\n\n"  # between a tool's result and a note at its end
EVIDENCE = ("evidence", "tag", "code")
REDO_LIMIT = 3  # a turn, and for a claim a goal (docs/formats/starchild.md 3)


# Fields that several events have, by the word for them in the column `payload`.
_FIELDS = {
    "DONE": "tool_name=tool!text tool_result=result!text",
    "COUNTS": f"stop_block_count!0 stop_block_limit!{REDO_LIMIT}",
}
# In the order of docs/formats/starchild.md 2; `status` is why a session begins or ends. `searched`:
# what a matcher looks into. `all_run`: the agent is to correct everything at once
# (docs/formats/starchild.md 3).
_EVENTS = """
event                 | may                        | how
on_user_message       | deny ask text note context | asks searched=prompt rewrites=message
    message=prompt!text channel!text
pre_tool_call         | deny ask input note        | asks searched=input
    tool_name=tool!text tool_input=input!object
post_tool_call        |                            | searched=tool,result
    DONE
transform_tool_result | output note                | appends body=ToolCall searched=tool,result
    DONE
pre_llm_call          | context                    | searched=last_user_message
    system!text last_user_message!text model!text
post_llm_call         | text                       | searched=model rewrites=response
    model!text response
on_response_end       | text note                  | body=Message searched=text rewrites=response
    response=text!text model!text tokens=usage!object tool_names!list turn_cost_usd=cost!0.0
on_stop               | deny note                  | all_run searched=last_message
    response=last_message!text tool_names!list stop_hook_active!false model COUNTS
on_outbound_message   | deny ask text note         | asks body=Message searched=text
                      |                            | rewrites=notification
    notification=text!text type!text
on_completion_claim   | deny note                  | all_run body=Stop searched=last_message
    goal!text summary!text response=last_message!text tool_names!list COUNTS
on_session_start      |                            | searched=source
    status=source!text
on_session_end        |                            | searched=reason
    status=reason!text
"""
_NAMES = kinds.native_names("seed3-starchild")
_ROWS = {
    name: row.replace(subject=row.searched[-1])
    for name, row in read_events(_EVENTS, NAME, _NAMES, words=_FIELDS, parallel=False).items()
}
_BASE = column("event=@native session_id=@session_id!text agent_id!text cwd=@cwd!text")


TABLE = Table(
    name=NAME,
    unknown_keys="file hook",
    rows=_ROWS,
    base=_BASE,
    fold=FoldRule(input_keys=frozenset(), joins_reasons=True, drops_rewrite_when_denied=True),
    default_timeout=float(DEFAULT_TIMEOUT),
    ask_becomes=Stance.DENY,
    redo_limit=REDO_LIMIT,
    # False on the first firing in a turn, true on every later one (docs/formats/starchild.md 3).
    redo_flag="stop_hook_active",
    approvals=True,  # docs/formats/starchild.md 6; docs/formats/hermes.md
    closes="on_error: closed",
    suspends_after=SUSPENDS_AFTER,
    resolves_names=True,  # docs/formats/starchild.md 8
)
