"""Gemini CLI: hooks in its `settings.json`, and in the `hooks/hooks.json` of its extensions.

Facts: docs/formats/comparison.md; docs/formats/gemini.md; docs/formats/comparison.md 12, 14.
"""

from __future__ import annotations

from hookline.core.failure import failed
from hookline.dialects.gemini.combine import combine
from hookline.dialects.gemini.encode_decision import encode_decision
from hookline.dialects.gemini.load import load
from hookline.dialects.gemini.payloads import received, sent
from hookline.dialects.gemini.table import NAME, TABLE
from hookline.wire.payload import encode_wire_text

TYPE_CHECKING = False
if TYPE_CHECKING:
    from hookline.core.dialect import Declaration, Loaded, Source, Written
    from hookline.model.event import Event, Json
    from hookline.model.outcome import Outcome
    from hookline.model.reply import Reply
    from hookline.model.spec import HookSpec
    from hookline.model.verdict import Decision, Verdict

__all__ = ["NAME", "OPTIONS", "Gemini"]

OPTIONS: tuple[str, ...] = ()


class Gemini:
    """The dialect; it has no options."""

    def __init__(self) -> None:
        self.table = TABLE

    def load(self, source: Source) -> Loaded:
        return load(source)

    def combine(self, specs: tuple[HookSpec, ...]) -> Loaded:
        return combine(specs)

    def decode_event(self, payload: Json, native: str = "") -> Event:
        return received(payload, native)

    def encode_event(self, event: Event, spec: HookSpec) -> str:
        return encode_wire_text(
            sent(event, TABLE.row(spec.native_event), spec.native_event), self.table
        )

    def decode_outcome(self, outcome: Outcome, spec: HookSpec, event: Event) -> Verdict:  # noqa: ARG002 - the protocol's
        from hookline.dialects.gemini.decode_outcome import decode_outcome  # noqa: PLC0415 - most events have no hook to read

        row = TABLE.row(spec.native_event)
        return decode_outcome(outcome, spec, row) if row else failed(spec, outcome)

    def encode_decision(self, decision: Decision, event: Event) -> Reply:
        row = TABLE.row(event.native_name) or self.table.row_of_kind(event.kind)
        return encode_decision(decision, row)

    def export(self, declarations: tuple[Declaration, ...]) -> Written:
        """Hooks as the files that this dialect keeps them in."""
        from hookline.dialects.gemini.export import export  # noqa: PLC0415 - only who converts a file needs it

        return export(declarations)
