"""Agent Hooks: one directory a hook, with a HOOK.md (front matter and text) and a script; in both spellings of its events.

Facts: docs/formats/agenthooks.md. The rows of `table` say what the events are, `findings` what lint and load make of a mistake.
"""

from __future__ import annotations

from hookline.core.failure import make_failed_verdict
from hookline.core.options import read_switch
from hookline.dialects.agenthooks.combine import combine
from hookline.dialects.agenthooks.decode_outcome import decode_outcome
from hookline.dialects.agenthooks.encode_decision import encode_decision
from hookline.dialects.agenthooks.frontmatter import body_of
from hookline.dialects.agenthooks.listing import available_hooks
from hookline.dialects.agenthooks.load import lint, load
from hookline.dialects.agenthooks.table import NAME, SETTINGS, table
from hookline.errors import ConfigError
from hookline.model.handler import Broken
from hookline.model.verdict import Stance
from hookline.wire.payload import decode, encode, encode_wire_text

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from hookline.core.dialect import Declaration, Loaded, Source, Written
    from hookline.model.event import Event, Json
    from hookline.model.outcome import Outcome
    from hookline.model.problem import Problem
    from hookline.model.reply import Reply
    from hookline.model.spec import HookSpec
    from hookline.model.verdict import Decision, Verdict

__all__ = ["NAME", "OPTIONS", "AgentHooks", "available_hooks", "lint"]

OPTIONS = ("approver", "unanswered")
_UNANSWERED: Mapping[str, Stance] = {"deny": Stance.DENY, "allow": Stance.SILENT}
_NAMES = {"native": "event_type", "session_id": "session_id", "cwd": "work_dir"}


class AgentHooks:
    """The dialect. `approver`: the host can ask a person. `unanswered`: what an ask is without one, `deny` or `allow`.

    Raises:
        ConfigError: another word for `unanswered`, or an `approver` that is neither true nor false.
    """

    def __init__(self, *, approver: bool = False, unanswered: str = "deny") -> None:
        if unanswered not in _UNANSWERED:
            raise ConfigError(
                f"unknown `unanswered: {unanswered}`",
                name="config.option",
                hint=f"one of {', '.join(_UNANSWERED)}",
            )
        self.table = table(
            approver=read_switch(NAME, "approver", approver), unanswered=_UNANSWERED[unanswered]
        )

    def load(self, source: Source) -> Loaded:
        return load(source, self.table)

    def lint(self, source: Source) -> tuple[Problem, ...]:
        """Every problem of a hook, by the format's strict rules (docs/formats/agenthooks.md 4)."""
        return lint(source)

    def combine(self, specs: tuple[HookSpec, ...]) -> Loaded:
        return combine(specs, self.table)

    def available_hooks(self, specs: Iterable[HookSpec]) -> str:
        """List the hooks that count for a model, in the order given: approved, not only observed, and able to run."""
        counting = (
            spec
            for spec in specs
            if spec.trusted and not spec.shadow and not isinstance(spec.handler, Broken)
        )
        return available_hooks(counting)

    def body_of(self, text: str, file: str) -> str:
        """The text of a HOOK.md below its front matter, which loading does not keep (docs/formats/agenthooks.md 13).

        Raises:
            ConfigError: the fences cannot be found.
        """
        return "" if file.endswith(SETTINGS) else body_of(text, file)

    def decode_event(self, payload: Json, native: str = "") -> Event:
        return decode(payload, self.table, native, _NAMES)

    def encode_event(self, event: Event, spec: HookSpec) -> str:
        """The payload, with the event in the spelling that the hook declared."""
        payload = encode(event, self.table, self.table.row(spec.native_event), spec.native_event)
        payload["context"] = payload["context"] or {}
        if isinstance(
            payload.get("final_message"), str
        ):  # other dialects keep the last message as a text
            payload["final_message"] = {"role": "assistant", "content": payload["final_message"]}
        return encode_wire_text(payload, self.table)

    def decode_outcome(self, outcome: Outcome, spec: HookSpec, event: Event) -> Verdict:
        row = self.table.row(spec.native_event)
        return (
            decode_outcome(
                outcome, spec, row, event, unanswered=self.table.ask_becomes or Stance.SILENT
            )
            if row is not None
            else make_failed_verdict(spec, outcome)
        )

    def encode_decision(self, decision: Decision, event: Event) -> Reply:  # noqa: ARG002 - the protocol's
        return encode_decision(decision)

    def export(self, declarations: tuple[Declaration, ...]) -> Written:
        """Hooks as the files that this dialect keeps them in."""
        from hookline.dialects.agenthooks.export import export  # noqa: PLC0415 - only who converts a file needs it

        return export(declarations)
