"""Cline: hook scripts in folders, where the name of a file is its event.

Facts: docs/formats/comparison.md; docs/formats/cline.md; docs/formats/comparison.md 12. Two programs run such files: the VS Code extension, and the newer command
line program, which sends more in its payload and reads more from an answer. One dialect serves both.
"""

from __future__ import annotations

from hookline.core.dialect import Loaded
from hookline.core.failure import make_failed_verdict
from hookline.dialects.cline.decode_event import decode_event
from hookline.dialects.cline.encode_decision import encode_decision
from hookline.dialects.cline.encode_event import encode_event
from hookline.dialects.cline.load import load
from hookline.dialects.cline.table import NAME, TABLE

TYPE_CHECKING = False
if TYPE_CHECKING:
    from hookline.core.dialect import Declaration, Source, Written
    from hookline.model.event import Event, Json
    from hookline.model.outcome import Outcome
    from hookline.model.reply import Reply
    from hookline.model.spec import HookSpec
    from hookline.model.verdict import Decision, Verdict

__all__ = ["NAME", "OPTIONS", "Cline"]

OPTIONS: tuple[str, ...] = ()


class Cline:
    """The dialect of Cline. It has no options."""

    def __init__(self) -> None:
        self.table = TABLE

    def load(self, source: Source) -> Loaded:
        return load(source)

    def combine(self, specs: tuple[HookSpec, ...]) -> Loaded:
        return Loaded(specs=specs)

    def decode_event(self, payload: Json, native: str = "") -> Event:
        return decode_event(payload, native)

    def encode_event(self, event: Event, spec: HookSpec) -> str:
        return encode_event(event, spec)

    def decode_outcome(self, outcome: Outcome, spec: HookSpec, event: Event) -> Verdict:
        from hookline.dialects.cline.decode_outcome import decode_outcome  # noqa: PLC0415 - most events have no hook

        row = TABLE.row(spec.native_event)
        return (
            decode_outcome(outcome, spec, row, event) if row else make_failed_verdict(spec, outcome)
        )

    def encode_decision(self, decision: Decision, event: Event) -> Reply:
        row = TABLE.row(event.native_name) or TABLE.row_of_kind(event.kind)
        return encode_decision(decision, row)

    def export(self, declarations: tuple[Declaration, ...]) -> Written:
        """Return the hooks as the files in which Cline keeps them."""
        from hookline.dialects.cline.export import export  # noqa: PLC0415 - only a conversion writes files

        return export(declarations)
