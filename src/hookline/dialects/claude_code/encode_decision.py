"""A decision in the words that Claude Code reads from a command hook (docs/formats/claude-code.md 7, 8)."""

from __future__ import annotations

from hookline.dialects.claude_code.table import ALLOW, ASK, DENY, EFFECTS, HALT, SILENT
from hookline.model.reply import Reply
from hookline.wire.hookoutput import to_json_line

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from typing import Any, TypeAlias

    from hookline.core.dialect import EventRow
    from hookline.model.event import Event
    from hookline.model.verdict import Decision

    Object: TypeAlias = dict[str, Any]
    Say: TypeAlias = Callable[[Decision, Object, Object], int]

_WORDS = {ALLOW: "allow", ASK: "ask", DENY: "deny"}
_KEYS: Mapping[str, str] = {
    "input": "updatedInput",
    "output": "updatedToolOutput",
    "text": "displayContent",
}
# Shapes of an MCP tool's output have a key of their own.
_MCP_KEYS: Mapping[str, str] = {**_KEYS, "output": "updatedMCPToolOutput"}
_REFUSED = 2


def encode_decision(
    decision: Decision, event: Event, row: EventRow | None, *, called: bool = False
) -> Reply:
    """The reply of a command hook: exit 0 and one object, nothing at all where there is nothing to say.

    An event that no JSON can block is refused by exit 2, with the reason on stderr. A hook that is `called` by HTTP says in
    the object what a command hook would print instead of one.
    """
    top: Object = {}
    specific: Object = {}
    exit_code = _stance(decision, row, top, specific)
    if decision.rewrite is not None and (row is None or "decision" not in row.reads):
        _rewrite(decision, event, specific)
    if row is not None:
        _effects(decision, row, top, specific)
    if decision.for_user:
        top["systemMessage"] = "\n".join(
            [*decision.for_user, *([top["systemMessage"]] if "systemMessage" in top else [])]
        )
    if row is not None and "worktreePath" in specific and not called:
        return _path(specific["worktreePath"], top)
    if specific and row is not None:
        top["hookSpecificOutput"] = {"hookEventName": row.native, **specific}
    return Reply(
        stdout=to_json_line(top),
        stderr=_line(decision.reason) if exit_code else "",
        exit_code=exit_code,
    )


def _path(path: str, top: Object) -> Reply:
    """The last line of stdout is the path, so there is no room for an object; what that would say goes to stderr."""
    lost = (
        "beside a path, `terminalSequence` cannot be carried out here"
        if "terminalSequence" in top
        else ""
    )
    return Reply(stdout=f"{path}\n", stderr=_line(top.get("systemMessage", "")) + _line(lost))


def _line(text: str) -> str:
    return f"{text}\n" if text else ""


# -- the stance --------------------------------------------------------------------------------------------------------


def _stance(decision: Decision, row: EventRow | None, top: Object, specific: Object) -> int:
    """Say the stance in the way of the event; returns the exit code that goes with it."""
    if decision.stance is HALT:
        top |= {"continue": False, "stopReason": decision.reason}
        return 0
    if row is None:
        return 0
    return _way(row)(decision, top, specific)


def _way(row: EventRow) -> Say:
    if "decision" in row.reads:
        return _request
    if row.verdicts:
        return _permission
    return _block if row.words else _exit


def _permission(decision: Decision, top: Object, specific: Object) -> int:  # noqa: ARG001 - the ways share one shape
    deferred = decision.effects.get("defer") and decision.stance <= ASK
    word = "defer" if deferred else _WORDS.get(decision.stance)
    if word:
        specific["permissionDecision"] = word
        if decision.reason:
            specific["permissionDecisionReason"] = decision.reason
    return 0


def _request(decision: Decision, top: Object, specific: Object) -> int:
    """The decision object of `PermissionRequest`: a new input, and a grant, travel with an allow only."""
    beside: Object = {}
    if decision.rewrite is not None:
        beside["updatedInput"] = decision.rewrite.value
    if decision.effects.get("grant"):
        beside["updatedPermissions"] = decision.effects["grant"]
    if decision.stance is ALLOW:
        said = {"message": decision.reason} if decision.reason else {}
        specific["decision"] = {"behavior": "allow", **said, **beside}
    elif decision.stance is DENY:
        specific["decision"] = {"behavior": "deny", "message": decision.reason}
    elif beside:
        top["systemMessage"] = (
            f"without an allow, {' and '.join(f'`{key}`' for key in beside)} cannot be carried out here"
        )
    return 0


def _block(decision: Decision, top: Object, specific: Object) -> int:  # noqa: ARG001 - as above
    if decision.stance is DENY:
        top |= {"decision": "block", "reason": decision.reason}
    return 0


def _exit(decision: Decision, top: Object, specific: Object) -> int:  # noqa: ARG001 - as above
    return _REFUSED if decision.stance is DENY else 0


# -- what goes with it -------------------------------------------------------------------------------------------------


def _rewrite(decision: Decision, event: Event, specific: Object) -> None:
    """The new value, whole; the input of a call that does not happen is not sent."""
    rewrite = decision.rewrite
    if rewrite is None or (rewrite.target == "input" and decision.stance >= DENY):
        return
    key = (_MCP_KEYS if event.tool.startswith("mcp__") else _KEYS).get(rewrite.target)
    if key is not None:
        specific[key] = rewrite.value


def _effects(decision: Decision, row: EventRow, top: Object, specific: Object) -> None:
    if decision.for_agent and "additionalContext" in row.reads:
        specific["additionalContext"] = "\n".join(decision.for_agent)
    if decision.retry_after is not None and "retry" in row.reads:
        specific["retry"] = True
    for key, effect in EFFECTS.items():
        if (
            effect in decision.effects
            and key in row.reads
            and not (effect == "path" and decision.stance > SILENT)
        ):
            specific[key] = decision.effects[effect]
    if "content" in decision.effects and decision.stance < DENY:
        specific |= decision.effects["content"]
    if "terminal_sequence" in decision.effects:
        top["terminalSequence"] = decision.effects["terminal_sequence"]
