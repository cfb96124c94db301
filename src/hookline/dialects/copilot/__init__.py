"""GitHub Copilot, its CLI and its cloud agent: hook files, policies, and the `hooks` of settings files.

Facts: docs/formats/comparison.md; docs/formats/copilot.md; docs/formats/comparison.md 12, 14. A camelCase key speaks Copilot's own words, a PascalCase key VS Code's.
"""

from __future__ import annotations

from hookline.core.failure import failed
from hookline.core.options import switch
from hookline.dialects.copilot.combine import combine
from hookline.dialects.copilot.encode_decision import encode_decision
from hookline.dialects.copilot.load import load
from hookline.dialects.copilot.payloads import event_of, payload_for
from hookline.dialects.copilot.table import NAME, TABLE, contract
from hookline.wire.payload import encode_wire_text

TYPE_CHECKING = False
if TYPE_CHECKING:
    from hookline.core.dialect import Declaration, Loaded, Source, Written
    from hookline.model.event import Event, Json
    from hookline.model.outcome import Outcome
    from hookline.model.reply import Reply
    from hookline.model.spec import HookSpec
    from hookline.model.verdict import Decision, Verdict

__all__ = ["NAME", "OPTIONS", "Copilot"]

OPTIONS = ("allow_local",)


class Copilot:
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
        return event_of(payload, native)

    def encode_event(self, event: Event, spec: HookSpec) -> str:
        return encode_wire_text(payload_for(event, spec), self.table)

    def decode_outcome(self, outcome: Outcome, spec: HookSpec, event: Event) -> Verdict:  # noqa: ARG002 - the protocol's
        from hookline.dialects.copilot.decode_outcome import decode_outcome  # noqa: PLC0415 - most events have no hook to read

        row = contract(spec.native_event)
        return decode_outcome(outcome, spec, row) if row else failed(spec, outcome)

    def encode_decision(self, decision: Decision, event: Event) -> Reply:
        row = contract(event.native_name) or self.table.row_of_kind(event.kind)
        return encode_decision(decision, row)

    def export(self, declarations: tuple[Declaration, ...]) -> Written:
        """Hooks as the file that this dialect keeps them in."""
        from hookline.dialects.copilot.export import export  # noqa: PLC0415 - only who converts a file needs it

        return export(declarations)
