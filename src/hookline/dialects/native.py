"""hookline's own dialect: canonical names on the wire, and every power that a kind has."""

from __future__ import annotations

import json

from hookline.core.dialect import EventRow, Loaded, Source, Table, column
from hookline.core.failure import make_failed_verdict
from hookline.dialects.kit.dialect import FolderDialect
from hookline.model import kinds
from hookline.model.event import (
    Body,
    Compaction,
    Event,
    Generation,
    Lifecycle,
    Message,
    Prompt,
    Stop,
    ToolCall,
)
from hookline.model.verdict import Decision, Outcome, Reply, Stance, Verdict
from hookline.wire.payload import encode

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from hookline.model.spec import HookSpec

NAME = "hookline"

# Which body a kind has follows from what it carries, in this order.
_BODIES: dict[str, type[Body]] = {
    "tool": ToolCall,
    "prompt": Prompt,
    "messages": Generation,
    "response": Generation,
    "summary": Compaction,
    "trigger": Compaction,
    "text": Message,
}


def _row(kind: kinds.Kind) -> EventRow:
    known = (body for fact, body in _BODIES.items() if fact in kind.payload)
    body = Stop if kind.redo else next(known, Lifecycle)
    # A program that reads a decision can act upon an ask or a denial on a gate that stops anything,
    # and where a session or an agent starts.
    is_answered = (kind.is_gate and not kind.feedback) or kind.cls == "context"
    answers = {"ask", "deny"} if is_answered else frozenset[str]()
    return EventRow(
        native=kind.name,
        kind=kind.name,
        body=body,
        fields=column(" ".join(kind.payload)),
        subject="tool" if body is ToolCall else "",
        powers=kind.powers | {"note"} | answers,
        parallel=False,
        blocks=Stance.DENY if "deny" in kind.powers else Stance.SILENT,
    )


class Native(FolderDialect):
    """Events by their canonical names.

    It has no files of its own yet; in-process hooks live here.
    """

    # No file declares its hooks.
    export = None  # type: ignore[assignment]  # no export, where the base class has one

    def __init__(self) -> None:
        super().__init__()
        self.table = Table(
            name=NAME,
            rows={name: _row(kinds.kind(name)) for name in kinds.NAMES},
            base=column("event=@native!null session_id=@session_id!text cwd=@cwd!text"),
            raises_facets=False,
            closes="on_failure=Stance.DENY",
        )

    def load(self, source: Source) -> Loaded:  # noqa: ARG002 - the protocol's
        return Loaded()

    def encode_payload(self, event: Event, spec: HookSpec, _row: EventRow | None) -> dict[str, Any]:
        return encode(event, self.table, self.row(spec.kind), event.kind)

    def decode_outcome(self, outcome: Outcome, spec: HookSpec, _event: Event) -> Verdict:
        return make_failed_verdict(spec, outcome)

    def encode_decision(self, decision: Decision, event: Event) -> Reply:  # noqa: ARG002 - as above
        if not decision.verdicts and not decision.stance:
            return Reply()
        return Reply(stdout=json.dumps(decision.to_dict(), ensure_ascii=False) + "\n")
