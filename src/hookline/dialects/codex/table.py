"""The contract of Codex: one row for each of its 13 events (docs/formats/codex.md 3)."""

from __future__ import annotations

from functools import partial

from hookline.core.dialect import FoldRule, Table, column
from hookline.dialects.kit.dialect import make_row
from hookline.model.verdict import Stance

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping

NAME = "codex"
MANAGED_ONLY = "allow_managed_hooks_only"
SILENT, ALLOW, ASK, DENY, HALT = Stance

# A tool also answers to the matchers that are written for these (docs/formats/codex.md 3; the
# shell's own names are uncertain, 20).
ALIASES: Mapping[str, tuple[str, ...]] = {
    "apply_patch": ("Edit", "Write"),
    "shell": ("Bash",),
    "exec": ("Bash",),
}


# Each event has its own order of fields; `session_id` alone is always the first.
_BASE = "session_id=@session_id!text"
_TURN = "turn_id!text"
_AGENT = "agent_id agent_type"
_WHERE = "transcript_path!null cwd=@cwd!text hook_event_name=@native model!text"
_MODE = "permission_mode!default"
_CALL = "tool_name=tool tool_input=input!{}"
# Our engine's own count (docs/architecture.md 4.12); the host does not send it.
_COUNT = "stop_block_count stop_block_limit"
_LAST = "last_assistant_message=last_message!null"

_UNIVERSAL = "continue stopReason suppressOutput systemMessage"
_DECIDES = f"{_UNIVERSAL} hookSpecificOutput decision reason"
_INFORMS = f"{_UNIVERSAL} hookSpecificOutput"
_CONTEXT = "hookEventName additionalContext"
_GATE_REFUSES = frozenset(("continue", "stopReason", "suppressOutput"))
_BLOCK = {"block": DENY}
# Where several hooks block, the agent gets each of their reasons, as prompts or as feedback.
_ALL_REASONS = FoldRule(joins_reasons=True, drops_rewrite_when_denied=True)


# A `systemMessage` is shown on every event but `StopFailure`, and `continue: false` ends the run
# from `UserPromptSubmit`, `SubagentStop`, `PreCompact` and `PostCompact`, too.
_row = partial(make_row, NAME, {})

# In the order of a session, a turn and a call.
_ROWS = (
    _row(
        "SessionStart", f"{_WHERE} {_MODE} source", _INFORMS, _CONTEXT, subject="source", plain_context=True,
        does="context note halt",
    ),
    _row(
        "UserPromptSubmit", f"{_TURN} {_AGENT} {_WHERE} {_MODE} prompt", _DECIDES, _CONTEXT, plain_context=True,
        words=_BLOCK, bare_reason=True, does="deny halt context note",
    ),
    # `allow` is no power: it only carries `updatedInput`, and the host's own approval still
    # follows.
    _row(
        "PreToolUse", f"{_TURN} {_AGENT} {_WHERE} {_MODE} {_CALL} tool_use_id=call_id!text", _DECIDES,
        f"{_CONTEXT} permissionDecision permissionDecisionReason updatedInput", subject="tool",
        words={"approve": ALLOW, "block": DENY}, verdicts={"ask": ASK, "deny": DENY}, refused=_GATE_REFUSES,
        does="deny input context note",
    ),
    _row(
        "PermissionRequest", f"{_TURN} {_AGENT} {_WHERE} {_MODE} {_CALL}", _INFORMS, "hookEventName decision",
        subject="tool", verdicts={"allow": ALLOW, "deny": DENY}, refused=_GATE_REFUSES,
        does="allow deny note",
    ),
    _row(
        "PostToolUse", f"{_TURN} {_AGENT} {_WHERE} {_MODE} {_CALL} tool_response=result!null tool_use_id=call_id!text", _DECIDES,
        f"{_CONTEXT} updatedMCPToolOutput", subject="tool", words=_BLOCK,
        refused=frozenset(("suppressOutput", "updatedMCPToolOutput")), does="deny halt context note", fold=_ALL_REASONS,
    ),
    _row(
        "PreCompact", f"{_TURN} {_AGENT} {_WHERE} trigger", _UNIVERSAL, subject="trigger", does="halt note",
    ),
    _row(
        "PostCompact", f"{_TURN} {_AGENT} {_WHERE} trigger", _UNIVERSAL, subject="trigger", does="halt note",
    ),
    _row(
        "SubagentStart", f"{_TURN} {_WHERE} {_MODE} agent_id!text agent_type!text", _INFORMS, _CONTEXT, subject="agent_type",
        plain_context=True, does="context note",
    ),
    _row(
        "SubagentStop",
        f"{_TURN} transcript_path!null agent_transcript_path!null cwd=@cwd!text hook_event_name=@native model!text {_MODE} "
        f"stop_hook_active!false agent_id!text agent_type!text {_LAST} {_COUNT}",
        f"{_UNIVERSAL} decision reason", subject="agent_type", words=_BLOCK,
        bare_reason=True, only_json=True, does="deny halt note", fold=_ALL_REASONS,
    ),
    _row(
        "Stop", f"{_TURN} {_WHERE} {_MODE} stop_hook_active!false {_LAST} {_COUNT}", f"{_UNIVERSAL} decision reason",
        words=_BLOCK, bare_reason=True, only_json=True, does="deny halt note", fold=_ALL_REASONS,
    ),
    _row("Interrupt", f"{_TURN} {_WHERE} {_MODE}", "systemMessage", only_json=True, does="note"),
    _row(
        "StopFailure", f"{_TURN} {_WHERE} {_MODE} error!text error_details!null {_LAST}", _UNIVERSAL, subject="error",
        only_json=True,
    ),
    # The session does not wait long for its last hooks.
    _row(
        "SessionEnd", "transcript_path!null cwd=@cwd!text hook_event_name=@native reason!other", "", subject="reason",
        timeout=1.0, longest=3.0, unread=True,
    ),
)  # fmt: skip

TABLE = Table(
    name=NAME,
    unknown_keys={"file": "ignored", "group": "ignored", "hook": "ignored"},
    regex_flavour="rust",
    rows={row.native: row for row in _ROWS},
    base=column(_BASE),
    # Codex lets the hook that *finishes* last win; plan order keeps replays equal. The input of a
    # denied call stays as it was.
    fold=FoldRule(drops_rewrite_when_denied=True),
    default_timeout=600.0,
    compact=True,
)
