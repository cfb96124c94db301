"""The contract of Gemini CLI: one row for each of its 11 events (docs/formats/comparison.md; docs/formats/gemini.md 3)."""

from __future__ import annotations

from hookline.core.dialect import ABSENT, EventRow, Field, FoldRule, Table, column
from hookline.model import kinds
from hookline.model.event import Compaction, Generation, Lifecycle, Message, Prompt, Stop, ToolCall
from hookline.model.verdict import Stance

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping

    from hookline.model.event import Body, Event
    from hookline.model.verdict import Verdict

NAME = "gemini"
TICKS_PER_SECOND = 1000  # its timeouts are in milliseconds (docs/formats/comparison.md 3)
DEFAULT_TIMEOUT = 60.0
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


_BASE = (
    Field(native="session_id", fact="@session_id", default=""),
    Field(native="transcript_path", fact="transcript_path", default=""),
    Field(native="cwd", fact="@cwd", default=""),
    Field(native="hook_event_name", fact="@native"),
    # No clock down here: only the host knows the time of its event.
    Field(native="timestamp", fact="timestamp", default=ABSENT),
)
_TOOL = "tool_name=tool tool_input=input!{}"
_BESIDE = "mcp_context original_request_name"


def _add_context(event: Event, verdict: Verdict) -> Event:
    """The prompt with the context that a hook added, as the model will read it."""
    prompt = event.body.value("prompt")
    if not verdict.for_agent or not isinstance(prompt, str):
        return event
    return event.replace(body=event.body.replace(prompt=f"{prompt}\n\n{verdict.for_agent}"))


def _change_request(event: Event, verdict: Verdict) -> Event:
    """The model's request with what a hook changed of it beside the messages, which are a rewrite."""
    changes = verdict.effects.get("request")
    if not changes:
        return event
    before = event.body.value("llm_request")
    request = {**(before if isinstance(before, dict) else {}), **changes}
    return event.replace(
        body=event.body.replace(
            model=request.get("model"), facts={**event.body.facts, "llm_request": request}
        )
    )


# `allow` and `approve` are read nowhere: silence is allow (docs/formats/comparison.md 5).
_REFUSES = {"deny": DENY, "block": DENY}
_ASKS = {**_REFUSES, "ask": ASK}


def _row(
    native: str,
    fields: str = "",
    *,
    body: type[Body] = Lifecycle,
    reads: str = "",
    does: str = "note",
    **columns: object,
) -> EventRow:
    """One row; `reads` are `key=power` pairs, `does` the powers that do not follow from what it reads."""
    pairs = dict(pair.split("=") for pair in reads.split())
    refuses = {"deny", "halt", "note"} if columns.get("words") else set()
    return EventRow(
        native=native,
        kind=kinds.native_names("gemini")[native],
        body=body,
        fields=column(fields),
        powers=frozenset({*pairs.values(), *does.split(), *refuses}),
        blocks=DENY if refuses else SILENT,
        stops=HALT if refuses else SILENT,
        reads=pairs,
        **columns,  # type: ignore[arg-type]  # checked by the constructor
    )


# In the order of a session, a turn, a model call and a tool call. The first and the last three are advisory: nothing that
# they answer holds anything up. `BeforeToolSelection` knows neither a decision nor a message.
_ROWS = (
    _row(
        "SessionStart", "source!startup", subject="source", known=("startup", "resume", "clear"),
        reads="additionalContext=context",
    ),
    _row("BeforeAgent", "prompt!", body=Prompt, words=_REFUSES, reads="additionalContext=context", carries=_add_context),
    # What `llm_request` holds beside its messages (the model, its parameters) is an effect of its own.
    _row(
        "BeforeModel", "llm_request!{}", body=Generation, words=_REFUSES, reads="llm_request=messages llm_response=return",
        does="request", carries=_change_request,
    ),
    _row("BeforeToolSelection", "llm_request!{}", body=Generation, reads="toolConfig=tools", does=""),
    _row("AfterModel", "llm_request!{} llm_response=response!{}", body=Generation, words=_REFUSES, reads="llm_response=text"),
    _row("BeforeTool", f"{_TOOL} {_BESIDE}", body=ToolCall, subject="tool", words=_ASKS, reads="tool_input=input", does="ask"),
    _row(
        "AfterTool", f"{_TOOL} tool_response=result!{{}} {_BESIDE}", body=ToolCall, subject="tool", words=_REFUSES,
        reads="additionalContext=context tailToolCallRequest=tail_call",
    ),
    _row(
        "AfterAgent", "prompt! prompt_response=last_message! stop_hook_active", body=Stop, words=_REFUSES,
        reads="clearContext=clear_context",
    ),
    _row("PreCompress", "trigger!", body=Compaction, subject="trigger", known=("manual", "auto")),
    _row("Notification", "notification_type=kind!ToolPermission message=text! details!{}", body=Message),
    _row(
        "SessionEnd", "reason!other", subject="reason", known=("exit", "clear", "logout", "prompt_input_exit", "other"),
    ),
)  # fmt: skip

ROWS: Mapping[str, EventRow] = {row.native: row for row in _ROWS}

TABLE = Table(
    name=NAME,
    unknown_keys={"group": "ignored", "hook": "ignored"},
    regex_flavour="javascript",
    rows=ROWS,
    base=_BASE,
    project_variables=("GEMINI_PROJECT_DIR",),
    # Reasons are joined, lists of tools added up (docs/formats/gemini.md 6). A new input is merged into the old, so that it takes no key away, and
    # those of several hooks add up only where they run in turn (docs/formats/comparison.md 6).
    fold=FoldRule(
        joins_reasons=True,
        lasts=frozenset({"tail_call", "return"}),
        unions={"tools": {"mode": MODES}},
        lone_patches=True,
        input_keys=frozenset({"add"}),
    ),
    ticks_per_second=TICKS_PER_SECOND,
    default_timeout=DEFAULT_TIMEOUT,
    compact=True,
    asks_at_terminal=True,  # without one, an `ask` makes the host wait for an answer for ever
    programs=("gemini", "gemini-cli"),
)
