"""Claude Code: hooks in its settings files and in those of its plugins (docs/formats/claude-code.md)."""

from __future__ import annotations

from hookline.core.options import read_switch
from hookline.dialects.claude_code.table import NAME, TABLE
from hookline.dialects.kit.dialect import FolderDialect

TYPE_CHECKING = False
if TYPE_CHECKING:
    from hookline.model.event import Event
    from hookline.model.verdict import Decision, Reply

__all__ = ["NAME", "OPTIONS", "ClaudeCode"]

OPTIONS = ("allow_local",)


class ClaudeCode(FolderDialect):
    """The dialect. `allow_local`: HTTP hooks may be on this machine or in a private network.

    Raises:
        ConfigError: `allow_local` is neither true nor false.
    """

    def __init__(self, *, allow_local: bool = False) -> None:
        local = read_switch(NAME, "allow_local", allow_local)
        super().__init__(__name__, TABLE, "combine", allow_local=local)

    def encode_response(self, decision: Decision, event: Event) -> Reply:
        """Return a decision as what an HTTP hook answers (docs/formats/claude-code.md 4)."""
        row = self.row(event.native_name) or self.table.row_of_kind(event.kind)
        reply: Reply = self._function("encode_decision")(decision, event, row, called=True)
        return reply
