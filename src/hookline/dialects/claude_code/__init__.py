"""Claude Code: hooks in its settings files and in those of its plugins.

Facts: docs/formats/comparison.md; docs/formats/claude-code.md; docs/formats/comparison.md 14.
"""

from __future__ import annotations

from hookline.core.failure import failed
from hookline.core.options import switch
from hookline.dialects.claude_code.combine import combine
from hookline.dialects.claude_code.encode_decision import encode_decision
from hookline.dialects.claude_code.load import load
from hookline.dialects.claude_code.table import NAME, TABLE
from hookline.wire.payload import decode, encode, encode_wire_text

TYPE_CHECKING = False
if TYPE_CHECKING:
    from hookline.core.dialect import Declaration, EventRow, Loaded, Source, Written
    from hookline.model.event import Event, Json
    from hookline.model.outcome import Outcome
    from hookline.model.reply import Reply
    from hookline.model.spec import HookSpec
    from hookline.model.verdict import Decision, Verdict

__all__ = ["NAME", "OPTIONS", "ClaudeCode"]

OPTIONS = ("allow_local",)
_NAMES = {"native": "hook_event_name", "session_id": "session_id", "cwd": "cwd"}


class ClaudeCode:
    """The dialect. `allow_local`: HTTP hooks may be on this machine or in a private network.

    Raises:
        ConfigError: that is neither true nor false.
    """

    def __init__(self, *, allow_local: bool = False) -> None:
        self.table = TABLE
        self.allow_local = switch(NAME, "allow_local", allow_local)

    def load(self, source: Source) -> Loaded:
        return load(source, allow_local=self.allow_local)

    def combine(self, specs: tuple[HookSpec, ...]) -> Loaded:
        return combine(specs)

    def decode_event(self, payload: Json, native: str = "") -> Event:
        return decode(payload, self.table, native, _NAMES)

    def encode_event(self, event: Event, spec: HookSpec) -> str:
        return encode_wire_text(
            encode(event, self.table, TABLE.row(spec.native_event), spec.native_event), self.table
        )

    def decode_outcome(self, outcome: Outcome, spec: HookSpec, event: Event) -> Verdict:
        from hookline.dialects.claude_code.decode_outcome import decode_outcome  # noqa: PLC0415 - most events have no hook to read

        row = TABLE.row(spec.native_event)
        return decode_outcome(outcome, spec, row, event) if row else failed(spec, outcome)

    def encode_decision(self, decision: Decision, event: Event) -> Reply:
        return encode_decision(decision, event, self._contract(event))

    def encode_response(self, decision: Decision, event: Event) -> Reply:
        """A decision as what an HTTP hook answers (docs/formats/claude-code.md 4, 7)."""
        return encode_decision(decision, event, self._contract(event), called=True)

    def _contract(self, event: Event) -> EventRow | None:
        return TABLE.row(event.native_name) or TABLE.row_of_kind(event.kind)

    def export(self, declarations: tuple[Declaration, ...]) -> Written:
        """Hooks as the files that this dialect keeps them in."""
        from hookline.dialects.claude_code.export import export  # noqa: PLC0415 - only who converts a file needs it

        return export(declarations)
