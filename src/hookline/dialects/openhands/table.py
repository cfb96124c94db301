"""The contract of OpenHands: one row for each of its 6 events (docs/formats/openhands.md 3)."""

from __future__ import annotations

from hookline.core.dialect import FoldRule, Table, column
from hookline.dialects.kit.event_table import read_events

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping

NAME = "openhands"

# A word of the table -> the words that replace it.
_WORDS: Mapping[str, str] = {
    "CALL": "tool_name=tool tool_input=input!{}",
    "NO_CALL": "tool_name tool_input",
    "END": "session_id=@session_id working_dir=@cwd metadata!{}",
}
# Every payload has every key, in this order; a key without a value is null. Hooks run one after
# another, and a hook that blocks ends the run. The host reads context at the prompt only. It reads
# no note to the user, and it cannot ask.
_EVENTS = """
event            | may          | payload
SessionStart     |              | NO_CALL tool_response message END
UserPromptSubmit | deny context | NO_CALL tool_response message=prompt END
PreToolUse       | deny         | CALL tool_response message END
PostToolUse      |              | CALL tool_response=result message END
Stop             | deny         | NO_CALL tool_response message END
SessionEnd       |              | NO_CALL tool_response message END
"""
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
    unknown_keys="file group hook",
    regex_flavour="python",
    rows=read_events(
        _EVENTS,
        NAME,
        words=_WORDS,
        otherwise=None,
        parallel=False,
    ),
    base=column("event_type=@native"),
    aliases=ALIASES,
    project_variables=("OPENHANDS_PROJECT_DIR",),
    fold=FoldRule(drops_rewrite_when_denied=True),
    compact=True,
    detached_after_denial=False,
    detached_in_turn=True,
)
