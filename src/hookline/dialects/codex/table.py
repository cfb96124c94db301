"""The contract of Codex: one row for each of its 13 events (docs/formats/codex.md 3)."""

from __future__ import annotations

from hookline.core.dialect import FoldRule, Table, column
from hookline.dialects.kit.event_table import read_events, read_keys
from hookline.model.verdict import Stance

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping

NAME = "codex"
MANAGED_ONLY = "allow_managed_hooks_only"
# Under `features`, each switches all hooks off by being false; the second is the older name.
FEATURES = ("hooks", "codex_hooks")
SILENT, ALLOW, ASK, DENY, HALT = Stance

# A tool also answers to the matchers that are written for these (docs/formats/codex.md 3; the
# shell's own names are uncertain, 20).
ALIASES: Mapping[str, tuple[str, ...]] = {
    "apply_patch": ("Edit", "Write"),
    "shell": ("Bash",),
    "exec": ("Bash",),
}
# The keys of `hookSpecificOutput`.
KEYS = read_keys("""
hookEventName            text
additionalContext        text   context
permissionDecision       text
permissionDecisionReason text
updatedInput             object input
updatedMCPToolOutput     any
decision                 object
""")
_CONTEXT = "hookEventName additionalContext"
_UNIVERSAL = "continue stopReason suppressOutput systemMessage"
# A word of the table -> the words that replace it. `COUNT` is our engine's own
# (docs/architecture.md 4.12); the host does not send it.
_WORDS: Mapping[str, str] = {
    "TURN": "turn_id!text",
    "AGENT": "agent_id agent_type",
    "WHERE": "transcript_path!null cwd=@cwd!text hook_event_name=@native model!text",
    "MODE": "permission_mode!default",
    "CALL": "tool_name=tool tool_input=input!{}",
    "LAST": "last_assistant_message=last_message!null",
    "COUNT": "stop_block_count stop_block_limit",
    "UNIVERSAL": _UNIVERSAL,
    "INFORMS": f"{_UNIVERSAL} hookSpecificOutput",
    "STOPS": f"{_UNIVERSAL} decision reason",
    "DECIDES": f"{_UNIVERSAL} hookSpecificOutput decision reason",
    "CONTEXT": _CONTEXT,
    "CALLING": (
        "hookEventName updatedInput additionalContext permissionDecision permissionDecisionReason"
    ),
    "OUTPUT": f"{_CONTEXT} updatedMCPToolOutput",
    "GATE": "continue stopReason suppressOutput",
    "BLOCK": "block:DENY",
}
# In the order of a session, a turn and a call. A `systemMessage` is shown on every event but
# `StopFailure`, and `continue: false` ends the run from `UserPromptSubmit`, `SubagentStop`,
# `PreCompact` and `PostCompact`, too. An `allow` of `PreToolUse` is no power: it only carries
# `updatedInput`, and the host's own approval still follows. The session does not wait long for its
# last hooks.
_EVENTS = """
event             | may               | subject    | how
SessionStart      | note context halt | source     | plain_context accepts=INFORMS reads=CONTEXT
    WHERE MODE source
UserPromptSubmit  | note context deny |            | plain_context bare_reason words=BLOCK
                  | halt              |            | accepts=DECIDES reads=CONTEXT
    TURN AGENT WHERE MODE prompt
PreToolUse        | note context deny |            | words=approve:ALLOW,block:DENY
                  | input             |            | verdicts=ask:ASK,deny:DENY refused=GATE
                  |                   |            | accepts=DECIDES reads=CALLING
    TURN AGENT WHERE MODE CALL tool_use_id=call_id!text
PermissionRequest | note allow deny   |            | verdicts=allow:ALLOW,deny:DENY refused=GATE
                  |                   |            | accepts=INFORMS reads=hookEventName,decision
    TURN AGENT WHERE MODE CALL
PostToolUse       | note context deny |            | words=BLOCK fold=REASONS
                  | halt              |            | refused=suppressOutput,updatedMCPToolOutput
                  |                   |            | accepts=DECIDES reads=OUTPUT
    TURN AGENT WHERE MODE CALL tool_response=result!null tool_use_id=call_id!text
PreCompact        | note halt         | trigger    | accepts=UNIVERSAL
    TURN AGENT WHERE trigger
PostCompact       | note halt         | trigger    | accepts=UNIVERSAL
    TURN AGENT WHERE trigger
SubagentStart     | note context      | agent_type | plain_context accepts=INFORMS reads=CONTEXT
    TURN WHERE MODE agent_id!text agent_type!text
SubagentStop      | note deny halt    | agent_type | bare_reason only_json words=BLOCK fold=REASONS
                  |                   |            | accepts=STOPS
    TURN transcript_path!null agent_transcript_path!null cwd=@cwd!text hook_event_name=@native
    model!text MODE stop_hook_active!false agent_id!text agent_type!text LAST COUNT
Stop              | note deny halt    |            | bare_reason only_json words=BLOCK fold=REASONS
                  |                   |            | accepts=STOPS
    TURN WHERE MODE stop_hook_active!false LAST COUNT
Interrupt         | note              |            | only_json accepts=systemMessage
    TURN WHERE MODE
StopFailure       |                   | error      | only_json accepts=UNIVERSAL
    TURN WHERE MODE error!text error_details!null LAST
SessionEnd        |                   | reason     | unread timeout=1 longest=3
    transcript_path!null cwd=@cwd!text hook_event_name=@native reason!other
"""
# Where several hooks block, the agent gets each of their reasons, as prompts or as feedback.
_ALL_REASONS = FoldRule(joins_reasons=True, drops_rewrite_when_denied=True)

TABLE = Table(
    name=NAME,
    unknown_keys="file group hook",
    regex_flavour="rust",
    rows=read_events(
        _EVENTS,
        NAME,
        words=_WORDS,
        keys=KEYS,
        values={"REASONS": _ALL_REASONS},
        halts="stops",
    ),
    # Each event has its own order of fields; `session_id` alone is always the first.
    base=column("session_id=@session_id!text"),
    # Codex lets the hook that *finishes* last win; plan order keeps replays equal. The input of a
    # denied call stays as it was.
    fold=FoldRule(drops_rewrite_when_denied=True),
    default_timeout=600.0,
    compact=True,
)
