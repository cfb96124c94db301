"""Hermes: the shell hooks in its config.yaml. Of Starchild's family, with its own words, timeouts and meanings.

Facts: docs/formats/hermes.md.
"""

from __future__ import annotations

from hookline.core.dialect import Loaded
from hookline.core.failure import make_failed_verdict
from hookline.core.options import read_switch
from hookline.dialects.starchild.hermes.consent import accept, approves_nothing, switched_off
from hookline.dialects.starchild.hermes.decode_outcome import decode_outcome
from hookline.dialects.starchild.hermes.encode_decision import encode_decision
from hookline.dialects.starchild.hermes.load import load
from hookline.dialects.starchild.hermes.payload import event_of, payload_of
from hookline.dialects.starchild.hermes.table import NAME, table
from hookline.wire.payload import encode_wire_text

TYPE_CHECKING = False
if TYPE_CHECKING:
    from hookline.core.dialect import Declaration, EventRow, Source, Written
    from hookline.model.event import Event, Json
    from hookline.model.outcome import Outcome
    from hookline.model.reply import Reply
    from hookline.model.spec import HookSpec
    from hookline.model.verdict import Decision, Verdict

__all__ = ["NAME", "OPTIONS", "SWITCHES", "SWITCH_WORDS", "Hermes"]

OPTIONS = ("approver", "safe_mode", "accept_hooks", "exact")
# Variable -> the option that it switches on where it is one of these words (docs/formats/hermes.md, consent).
SWITCHES = {"HERMES_SAFE_MODE": "safe_mode", "HERMES_ACCEPT_HOOKS": "accept_hooks"}
SWITCH_WORDS = ("1", "true", "yes", "on")


class Hermes:
    """The dialect. `approver`: the host can ask a person; without one, what is to be approved is refused.

    `safe_mode`: no hook of Hermes runs. `accept_hooks`: Hermes itself would run hooks without asking. hookline only reports
    that, because a variable that an agent can set must not approve anything. `exact`: what Hermes accepts runs without an
    approval, for comparing with Hermes; no variable and no file switches that on.

    Raises:
        ConfigError: one of them is neither true nor false.
    """

    def __init__(
        self,
        *,
        approver: bool = False,
        safe_mode: bool = False,
        accept_hooks: bool = False,
        exact: bool = False,
    ) -> None:
        self.table = table(approver=read_switch(NAME, "approver", approver))
        self.safe_mode = read_switch(NAME, "safe_mode", safe_mode)
        self.accept_hooks = read_switch(NAME, "accept_hooks", accept_hooks)
        self.exact = read_switch(NAME, "exact", exact)

    def load(self, source: Source) -> Loaded:
        loaded = load(source, self.table, exact=self.exact)
        if not (self.accept_hooks and loaded.specs):
            return loaded
        if self.exact:
            return accept(loaded)
        return loaded.replace(
            problems=(*loaded.problems, approves_nothing("HERMES_ACCEPT_HOOKS", loaded.specs))
        )

    def combine(self, specs: tuple[HookSpec, ...]) -> Loaded:
        if not (self.safe_mode and specs):
            return Loaded(specs=specs)
        return Loaded(problems=(switched_off(specs),))

    def decode_event(self, payload: Json, native: str = "") -> Event:
        return event_of(payload, self.table, native)

    def encode_event(self, event: Event, spec: HookSpec) -> str:
        return encode_wire_text(
            payload_of(event, self.table, self._row(spec.native_event), spec.native_event),
            self.table,
        )

    def decode_outcome(self, outcome: Outcome, spec: HookSpec, event: Event) -> Verdict:  # noqa: ARG002 - the protocol's
        row = self._row(spec.native_event)
        return decode_outcome(outcome, spec, row) if row else make_failed_verdict(spec, outcome)

    def encode_decision(self, decision: Decision, event: Event) -> Reply:
        return encode_decision(decision, self._row(event.native_name))

    def _row(self, native: str) -> EventRow | None:
        return self.table.row(native)

    def export(self, declarations: tuple[Declaration, ...]) -> Written:
        """Hooks as the files that this dialect keeps them in."""
        from hookline.dialects.starchild.hermes.export import export  # noqa: PLC0415 - only who converts a file needs it

        return export(declarations)
