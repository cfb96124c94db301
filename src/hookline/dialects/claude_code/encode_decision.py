"""Decisions in the words that Claude Code reads from a hook (docs/formats/claude-code.md 7, 8)."""

from __future__ import annotations

from hookline.dialects.claude_code.table import ALLOW, ASK, DENY, EFFECTS, SILENT
from hookline.dialects.kit.encode_decision import ReplyFormat, encode_answer, make_reply
from hookline.model.verdict import Reply

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from hookline.core.dialect import EventRow
    from hookline.model.event import Event
    from hookline.model.verdict import Decision

_FORMAT = ReplyFormat(
    permissions={ALLOW: "allow", ASK: "ask", DENY: "deny"},
    rewrites={"input": "updatedInput", "output": "updatedToolOutput", "text": "displayContent"},
)
# Shapes of an MCP tool's output have a key of their own.
_MCP_FORMAT = _FORMAT.replace(rewrites={**_FORMAT.rewrites, "output": "updatedMCPToolOutput"})
_REFUSED = 2


def encode_decision(
    decision: Decision, event: Event, row: EventRow | None, *, called: bool = False
) -> Reply:
    """Return the reply of a hook: exit 0 and one object, or nothing at all where there is nothing to say.

    An event that no JSON can block is refused by exit 2, with the reason on stderr. A hook that is
    `called` by HTTP says in the object what a command hook would print instead of one.
    """
    form = _MCP_FORMAT if event.tool.startswith("mcp__") else _FORMAT
    top, specific = encode_answer(decision, row, form)
    if row is None:
        return make_reply(top, specific, row)
    if "decision" in row.reads and decision.stance < ALLOW:
        _report_unsent(decision, top)
    specific |= _encode_effects(decision, row)
    if "terminal_sequence" in decision.effects:
        top["terminalSequence"] = decision.effects["terminal_sequence"]
    if "worktreePath" in specific and not called:
        return _reply_with_path(specific["worktreePath"], top)
    reply = make_reply(top, specific, row)
    says_no = row.words or row.verdicts or "decision" in row.reads
    if decision.stance is DENY and not says_no:
        return reply.replace(stderr=_to_line(decision.reason), exit_code=_REFUSED)
    return reply


def _report_unsent(decision: Decision, top: dict[str, Any]) -> None:
    """Note what `PermissionRequest` cannot carry without an allow."""
    unsent = ["`updatedInput`"] if decision.rewrite is not None else []
    unsent += ["`updatedPermissions`"] if decision.effects.get("grant") else []
    if unsent:
        note = f"without an allow, {' and '.join(unsent)} cannot be carried out here"
        top["systemMessage"] = "\n".join((*decision.for_user, note))


def _encode_effects(decision: Decision, row: EventRow) -> dict[str, Any]:
    carried: dict[str, Any] = {}
    effects, stance = decision.effects, decision.stance
    if effects.get("defer") and stance <= ASK and "permissionDecision" in row.reads:
        carried["permissionDecision"] = "defer"
        carried |= {"permissionDecisionReason": decision.reason} if decision.reason else {}
    if decision.retry_after is not None and "retry" in row.reads:
        carried["retry"] = True
    for key, effect in EFFECTS.items():
        if effect in effects and key in row.reads and not (effect == "path" and stance > SILENT):
            carried[key] = effects[effect]
    return carried | (effects["content"] if "content" in effects and stance < DENY else {})


def _reply_with_path(path: str, top: dict[str, Any]) -> Reply:
    """Return a reply whose last line of stdout is the path.

    What an object would say goes to stderr.
    """
    lost = "beside a path, `terminalSequence` cannot be carried out here"
    lines = (top.get("systemMessage", ""), lost if "terminalSequence" in top else "")
    return Reply(stdout=f"{path}\n", stderr="".join(map(_to_line, lines)))


def _to_line(text: str) -> str:
    return f"{text}\n" if text else ""
