"""Qwen Code: hooks in its `settings.json`, and in the `hooks/hooks.json` of its extensions.

Facts: docs/formats/comparison.md; docs/formats/qwen.md; docs/formats/comparison.md 12, 14.
"""

from __future__ import annotations

from hookline.core.failure import failed
from hookline.core.options import switch
from hookline.dialects.qwen.decode_event import decode_event
from hookline.dialects.qwen.encode_decision import encode_decision
from hookline.dialects.qwen.encode_event import encode_event
from hookline.dialects.qwen.load import combine, load
from hookline.dialects.qwen.table import NAME, TABLE

TYPE_CHECKING = False
if TYPE_CHECKING:
    from hookline.core.dialect import Declaration, Loaded, Source, Written
    from hookline.model.event import Event, Json
    from hookline.model.outcome import Outcome
    from hookline.model.reply import Reply
    from hookline.model.spec import HookSpec
    from hookline.model.verdict import Decision, Verdict

__all__ = ["NAME", "OPTIONS", "Qwen"]

OPTIONS = ("allow_local",)


class Qwen:
    """The dialect of Qwen Code. `allow_local`: HTTP hooks may be on this machine or in a private network.

    Raises:
        ConfigError: `allow_local` is neither true nor false.
    """

    def __init__(self, *, allow_local: bool = False) -> None:
        self.table = TABLE
        self.allow_local = switch(NAME, "allow_local", allow_local)

    def load(self, source: Source) -> Loaded:
        return load(source, allow_local=self.allow_local)

    def combine(self, specs: tuple[HookSpec, ...]) -> Loaded:
        return combine(specs)

    def decode_event(self, payload: Json, native: str = "") -> Event:
        return decode_event(payload, native)

    def encode_event(self, event: Event, spec: HookSpec) -> str:
        return encode_event(event, spec.native_event)

    def decode_outcome(self, outcome: Outcome, spec: HookSpec, event: Event) -> Verdict:
        from hookline.dialects.qwen.decode_outcome import decode_outcome  # noqa: PLC0415 - most events have no hook

        row = TABLE.row(spec.native_event)
        return decode_outcome(outcome, spec, row, event) if row else failed(spec, outcome)

    def encode_decision(self, decision: Decision, event: Event) -> Reply:
        row = TABLE.row(event.native_name) or self.table.row_of_kind(event.kind)
        return encode_decision(decision, TABLE.row(row.native) if row else None)

    def export(self, declarations: tuple[Declaration, ...]) -> Written:
        """Return the hooks as the file in which Qwen Code keeps them."""
        from hookline.dialects.qwen.export import export  # noqa: PLC0415 - only a conversion writes files

        return export(declarations)
