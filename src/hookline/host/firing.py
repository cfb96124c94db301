"""Firing: raises the events of a session, and shows what its hooks say to the person."""

from __future__ import annotations

from hookline.host.updates import Update

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from hookline.engine.engine import Engine
    from hookline.host.session import Session
    from hookline.host.updates import Face
    from hookline.model.verdict import Decision

DIALECT = "docker-agent"


def use_host_dialect(engine: Engine) -> Engine:
    """Return an engine to which this host speaks as docker-agent, and obeys a refused stop."""
    engine.loader.dialects.make_host(DIALECT, {"gates_stop": True})
    return engine


class HostEvents:
    """Fires the events of one session at the engine, as docker-agent's runtime names them."""

    def __init__(self, engine: Engine, face: Face, session: Session) -> None:
        self._engine = engine
        self._face = face
        self._session = session

    async def fire(self, event: str, *, agent: str = "", **facts: Any) -> Decision:
        """Fire an event for the session's agent, and show what its hooks tell the person.

        `agent`: another agent, whose hooks it is for. `facts`: the fields of its payload.
        """
        session = self._session
        payload = {
            "session_id": session.id,
            "cwd": session.cwd,
            "hook_event_name": event.partition(":")[0],
            "agent_name": agent or session.agent,
            **facts,
        }
        decision = await self._engine.fire_async(event, payload, dialect=DIALECT)
        name = payload["hook_event_name"]
        for text in (*decision.for_user, *decision.warnings):
            self.show("hook.note", event=name, text=text)
        if not decision.allowed:
            self.show("hook.blocked", event=name, reason=decision.reason, hook=decision.decider)
        return decision

    def show(self, kind: str, **facts: Any) -> None:
        """Show an update of this session."""
        session = self._session
        self._face.show(Update(kind=kind, session_id=session.id, agent=session.agent, facts=facts))

    async def notify(self, level: str, text: str, *, also: str = "") -> None:
        """Tell person and hooks of a warning or an error; `also`: the event of its own kind."""
        self.show("notice", level=level, text=text)
        facts = {"notification_level": level, "notification_message": text}
        await self.fire("notification", **facts)
        if also:
            await self.fire(also, **facts)

    async def notify_error(self, text: str) -> None:
        """Tell person and hooks of an error."""
        await self.notify("error", text, also="on_error")

    async def fire_switch(
        self, before: str, after: str, kind: str, models: list[dict[str, str]]
    ) -> None:
        """Fire that another agent takes over, at the hooks of the one before; `models`: its own."""
        self.show("agent.switched", switch=kind, **{"from": before, "to": after})
        await self.fire(
            "on_agent_switch",
            agent=before,
            from_agent=before,
            to_agent=after,
            agent_switch_kind=kind,
            from_agent_models=models,
        )
