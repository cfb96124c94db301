"""The contract of OpenHands: one row for each of its 6 events (docs/formats/openhands.md 3)."""

from __future__ import annotations

from hookline.core.dialect import EventRow, FoldRule, Table, column
from hookline.model import kinds
from hookline.model.event import Lifecycle, Prompt, Stop, ToolCall
from hookline.model.verdict import Stance

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping

    from hookline.model.event import Body

NAME = "openhands"
DEFAULT_TIMEOUT = 60.0  # seconds
SILENT, ALLOW, ASK, DENY, HALT = Stance

# Every payload has every key, in this order; a key without a value is null.
_CALL = "tool_name=tool tool_input=input!{}"
_NO_CALL = "tool_name tool_input"
_CONTEXT = "session_id=@session_id working_dir=@cwd metadata!{}"


def _row(
    native: str,
    fields: str,
    *,
    body: type[Body] = Lifecycle,
    powers: str = "",
    subject: str = "",
) -> EventRow:
    """Return one row. Hooks run one after another, and a hook that blocks ends the run."""
    carried = frozenset(powers.split())
    return EventRow(
        native=native,
        kind=kinds.native_names(NAME)[native],
        body=body,
        fields=column(f"{fields} {_CONTEXT}", None),
        subject=subject,
        powers=carried,
        parallel=False,
        blocks=DENY if "deny" in carried else SILENT,
    )


# The host reads context at the prompt only. It reads no note to the user, and it cannot ask.
_ROWS = (
    _row("SessionStart", f"{_NO_CALL} tool_response message"),
    _row(
        "UserPromptSubmit", f"{_NO_CALL} tool_response message=prompt", body=Prompt,
        powers="deny context",
    ),
    _row("PreToolUse", f"{_CALL} tool_response message", body=ToolCall, subject="tool", powers="deny"),
    _row("PostToolUse", f"{_CALL} tool_response=result message", body=ToolCall, subject="tool"),
    _row("Stop", f"{_NO_CALL} tool_response message", body=Stop, powers="deny"),
    _row("SessionEnd", f"{_NO_CALL} tool_response message"),
)  # fmt: skip

ROWS: Mapping[str, EventRow] = {row.native: row for row in _ROWS}
# The files may also write the events in snake_case.
ALIASES: Mapping[str, str] = {
    "session_start": "SessionStart",
    "user_prompt_submit": "UserPromptSubmit",
    "pre_tool_use": "PreToolUse",
    "post_tool_use": "PostToolUse",
    "stop": "Stop",
    "session_end": "SessionEnd",
}

TABLE = Table(
    name=NAME,
    unknown_keys={"file": "ignored", "group": "ignored", "hook": "ignored"},
    regex_flavour="python",
    rows=ROWS,
    base=column("event_type=@native"),
    aliases=ALIASES,
    project_variables=("OPENHANDS_PROJECT_DIR",),
    fold=FoldRule(drops_rewrite_when_denied=True),
    default_timeout=DEFAULT_TIMEOUT,
    compact=True,
    detached_after_denial=False,
    detached_in_turn=True,
)
