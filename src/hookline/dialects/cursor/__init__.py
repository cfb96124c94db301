"""Cursor: hooks in its `hooks.json`, of the organisation, the user and the project.

Facts: docs/formats/comparison.md; docs/formats/cursor.md; docs/formats/comparison.md 12, 14, and docs/formats/vocabulary.md 4.
"""

from __future__ import annotations

from hookline.core.dialect import Loaded
from hookline.core.failure import failed
from hookline.dialects.cursor.decode_event import received
from hookline.dialects.cursor.encode_decision import encode_decision
from hookline.dialects.cursor.load import load
from hookline.dialects.cursor.table import NAME, TABLE
from hookline.wire.payload import encode_wire_text

TYPE_CHECKING = False
if TYPE_CHECKING:
    from hookline.core.dialect import Declaration, Source, Written
    from hookline.model.event import Event, Json
    from hookline.model.outcome import Outcome
    from hookline.model.reply import Reply
    from hookline.model.spec import HookSpec
    from hookline.model.verdict import Decision, Verdict

__all__ = ["NAME", "OPTIONS", "Cursor"]

OPTIONS: tuple[str, ...] = ()


class Cursor:
    """The dialect; it has no options."""

    def __init__(self) -> None:
        self.table = TABLE

    def load(self, source: Source) -> Loaded:
        return load(source)

    def combine(self, specs: tuple[HookSpec, ...]) -> Loaded:
        return Loaded(specs=specs)

    def export(self, declarations: tuple[Declaration, ...]) -> Written:
        """Commands as a file of this dialect."""
        from hookline.dialects.cursor.export import export  # noqa: PLC0415 - only who converts a file needs it

        return export(declarations)

    def decode_event(self, payload: Json, native: str = "") -> Event:
        return received(payload, native)

    def encode_event(self, event: Event, spec: HookSpec) -> str:
        from hookline.dialects.cursor.encode_event import payload  # noqa: PLC0415 - most events have no hook to send them to

        return encode_wire_text(
            payload(event, self.table, TABLE.row(spec.native_event), spec.native_event), self.table
        )

    def decode_outcome(self, outcome: Outcome, spec: HookSpec, event: Event) -> Verdict:
        from hookline.dialects.cursor.decode_outcome import decode_outcome  # noqa: PLC0415 - as above

        row = TABLE.row(spec.native_event)
        return decode_outcome(outcome, spec, row, event) if row else failed(spec, outcome)

    def encode_decision(self, decision: Decision, event: Event) -> Reply:
        row = TABLE.row(event.native_name) or self.table.row_of_kind(event.kind)
        return encode_decision(decision, row)
