"""The twelve events of shell_hooks.yaml: one row an event, and the columns in which they differ."""

from __future__ import annotations

from hookline.core.dialect import EventRow, FoldRule, Table, column
from hookline.model import kinds
from hookline.model.event import Generation, Lifecycle, Message, Prompt, Stop, ToolCall
from hookline.model.verdict import Stance

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Any

    from hookline.model.event import Body

NAME = "starchild"
DEFAULT_TIMEOUT = 20  # seconds (docs/formats/starchild.md 1)
LONGEST_TIMEOUT = 120
SUSPENDS_AFTER = 5  # failures in a row (docs/formats/starchild.md 7)
REDO_LIMIT = 3  # a turn, and for a claim a goal (docs/formats/starchild.md 3)


def _row(
    native: str,
    fields: str,
    body: type[Body] = Lifecycle,
    *,
    searched: str,
    does: str = "",
    **columns: Any,
) -> EventRow:
    """One row; `does` lists its powers, in the words of `model.kinds`."""
    facts = tuple(searched.split())
    return EventRow(
        native=native,
        kind=kinds.native_names("seed3-starchild")[native],
        body=body,
        fields=column(fields),
        subject=facts[-1],
        searched=facts,
        powers=frozenset(does.split()),
        parallel=False,
        **columns,
    )


_GATE: Mapping[str, Any] = {"blocks": Stance.DENY, "asks": True}
# All hooks run, because the agent is to correct everything at once (docs/formats/starchild.md 3).
_REDO: Mapping[str, Any] = {"blocks": Stance.DENY, "all_run": True}
_COUNTS = f"stop_block_count!0 stop_block_limit!{REDO_LIMIT}"
_DONE = "tool_name=tool!text tool_result=result!text"

# In the order of docs/formats/starchild.md 2; `status` is why a session begins or ends.
_ROWS = (
    _row(
        "on_user_message", "message=prompt!text channel!text", Prompt,
        searched="prompt", does="deny ask text note context", rewrites="message", **_GATE,
    ),
    _row("pre_tool_call", "tool_name=tool!text tool_input=input!object", ToolCall, searched="input", does="deny ask input note", **_GATE),
    _row("post_tool_call", _DONE, ToolCall, searched="tool result"),
    _row("transform_tool_result", _DONE, ToolCall, searched="tool result", does="output note", appends=True),
    _row("pre_llm_call", "system!text last_user_message!text model!text", Generation, searched="last_user_message", does="context"),
    _row("post_llm_call", "model!text response", Generation, searched="model", does="text", rewrites="response"),
    _row(
        "on_response_end", "response=text!text model!text tokens=usage!object tool_names!list turn_cost_usd=cost!0.0", Message,
        searched="text", does="text note", rewrites="response",
    ),
    _row(
        "on_stop", f"response=last_message!text tool_names!list stop_hook_active!false model {_COUNTS}", Stop,
        searched="last_message", does="deny note", **_REDO,
    ),
    _row(
        "on_outbound_message", "notification=text!text type!text", Message,
        searched="text", does="deny ask text note", rewrites="notification", **_GATE,
    ),
    _row(
        "on_completion_claim", f"goal!text summary!text response=last_message!text tool_names!list {_COUNTS}", Stop,
        searched="last_message", does="deny note", **_REDO,
    ),
    _row("on_session_start", "status=source!text", searched="source"),
    _row("on_session_end", "status=reason!text", searched="reason"),
)  # fmt: skip

_BASE = column("event=@native session_id=@session_id!text agent_id!text cwd=@cwd!text")


TABLE = Table(
    name=NAME,
    unknown_keys={"file": "ignored", "hook": "ignored"},
    rows={row.native: row for row in _ROWS},
    base=_BASE,
    fold=FoldRule(input_keys=frozenset(), joins_reasons=True, drops_rewrite_when_denied=True),
    default_timeout=float(DEFAULT_TIMEOUT),
    ask_becomes=Stance.DENY,
    redo_limit=REDO_LIMIT,
    redo_flag="stop_hook_active",  # false on the first firing in a turn, true on every later one (docs/formats/starchild.md 3)
    approvals=True,  # docs/formats/starchild.md 6; docs/formats/hermes.md
    closes="on_error: closed",
    suspends_after=SUSPENDS_AFTER,
    resolves_names=True,  # docs/formats/starchild.md 8
)
