"""The contract of Gemini CLI: its events, and the keys of an answer (docs/formats/gemini.md 3)."""

from __future__ import annotations

from hookline.core.dialect import FoldRule, Table, column
from hookline.dialects.kit.dialect import add_context
from hookline.dialects.kit.event_table import read_events, read_keys

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping

    from hookline.model.event import Event
    from hookline.model.verdict import Verdict

NAME = "gemini"
TICKS_PER_SECOND = 1000  # its timeouts are in milliseconds (docs/formats/comparison.md 3)

# The keys of `hookSpecificOutput`, and the power that each uses on most events.
KEYS = read_keys("""
tool_input          object input
additionalContext   text   context
tailToolCallRequest object tail_call
clearContext        flag   clear_context
llm_request         object messages
llm_response        object return
toolConfig          object tools
""")
# Modes of `toolConfig`, from the weakest to the strongest, which wins over those of other hooks.
MODES = ("AUTO", "ANY", "NONE")


def _change_request(event: Event, verdict: Verdict) -> Event:
    """Return the model's request with what a hook changed of it; messages are a rewrite."""
    changes = verdict.effects.get("request")
    if not changes:
        return event
    before = event.body.value("llm_request")
    request = {**before, **changes} if isinstance(before, dict) else changes
    facts = {**event.body.facts, "llm_request": request}
    return event.replace(body=event.body.replace(model=request.get("model"), facts=facts))


_WORDS: Mapping[str, str] = {
    "TOOL": "tool_name=tool tool_input=input!{}",
    "BESIDE": "mcp_context original_request_name",
    "ENDINGS": "exit clear logout prompt_input_exit other",
    "REFUSES": "deny:DENY block:DENY",
    "ASKS": "deny:DENY block:DENY ask:ASK",
}
# In the order of a session, a turn, a model call and a tool call. The first and the last three are
# advisory: nothing that they answer holds anything up. `BeforeToolSelection` knows neither a
# decision nor a message. What `llm_request` holds beside its messages (the model, its parameters)
# is an effect of its own, `request`. `allow` and `approve` are read nowhere: silence is allow
# (docs/formats/comparison.md 5).
_EVENTS = """
event               | may                          | subject | how
SessionStart        | note context                 | source  | known=startup,resume,clear
    source!startup
BeforeAgent         | note deny halt context       |         | words=REFUSES carries=CONTEXT
    prompt!
BeforeModel         | note deny halt messages      |         | words=REFUSES carries=REQUEST
                    | request return               |         |
    llm_request!{}
BeforeToolSelection | tools                        |         |
    llm_request!{}
AfterModel          | note deny halt text          |         | words=REFUSES
                    |                              |         | reads=llm_response=text
    llm_request!{} llm_response=response!{}
BeforeTool          | note deny halt ask input     |         | words=ASKS
    TOOL BESIDE
AfterTool           | note deny halt context       |         | words=REFUSES
                    | tail_call                    |         |
    TOOL tool_response=result!{} BESIDE
AfterAgent          | note deny halt clear_context |         | words=REFUSES
    prompt! prompt_response=last_message! stop_hook_active
PreCompress         | note                         | trigger | known=manual,auto
    trigger!
Notification        | note                         |         |
    notification_type=kind!ToolPermission message=text! details!{}
SessionEnd          | note                         | reason  | known=ENDINGS
    reason!other
"""

TABLE = Table(
    name=NAME,
    unknown_keys="group hook",
    regex_flavour="javascript",
    rows=read_events(
        _EVENTS,
        NAME,
        words=_WORDS,
        keys=KEYS,
        values={"CONTEXT": add_context, "REQUEST": _change_request},
        halts="stops",
    ),
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
    redo_flag="stop_hook_active",
    repeats=frozenset({"prompt.submit"}),
    asks_at_terminal=True,  # without one, an `ask` makes the host wait for an answer for ever
    programs=("gemini", "gemini-cli"),
)
