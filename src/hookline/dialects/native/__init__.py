"""hookline's own dialect: canonical names on the wire, every power of a kind, `hookline.yaml`."""

from __future__ import annotations

import json

from hookline.core.dialect import EventRow, Table, column
from hookline.dialects.kit.dialect import CallingDialect
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
from hookline.model.tools import find_broader_kind, list_paths, mcp_parts
from hookline.model.verdict import Decision, Reply, Stance
from hookline.wire.payload import encode

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from hookline.model.spec import HookSpec

NAME = "hookline"
OPTIONS = ("allow_local",)

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
# What the engine knows of an event that can send the agent back (docs/architecture.md 4.12).
_COUNTS = ("stop_block_count", "stop_block_limit")


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
        fields=column(" ".join((*kind.payload, *(_COUNTS if kind.redo else ())))),
        subject="tool" if body is ToolCall else "",
        powers=kind.powers | {"note"} | answers,
        plain_context=kind.cls == "context" or (body is Prompt and "context" in kind.powers),
        parallel=False,
        blocks=Stance.DENY if "deny" in kind.powers else Stance.SILENT,
    )


def _list_covers() -> dict[str, tuple[str, ...]]:
    """Return each event about tools, and the narrower ones whose hooks it also selects."""
    covers: dict[str, tuple[str, ...]] = {}
    for name in kinds.NAMES:
        if broader := find_broader_kind(name):
            covers[broader[0]] = (*covers.get(broader[0], (broader[0],)), name)
    return covers


TABLE = Table(
    name=NAME,
    rows={name: _row(kinds.kind(name)) for name in kinds.NAMES},
    base=column("event=@native!null session_id=@session_id!text cwd=@cwd!text"),
    covers=_list_covers(),
    raises_facets=False,
    unknown_keys="file hook",
    refuses_unknown_keys=True,
    closes="on_failure=Stance.DENY",
)


class Native(CallingDialect):
    """Events by their canonical names; Python hooks, and those of `hookline.yaml`.

    `allow_local`: HTTP hooks may be on this machine or in a private network.
    """

    table = TABLE
    # Other hosts read no such file.
    export = None  # type: ignore[assignment]  # no export, where the base class has one

    def encode_payload(self, event: Event, spec: HookSpec, _row: EventRow | None) -> dict[str, Any]:
        payload = encode(event, self.table, self.row(spec.kind), spec.native_event)
        if spec.kind == event.kind:
            return payload
        # Of a narrower kind, the call that it is made of.
        server, _ = mcp_parts(event.tool, NAME) or ("", "")
        call = {
            "tool": event.tool,
            "input": event.input,
            "command": event.command,
            "path": next(list_paths(event.input), ""),
            "server": server,
        }
        return payload | {key: value for key, value in call.items() if value}

    def encode_decision(self, decision: Decision, event: Event) -> Reply:  # noqa: ARG002 - as above
        if not decision.verdicts and not decision.stance:
            return Reply()
        return Reply(stdout=json.dumps(decision.to_dict(), ensure_ascii=False) + "\n")
