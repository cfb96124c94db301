"""Claude Code: hooks in its settings and plugins, and the replies that it reads.

Format: docs/formats/claude-code.md.
"""

from __future__ import annotations

from hookline.dialects.claude_code.table import TABLE
from hookline.dialects.kit.answer import ReplyFormat, encode_answer, make_reply
from hookline.dialects.kit.dialect import CallingDialect
from hookline.model.verdict import Decision, Reply, Stance

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from hookline.core.dialect import EventRow
    from hookline.model.event import Event

OPTIONS = ("allow_local",)
_FORMAT = ReplyFormat()
_REFUSED = 2


class ClaudeCode(CallingDialect):
    """The dialect of Claude Code."""

    table = TABLE
    combine_file = "load"

    def encode_reply(self, decision: Decision, event: Event, row: EventRow | None) -> Reply:
        """Return the reply of a command hook: exit 0 and one object, or nothing at all."""
        return _encode(decision, event, row)

    def encode_response(self, decision: Decision, event: Event) -> Reply:
        """Return a decision as what an HTTP hook answers (docs/formats/claude-code.md 4)."""
        row = self.row(event.native_name) or self.table.row_of_kind(event.kind)
        return _encode(decision, event, row, called=True)


def _encode(
    decision: Decision, event: Event, row: EventRow | None, *, called: bool = False
) -> Reply:
    """Return the reply of a hook that is a command, or `called` by HTTP.

    A command prints a worktree's path in the place of an object, and what that would say goes to
    stderr. An event that no JSON can block is refused by exit 2, with the reason on stderr
    (docs/formats/claude-code.md 7, 8).
    """
    top, specific = encode_answer(decision, row, _FORMAT)
    if row is None:
        return make_reply(top, specific, row)
    _adapt(top, specific, decision, event, row)
    if "worktreePath" in specific and not called:
        lost = "beside a path, `terminalSequence` cannot be carried out here"
        lines = (top.get("systemMessage"), lost if "terminalSequence" in top else "")
        stderr = "".join(f"{line}\n" for line in lines if line)
        return Reply(stdout=f"{specific['worktreePath']}\n", stderr=stderr)
    reply = make_reply(top, specific, row)
    says_no = row.words or row.verdicts or "decision" in row.reads
    if decision.stance is Stance.DENY and not says_no:
        stderr = f"{decision.reason}\n" if decision.reason else ""
        return reply.replace(stderr=stderr, exit_code=_REFUSED)
    return reply


def _adapt(
    top: dict[str, Any], specific: dict[str, Any], decision: Decision, event: Event, row: EventRow
) -> None:
    """Say in an object what only Claude Code's hooks say so."""
    effects, stance, reason = decision.effects, decision.stance, decision.reason
    # The output of an MCP tool has a shape, and a key, of its own.
    is_mcp = event.tool.startswith("mcp__")
    specific.pop("updatedToolOutput" if is_mcp else "updatedMCPToolOutput", None)
    if stance > Stance.SILENT:
        specific.pop("worktreePath", None)
    if "content" in effects:
        specific.pop("action", None)
        specific.pop("content", None)
        specific |= effects["content"] if stance < Stance.DENY else {}
    if effects.get("defer") and stance <= Stance.ASK and "permissionDecision" in row.reads:
        specific["permissionDecision"] = "defer"
        specific |= {"permissionDecisionReason": reason} if reason else {}
    if "decision" in row.reads and stance < Stance.ALLOW:
        unsent = ["`updatedInput`"] if decision.rewrite is not None else []
        unsent += ["`updatedPermissions`"] if effects.get("grant") else []
        if unsent:
            note = f"without an allow, {' and '.join(unsent)} cannot be carried out here"
            top["systemMessage"] = "\n".join((*decision.for_user, note))
    if "terminal_sequence" in effects:
        top["terminalSequence"] = effects["terminal_sequence"]
