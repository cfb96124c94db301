"""The contract of Gemini CLI: one row for each of its 11 events (docs/formats/comparison.md; docs/formats/gemini.md 3)."""

from __future__ import annotations

from functools import partial

from hookline.core.dialect import FoldRule, Table, column
from hookline.dialects.kit.dialect import add_context, make_row
from hookline.model.event import Generation
from hookline.model.verdict import Stance

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping

    from hookline.model.event import Event
    from hookline.model.verdict import Verdict

NAME = "gemini"
TICKS_PER_SECOND = 1000  # its timeouts are in milliseconds (docs/formats/comparison.md 3)
SILENT, ALLOW, ASK, DENY, HALT = Stance

# Key of `hookSpecificOutput` -> the power that it uses, as far as one word says it for every event.
POWERS: Mapping[str, str] = {
    "tool_input": "input",
    "additionalContext": "context",
    "tailToolCallRequest": "tail_call",
    "clearContext": "clear_context",
    "llm_request": "messages",
    "llm_response": "return",
    "toolConfig": "tools",
}
# Modes of `toolConfig`, from the weakest to the strongest, which wins over those of other hooks.
MODES = ("AUTO", "ANY", "NONE")


_TOOL = "tool_name=tool tool_input=input!{}"
_BESIDE = "mcp_context original_request_name"


def _change_request(event: Event, verdict: Verdict) -> Event:
    """Return the model's request with what a hook changed of it beside the messages, which are a rewrite."""
    changes = verdict.effects.get("request")
    if not changes:
        return event
    before = event.body.value("llm_request")
    request = {**before, **changes} if isinstance(before, dict) else changes
    facts = {**event.body.facts, "llm_request": request}
    return event.replace(body=event.body.replace(model=request.get("model"), facts=facts))


# `allow` and `approve` are read nowhere: silence is allow (docs/formats/comparison.md 5).
_row = partial(make_row, NAME, POWERS, does="note")
# An event that a hook can refuse, and whose run it can stop.
_gate = partial(_row, does="note deny halt", words={"deny": DENY, "block": DENY}, stops=HALT)

# In the order of a session, a turn, a model call and a tool call. The first and the last three are
# advisory: nothing that they answer holds anything up. `BeforeToolSelection` knows neither a
# decision nor a message.
_ROWS = (
    _row(
        "SessionStart", "source!startup", subject="source", known=("startup", "resume", "clear"),
        reads="additionalContext",
    ),
    _gate("BeforeAgent", "prompt!", reads="additionalContext", carries=add_context),
    # What `llm_request` holds beside its messages (the model, its parameters) is an effect of its
    # own.
    _gate(
        "BeforeModel", "llm_request!{}", body=Generation, reads="llm_request llm_response",
        does="note deny halt request", carries=_change_request,
    ),
    _row("BeforeToolSelection", "llm_request!{}", body=Generation, reads="toolConfig", does=""),
    _gate("AfterModel", "llm_request!{} llm_response=response!{}", body=Generation, reads="llm_response=text"),
    _gate("BeforeTool", f"{_TOOL} {_BESIDE}", subject="tool", reads="tool_input", does="note deny halt ask",
        words={"deny": DENY, "block": DENY, "ask": ASK}),
    _gate(
        "AfterTool", f"{_TOOL} tool_response=result!{{}} {_BESIDE}", subject="tool",
        reads="additionalContext tailToolCallRequest",
    ),
    _gate(
        "AfterAgent", "prompt! prompt_response=last_message! stop_hook_active",
        reads="clearContext",
    ),
    _row("PreCompress", "trigger!", subject="trigger", known=("manual", "auto")),
    _row("Notification", "notification_type=kind!ToolPermission message=text! details!{}"),
    _row(
        "SessionEnd", "reason!other", subject="reason", known=("exit", "clear", "logout", "prompt_input_exit", "other"),
    ),
)  # fmt: skip

TABLE = Table(
    name=NAME,
    unknown_keys={"group": "ignored", "hook": "ignored"},
    regex_flavour="javascript",
    rows={row.native: row for row in _ROWS},
    # No default for the time: only the host knows the time of its event.
    base=column(
        "session_id=@session_id! transcript_path! cwd=@cwd! hook_event_name=@native timestamp"
    ),
    project_variables=("GEMINI_PROJECT_DIR",),
    # Reasons are joined, lists of tools added up (docs/formats/gemini.md 6). A new input is merged
    # into the old, so that it takes no key away, and those of several hooks add up only where they
    # run in turn (docs/formats/comparison.md 6).
    fold=FoldRule(
        joins_reasons=True,
        lasts=frozenset({"tail_call", "return"}),
        unions={"tools": {"mode": MODES}},
        lone_patches=True,
        input_keys=frozenset({"add"}),
    ),
    ticks_per_second=TICKS_PER_SECOND,
    default_timeout=60.0,
    compact=True,
    asks_at_terminal=True,  # without one, an `ask` makes the host wait for an answer for ever
    programs=("gemini", "gemini-cli"),
)
