"""HookEvent: what is fired, and what a handler receives; `event.payload.args["file_path"]`."""

from __future__ import annotations

import json

from hookline.a3s.definitions import HookEventType
from hookline.a3s.payloads import PAYLOADS, Payload, copy_json
from hookline.dialects.a3s.payload import document
from hookline.dialects.a3s.table import TABLE
from hookline.errors import CodecError
from hookline.wire.payload import unknown_event_error

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Any

    from hookline.model.event import Event


class HookEvent:
    """One event of a3s. Its two parts are read as attributes or by key; the payload likewise.

    Raises:
        CodecError: an unknown event type.
    """

    __slots__ = ("_owner", "_payload", "event_type")

    def __init__(
        self, event_type: HookEventType | str, payload: Mapping[str, Any] | None = None
    ) -> None:
        try:
            self.event_type = HookEventType(event_type)
        except ValueError:
            raise unknown_event_error(TABLE, str(event_type)) from None
        self._owner: Event | None = None
        self._payload = (
            payload if isinstance(payload, Payload) else PAYLOADS[self.event_type](payload or {})
        )

    @classmethod
    def lent(cls, event: Event, native: str) -> HookEvent:
        """Return the event for a handler: its payload is a copy, made on first access."""
        given = cls.__new__(cls)
        given.event_type = HookEventType(native)
        given._owner = event
        return given

    @property
    def payload(self) -> Any:
        """Return what the event carries: a `Payload` of the event's class."""
        if self._owner is not None:
            owner, self._owner = self._owner, None
            self._payload = copy_json(
                document(owner, self.event_type)["payload"], PAYLOADS[self.event_type]
            )
        return self._payload

    def __getitem__(self, key: str) -> Any:
        if key in ("event_type", "payload"):
            return getattr(self, key)
        raise KeyError(key)

    @property
    def session_id(self) -> str:
        """Return the session; empty for events without one."""
        return str(self.payload.get("session_id", ""))

    @classmethod
    def of(cls, event: HookEvent | Payload | Mapping[str, Any] | str) -> HookEvent:
        """Return an event from any form: an event, a payload of a class of its own, a document, or JSON text.

        Raises:
            CodecError: it is not an event.
        """
        if isinstance(event, HookEvent):
            return event
        if isinstance(event, Payload):
            return cls(event.event_type, event)
        if isinstance(event, str):
            return cls.from_json(event)
        payload = event.get("payload", {})
        if not isinstance(event.get("event_type"), str) or not isinstance(payload, dict):
            raise CodecError(
                "an event is an object with a text `event_type` and an object `payload`",
                name="wire.event",
            )
        return cls(event["event_type"], payload)

    @classmethod
    def from_json(cls, text: str) -> HookEvent:
        """Return an event from JSON text.

        Raises:
            CodecError: it is not JSON, or not an event.
        """
        try:
            parsed = json.loads(text)
        except (ValueError, RecursionError) as error:
            raise CodecError(f"an event is no JSON: {error}") from None
        if not isinstance(parsed, dict):
            raise CodecError("an event is a JSON object")
        return cls.of(parsed)

    def to_dict(self, *, pascal: bool = False) -> dict[str, Any]:
        """Return the event as a document; its type in snake_case, or as the document's members are spelled (`PreToolUse`)."""
        return {
            "event_type": self.event_type.name if pascal else str(self.event_type),
            "payload": dict(self.payload),
        }

    def to_json(self, *, pascal: bool = False) -> str:
        return json.dumps(self.to_dict(pascal=pascal), ensure_ascii=False)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, HookEvent) and other.to_dict() == self.to_dict()

    __hash__ = None  # type: ignore[assignment]  # its payload can change

    def __repr__(self) -> str:
        return f"HookEvent({self.event_type.name}, {dict(self.payload)!r})"
