"""OpenHands: hooks in `.openhands/hooks.json`.

Facts: docs/formats/comparison.md; docs/formats/openhands.md; docs/formats/comparison.md 12.
"""

from __future__ import annotations

from hookline.core.failure import failed
from hookline.dialects.openhands.decode_event import decode_event
from hookline.dialects.openhands.encode_decision import encode_decision
from hookline.dialects.openhands.encode_event import encode_event
from hookline.dialects.openhands.load import combine, load
from hookline.dialects.openhands.table import NAME, TABLE

TYPE_CHECKING = False
if TYPE_CHECKING:
    from hookline.core.dialect import Declaration, Loaded, Source, Written
    from hookline.model.event import Event, Json
    from hookline.model.outcome import Outcome
    from hookline.model.reply import Reply
    from hookline.model.spec import HookSpec
    from hookline.model.verdict import Decision, Verdict

__all__ = ["NAME", "OPTIONS", "OpenHands"]

OPTIONS: tuple[str, ...] = ()


class OpenHands:
    """The dialect of OpenHands. It has no options."""

    def __init__(self) -> None:
        self.table = TABLE

    def load(self, source: Source) -> Loaded:
        return load(source)

    def combine(self, specs: tuple[HookSpec, ...]) -> Loaded:
        return combine(specs)

    def decode_event(self, payload: Json, native: str = "") -> Event:
        return decode_event(payload, native)

    def encode_event(self, event: Event, spec: HookSpec) -> str:
        return encode_event(event, spec.native_event)

    def decode_outcome(self, outcome: Outcome, spec: HookSpec, event: Event) -> Verdict:  # noqa: ARG002 - the protocol's shape
        from hookline.dialects.openhands.decode_outcome import decode_outcome  # noqa: PLC0415 - most events have no hook

        row = TABLE.row(spec.native_event)
        return decode_outcome(outcome, spec, row) if row else failed(spec, outcome)

    def encode_decision(self, decision: Decision, event: Event) -> Reply:
        row = TABLE.row(event.native_name) or TABLE.row_of_kind(event.kind)
        return encode_decision(decision, row)

    def export(self, declarations: tuple[Declaration, ...]) -> Written:
        """Return the hooks as the file in which OpenHands keeps them."""
        from hookline.dialects.openhands.export import export  # noqa: PLC0415 - only a conversion writes files

        return export(declarations)
