"""Unheard: what is said of an event that its dialect does not have, so that a gate with a misspelt name never seems to be guarded."""

from __future__ import annotations

from hookline.engine.gone import missed
from hookline.engine.hushed import hushed, was_told
from hookline.engine.unsaid import NO_EVENT
from hookline.errors import CodecError
from hookline.model.kinds import kind, unknown
from hookline.model.verdict import Lowered
from hookline.wire.payload import unknown_event_error

TYPE_CHECKING = False
if TYPE_CHECKING:
    from hookline.engine.engine import Engine
    from hookline.model.event import Event
    from hookline.model.verdict import Decision

_NEWER = "a newer version of hookline may know it"


def heard(engine: Engine, event: Event, decision: Decision) -> Decision:
    """The decision, and what nobody heard at it: the file that switched hooks off, and an event that its dialect does not have.

    Where no hook was asked because a host's event is none of its dialect, an entry in `lowered` says so.

    The user is told once in a session, because a newer host may raise it again and again.

    Raises:
        CodecError: a strict hook stands at some gate, and nobody can say that this is not that gate.
    """
    decision = missed(engine, event, hushed(engine, event, decision))
    table = engine.host(event.dialect).table
    named = event.kind == unknown(event.dialect, event.native_name)
    if not named or table.row(event.native_name) is not None or engine.registry.of_kind(event.kind):
        return decision
    error = unknown_event_error(table, event.native_name)
    hint = error.hint if error.hint.startswith("did you mean") else _NEWER
    if any(entry.spec.strict and kind(entry.spec.kind).gate for entry in engine.registry.entries()):
        raise CodecError(
            f"{error.message}, which may be a gate, and in strict mode none is passed unasked",
            name=error.name,
            hint=hint,
        )
    words = f"{error.code} {error.message}, so no hook was asked ({hint})"
    decision = decision.replace(lowered=(*decision.lowered, Lowered(effect=NO_EVENT, reason=words)))
    return (
        decision
        if was_told(engine, event, f"unknown event {event.native_name}")
        else decision.replace(for_user=(*decision.for_user, f"hookline: {words}"))
    )
