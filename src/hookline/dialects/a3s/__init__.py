"""a3s: definitions with handlers in this process, asked one after the other; Continue, Block, Retry or Skip.

Facts: docs/formats/a3s.md. The rows of `table` say what the events are; `hookline.a3s` is the API under its own names.
"""

from __future__ import annotations

from hookline.core.dialect import Loaded
from hookline.dialects.a3s.decode_outcome import decode_outcome, nobody
from hookline.dialects.a3s.encode_decision import HookResult, result_of
from hookline.dialects.a3s.load import load
from hookline.dialects.a3s.payload import document, event_of
from hookline.dialects.a3s.response import HookResponse
from hookline.dialects.a3s.table import NAME, TABLE
from hookline.errors import ConfigError
from hookline.model.reply import Reply
from hookline.wire.hookoutput import to_json_line
from hookline.wire.payload import encode_wire_text

TYPE_CHECKING = False
if TYPE_CHECKING:
    from hookline.core.dialect import Source
    from hookline.model.event import Event, Json
    from hookline.model.outcome import Outcome
    from hookline.model.spec import HookSpec
    from hookline.model.verdict import Decision, Verdict

__all__ = [
    "A3S",
    "NAME",
    "OPTIONS",
    "HookResponse",
    "HookResult",
    "document",
    "nobody",
    "result_of",
]

OPTIONS = ("invalid_regex",)
_INVALID_REGEX = ("refuse", "substring")


class A3S:
    """The dialect. `invalid_regex="substring"` searches an invalid expression as plain text, for migration."""

    def __init__(self, *, invalid_regex: str = "refuse") -> None:
        if invalid_regex not in _INVALID_REGEX:
            hint = f"one of {', '.join(_INVALID_REGEX)}"
            raise ConfigError(
                f"unknown `invalid_regex: {invalid_regex}` of {NAME}",
                name="config.option",
                hint=hint,
            )
        self.table = TABLE
        self.substring = invalid_regex == "substring"

    def load(self, source: Source) -> Loaded:
        return load(source, substring=self.substring)

    def combine(self, specs: tuple[HookSpec, ...]) -> Loaded:
        """A later definition replaces an earlier one of its id; hooks of equal priority run by id (docs/formats/a3s.md 6)."""
        by_id = {spec.name: spec for spec in specs}
        return Loaded(specs=tuple(by_id[name] for name in sorted(by_id)))

    def decode_event(self, payload: Json, native: str = "") -> Event:
        return event_of(payload, native)

    def encode_event(self, event: Event, spec: HookSpec) -> str:
        return encode_wire_text(document(event, spec.native_event), self.table)

    def decode_outcome(self, outcome: Outcome, spec: HookSpec, event: Event) -> Verdict:  # noqa: ARG002 - the protocol's
        return decode_outcome(outcome, spec)

    def encode_decision(self, decision: Decision, event: Event) -> Reply:  # noqa: ARG002 - the protocol's
        """The result as JSON; nothing for a Continue that says nothing more."""
        result = result_of(decision).to_dict()
        return Reply(stdout=to_json_line(result) if result != {"action": "Continue"} else "")
