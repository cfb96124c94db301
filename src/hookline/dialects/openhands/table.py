"""The contract of OpenHands: one row for each of its 6 events (docs/formats/openhands.md 3)."""

from __future__ import annotations

from functools import partial

from hookline.core.dialect import FoldRule, Table, column
from hookline.dialects.kit.dialect import make_row

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping

NAME = "openhands"

# Every payload has every key, in this order; a key without a value is null.
_CALL = "tool_name=tool tool_input=input!{}"
_NO_CALL = "tool_name tool_input"
_END = "session_id=@session_id working_dir=@cwd metadata!{}"
# Hooks run one after another, and a hook that blocks ends the run.
_row = partial(make_row, NAME, {}, otherwise=None, parallel=False)


# The host reads context at the prompt only. It reads no note to the user, and it cannot ask.
_ROWS = (
    _row("SessionStart", f"{_NO_CALL} tool_response message {_END}"),
    _row(
        "UserPromptSubmit", f"{_NO_CALL} tool_response message=prompt {_END}",
        does="deny context",
    ),
    _row("PreToolUse", f"{_CALL} tool_response message {_END}", subject="tool", does="deny"),
    _row("PostToolUse", f"{_CALL} tool_response=result message {_END}", subject="tool"),
    _row("Stop", f"{_NO_CALL} tool_response message {_END}", does="deny"),
    _row("SessionEnd", f"{_NO_CALL} tool_response message {_END}"),
)  # fmt: skip

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
    rows={row.native: row for row in _ROWS},
    base=column("event_type=@native"),
    aliases=ALIASES,
    project_variables=("OPENHANDS_PROJECT_DIR",),
    fold=FoldRule(drops_rewrite_when_denied=True),
    compact=True,
    detached_after_denial=False,
    detached_in_turn=True,
)
