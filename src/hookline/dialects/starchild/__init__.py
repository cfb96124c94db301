"""Starchild: the list of shell hooks in shell_hooks.yaml, for its twelve events. Hermes, of the same family, is below.

Facts: docs/formats/starchild.md. `table` says what the events are, `reading` what a hook meant, `showing` how a reason looks.
"""

from __future__ import annotations

from hookline.core.dialect import Loaded
from hookline.core.failure import make_failed_verdict
from hookline.core.options import read_switch
from hookline.dialects.starchild.decode_outcome import decode_outcome
from hookline.dialects.starchild.encode_decision import encode_decision
from hookline.dialects.starchild.load import load
from hookline.dialects.starchild.reason_card import Shown, shown
from hookline.dialects.starchild.table import NAME, table
from hookline.wire.payload import decode, encode, encode_wire_text

TYPE_CHECKING = False
if TYPE_CHECKING:
    from hookline.core.dialect import Declaration, EventRow, Source, Written
    from hookline.model.event import Event, Json
    from hookline.model.outcome import Outcome
    from hookline.model.reply import Reply
    from hookline.model.spec import HookSpec
    from hookline.model.verdict import Decision, Verdict

__all__ = ["NAME", "OPTIONS", "SWITCHES", "Shown", "Starchild", "shown"]

OPTIONS = ("approver", "allow_local", "shell_hooks")
# Variable -> the option that it switches on where it is `1` (docs/formats/starchild.md 6, 8).
SWITCHES = {
    "STARCHILD_SHELL_HOOKS_HTTP_ALLOW_LOCAL": "allow_local",
    "STARCHILD_SHELL_HOOKS": "shell_hooks",
}
_NAMES = {"native": "event", "session_id": "session_id", "cwd": "cwd"}


class Starchild:
    """The dialect. `approver`: the host can ask a person; without one, an ask is a block.

    `allow_local`: HTTP hooks may be on this machine or in a private network. `shell_hooks`: hooks are on where `agent.yaml`
    does not say.

    Raises:
        ConfigError: one of them is neither true nor false.
    """

    def __init__(
        self, *, approver: bool = False, allow_local: bool = False, shell_hooks: bool = False
    ) -> None:
        self.table = table(approver=read_switch(NAME, "approver", approver))
        self.allow_local = read_switch(NAME, "allow_local", allow_local)
        self.shell_hooks = read_switch(NAME, "shell_hooks", shell_hooks)

    def load(self, source: Source) -> Loaded:
        return load(source, self.table, allow_local=self.allow_local, by_default=self.shell_hooks)

    def combine(self, specs: tuple[HookSpec, ...]) -> Loaded:
        return Loaded(specs=specs)

    def decode_event(self, payload: Json, native: str = "") -> Event:
        return decode(payload, self.table, native, _NAMES)

    def encode_event(self, event: Event, spec: HookSpec) -> str:
        row = self.table.row(spec.native_event)
        return encode_wire_text(encode(event, self.table, row, spec.native_event), self.table)

    def decode_outcome(self, outcome: Outcome, spec: HookSpec, event: Event) -> Verdict:
        row = self._row(spec.native_event)
        return (
            decode_outcome(outcome, spec, row, event) if row else make_failed_verdict(spec, outcome)
        )

    def encode_decision(self, decision: Decision, event: Event) -> Reply:
        return encode_decision(decision, self._row(event.native_name), event)

    def _row(self, native: str) -> EventRow | None:
        return self.table.row(native)

    def export(self, declarations: tuple[Declaration, ...]) -> Written:
        """Hooks as the files that this dialect keeps them in."""
        from hookline.dialects.starchild.export import export  # noqa: PLC0415 - only who converts a file needs it

        return export(declarations)
