"""Claude Code: hooks in its settings files and its plugins (docs/formats/claude-code.md)."""

from __future__ import annotations

from hookline.core.options import check_switches
from hookline.dialects.claude_code.table import NAME, TABLE
from hookline.dialects.kit.answer import ReplyFormat, encode_answer, make_reply
from hookline.dialects.kit.dialect import FolderDialect
from hookline.model.verdict import Reply, Stance

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from hookline.core.dialect import EventRow, Loaded
    from hookline.model.event import Event
    from hookline.model.spec import HookSpec
    from hookline.model.verdict import Decision

__all__ = ["NAME", "OPTIONS", "ClaudeCode"]

OPTIONS = ("allow_local",)
_FORMAT = ReplyFormat(permissions={Stance.ALLOW: "allow", Stance.ASK: "ask", Stance.DENY: "deny"})
_REFUSED = 2


class ClaudeCode(FolderDialect):
    """The dialect. `allow_local`: HTTP hooks may be on this machine or in a private network.

    Raises:
        ConfigError: `allow_local` is neither true nor false.
    """

    def __init__(self, *, allow_local: bool = False) -> None:
        check_switches(NAME, allow_local=allow_local)
        super().__init__(__name__, TABLE, allow_local=allow_local)

    def combine(self, specs: tuple[HookSpec, ...]) -> Loaded:
        loaded: Loaded = self._function("load", "combine")(specs)
        return loaded

    def encode_reply(self, decision: Decision, event: Event, row: EventRow | None) -> Reply:
        """Return the reply of a command hook: exit 0 and one object, or nothing at all.

        An event that no JSON can block is refused by exit 2, with the reason on stderr
        (docs/formats/claude-code.md 7, 8). A worktree's path is the last line of stdout, and what
        an object would say beside it goes to stderr.
        """
        top, specific = _encode(decision, event, row)
        if "worktreePath" in specific:
            lost = "beside a path, `terminalSequence` cannot be carried out here"
            lines = (top.get("systemMessage"), lost if "terminalSequence" in top else "")
            stderr = "".join(f"{line}\n" for line in lines if line)
            return Reply(stdout=f"{specific['worktreePath']}\n", stderr=stderr)
        return _finish(top, specific, decision, row)

    def encode_response(self, decision: Decision, event: Event) -> Reply:
        """Return a decision as what an HTTP hook answers (docs/formats/claude-code.md 4)."""
        row = self.row(event.native_name) or self.table.row_of_kind(event.kind)
        return _finish(*_encode(decision, event, row), decision, row)


def _encode(
    decision: Decision, event: Event, row: EventRow | None
) -> tuple[dict[str, Any], dict[str, Any]]:
    """Return the top of the object for a decision, and its `hookSpecificOutput`."""
    top, specific = encode_answer(decision, row, _FORMAT)
    if row is None:
        return top, specific
    effects, stance = decision.effects, decision.stance
    # The output of an MCP tool has a shape, and a key, of its own.
    is_mcp = event.tool.startswith("mcp__")
    specific.pop("updatedToolOutput" if is_mcp else "updatedMCPToolOutput", None)
    if stance > Stance.SILENT:
        specific.pop("worktreePath", None)
    if "content" in effects:
        answer = effects["content"] if stance < Stance.DENY else {}
        for key in ("action", "content"):
            specific.pop(key, None)
        specific |= answer
    if effects.get("defer") and stance <= Stance.ASK and "permissionDecision" in row.reads:
        specific["permissionDecision"] = "defer"
        specific |= {"permissionDecisionReason": decision.reason} if decision.reason else {}
    if "decision" in row.reads and stance < Stance.ALLOW:
        unsent = ["`updatedInput`"] if decision.rewrite is not None else []
        unsent += ["`updatedPermissions`"] if effects.get("grant") else []
        if unsent:
            note = f"without an allow, {' and '.join(unsent)} cannot be carried out here"
            top["systemMessage"] = "\n".join((*decision.for_user, note))
    if "terminal_sequence" in effects:
        top["terminalSequence"] = effects["terminal_sequence"]
    return top, specific


def _finish(
    top: dict[str, Any], specific: dict[str, Any], decision: Decision, row: EventRow | None
) -> Reply:
    reply = make_reply(top, specific, row)
    says_no = row is None or row.words or row.verdicts or "decision" in row.reads
    if decision.stance is not Stance.DENY or says_no:
        return reply
    stderr = f"{decision.reason}\n" if decision.reason else ""
    return reply.replace(stderr=stderr, exit_code=_REFUSED)
