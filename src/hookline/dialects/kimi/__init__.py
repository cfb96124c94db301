"""Kimi CLI: `[[hooks]]` in the user's config.toml, in its older edition and in the newer one, Kimi Code.

Facts: `kimi.md`; of the processes, docs/formats/agenthooks.md 10.
"""

from __future__ import annotations

from hookline.core.failure import make_failed_verdict
from hookline.dialects.kimi.decode_outcome import decode_outcome
from hookline.dialects.kimi.encode_decision import encode_decision
from hookline.dialects.kimi.encode_event import payload, text_of
from hookline.dialects.kimi.load import combine, load
from hookline.dialects.kimi.table import NAME, TABLE
from hookline.wire.payload import decode, encode_wire_text

TYPE_CHECKING = False
if TYPE_CHECKING:
    from hookline.core.dialect import Declaration, Loaded, Source, Written
    from hookline.model.event import Event, Json
    from hookline.model.outcome import Outcome
    from hookline.model.reply import Reply
    from hookline.model.spec import HookSpec
    from hookline.model.verdict import Decision, Verdict

__all__ = ["NAME", "OPTIONS", "Kimi"]

OPTIONS: tuple[str, ...] = ()
_NAMES = {"native": "hook_event_name", "session_id": "session_id", "cwd": "cwd"}


class Kimi:
    """The dialect; it has no options."""

    def __init__(self) -> None:
        self.table = TABLE

    def load(self, source: Source) -> Loaded:
        return load(source)

    def combine(self, specs: tuple[HookSpec, ...]) -> Loaded:
        return combine(specs)

    def export(self, declarations: tuple[Declaration, ...]) -> Written:
        """Hooks as the files that this dialect keeps them in."""
        from hookline.dialects.kimi.export import export  # noqa: PLC0415 - only who converts a file needs it

        return export(declarations)

    def decode_event(self, payload: Json, native: str = "") -> Event:
        if not isinstance(payload, dict) or not isinstance(payload.get("prompt"), list):
            return decode(payload, self.table, native, _NAMES)
        # A prompt may come as a list of parts; hooks and matchers see its text (docs/formats/kimi.md 2).
        plain = {**payload, "prompt": text_of(payload["prompt"])}
        return decode(plain, self.table, native, _NAMES).replace(raw=payload)

    def encode_event(self, event: Event, spec: HookSpec) -> str:
        return encode_wire_text(
            payload(event, self.table, TABLE.row(spec.native_event), spec.native_event), self.table
        )

    def decode_outcome(self, outcome: Outcome, spec: HookSpec, event: Event) -> Verdict:
        row = TABLE.row(spec.native_event)
        return (
            decode_outcome(outcome, spec, row, event) if row else make_failed_verdict(spec, outcome)
        )

    def encode_decision(self, decision: Decision, event: Event) -> Reply:
        return encode_decision(
            decision, TABLE.row(event.native_name) or self.table.row_of_kind(event.kind)
        )
