"""Notices: what the user is told about an event beside what its hooks said."""

from __future__ import annotations

from hookline.engine.hushed import was_told
from hookline.engine.unsaid import NOT_ASKED
from hookline.model.handler import Command
from hookline.model.verdict import Lowered

TYPE_CHECKING = False
if TYPE_CHECKING:
    from hookline.engine.engine import Engine
    from hookline.model.event import Event
    from hookline.model.verdict import Decision


def note_folder(engine: Engine, event: Event, decision: Decision) -> Decision:
    """Return the decision with a notice that its hooks ran elsewhere because the event's folder does not exist."""
    specs = (engine._spec_of(verdict.hook_id) for verdict in decision.verdicts)
    handlers = [spec.handler for spec in specs if spec is not None]
    if not any(isinstance(each, Command) and not each.in_folder for each in handlers):
        return decision
    text = f"the working folder `{event.cwd}` does not exist, so hooks ran in `{event.folder}`"
    return add_notice(engine, event, decision, f"hookline: {text}")


def add_notice(engine: Engine, event: Event, decision: Decision, text: str) -> Decision:
    """Return the decision with a notice to the user, once a session.

    Where the event has no notices it is an entry of `lowered`.
    """
    if was_told(engine, event, text):
        return decision
    row = engine.host(event.dialect).table.row(event.native_name)
    if row is None or "note" in row.powers_on(event.tool):
        return decision.replace(for_user=(*decision.for_user, text))
    return decision.replace(lowered=(*decision.lowered, Lowered(effect=NOT_ASKED, reason=text)))
