"""hookline's own dialect: canonical names on the wire, every power that a kind has, in-process hooks one after another."""

from __future__ import annotations

import json

from hookline.core.dialect import ABSENT, EventRow, Field, FoldRule, Loaded, Table
from hookline.core.failure import make_failed_verdict
from hookline.model import kinds
from hookline.model.event import Compaction, Generation, Lifecycle, Message, Prompt, Stop, ToolCall
from hookline.model.reply import Reply
from hookline.model.verdict import Stance
from hookline.wire.payload import decode, encode, encode_wire_text

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping

    from hookline.core.dialect import Source
    from hookline.model.event import Body, Event, Json
    from hookline.model.outcome import Outcome
    from hookline.model.spec import HookSpec
    from hookline.model.verdict import Decision, Verdict

NAME = "hookline"
OPTIONS: tuple[str, ...] = ()

# Which body a kind has follows from what it carries, in this order.
_BODIES: Mapping[str, type[Body]] = {
    "tool": ToolCall,
    "prompt": Prompt,
    "messages": Generation,
    "response": Generation,
    "summary": Compaction,
    "trigger": Compaction,
    "text": Message,
}
_BASE = (
    Field(native="event", fact="@native"),
    Field(native="session_id", fact="@session_id", default=""),
    Field(native="cwd", fact="@cwd", default=""),
)


# What a program that reads a decision can always act upon, where something is yet to happen.
_ANSWERS = frozenset({"ask", "deny"})


def _takes_answers(kind: kinds.Kind) -> bool:
    """Whether an ask or a denial means something: on a gate that stops anything, and where a session or an agent starts."""
    return (kind.is_gate and not kind.feedback) or kind.cls == "context"


def _row(kind: kinds.Kind) -> EventRow:
    body = (
        Stop
        if kind.redo
        else next((body for fact, body in _BODIES.items() if fact in kind.payload), Lifecycle)
    )
    blocks = Stance.DENY if "deny" in kind.powers else Stance.SILENT
    fields = tuple(Field(native=fact, fact=fact, default=ABSENT) for fact in kind.payload)
    subject = "tool" if body is ToolCall else ""
    return EventRow(
        native=kind.name,
        kind=kind.name,
        body=body,
        fields=fields,
        subject=subject,
        powers=kind.powers | {"note"} | (_ANSWERS if _takes_answers(kind) else frozenset()),
        parallel=False,
        blocks=blocks,
    )


class Native:
    """Events by their canonical names. It has no files of its own yet; in-process hooks live here."""

    def __init__(self) -> None:
        rows = {name: _row(kinds.kind(name)) for name in kinds.NAMES}
        self.table = Table(
            name=NAME,
            rows=rows,
            base=_BASE,
            fold=FoldRule(),
            raises_facets=False,
            closes="on_failure=Stance.DENY",
        )

    def load(self, source: Source) -> Loaded:  # noqa: ARG002 - the protocol's
        return Loaded()

    def combine(self, specs: tuple[HookSpec, ...]) -> Loaded:
        return Loaded(specs=specs)

    def decode_event(self, payload: Json, native: str = "") -> Event:
        return decode(
            payload,
            self.table,
            native,
            {"native": "event", "session_id": "session_id", "cwd": "cwd"},
        )

    def encode_event(self, event: Event, spec: HookSpec) -> str:
        return encode_wire_text(
            encode(event, self.table, self.table.row(spec.kind), event.kind), self.table
        )

    def decode_outcome(self, outcome: Outcome, spec: HookSpec, event: Event) -> Verdict:  # noqa: ARG002 - the protocol's
        return make_failed_verdict(spec, outcome)

    def encode_decision(self, decision: Decision, event: Event) -> Reply:  # noqa: ARG002 - the protocol's
        if not decision.verdicts and not decision.stance:
            return Reply()
        return Reply(stdout=json.dumps(decision.to_dict(), ensure_ascii=False) + "\n")
