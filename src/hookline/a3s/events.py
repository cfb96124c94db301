"""Events: what is fired and what a handler receives, by keys or by attributes."""

from __future__ import annotations

from typing import Any, ClassVar

from hookline.a3s.definitions import HookEventType
from hookline.dialects.a3s.table import TABLE
from hookline.errors import CodecError
from hookline.wire.json_reader import read_json
from hookline.wire.payload import unknown_event_error

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping


class Record(dict[str, Any]):
    """A JSON object: `args["file_path"]` is also `args.file_path`, unless dict has such a method.

    A missing field reads as None, so `args.timeout or 30000` works as in the document's examples.
    `_fields`: the fields that a class knows; any other raises AttributeError. None: any field, as
    in the arguments of a tool.
    """

    _fields: ClassVar[tuple[str, ...] | None] = None

    def __getattr__(self, name: str) -> Any:
        if name in self:
            return self[name]
        if not name.startswith("__") and (self._fields is None or name in self._fields):
            return None
        raise AttributeError(f"there is no `{name}`, only {', '.join(map(str, self)) or 'nothing'}")


class ToolResult(Record):
    _fields = ("success", "output", "exit_code", "duration_ms")


class TokenUsage(Record):
    _fields = ("prompt_tokens", "completion_tokens", "total_tokens")


class ToolCallInfo(Record):
    _fields = ("name", "args")


class Payload(Record):
    """What an event carries.

    A subclass is named after its event, whose row has the fields (docs/formats/a3s.md 2).
    """

    event_type: ClassVar[HookEventType]

    def __init_subclass__(cls) -> None:
        cls.event_type = HookEventType(cls.__name__.removesuffix("Event"))
        cls._fields = tuple(field.native for field in TABLE.rows[cls.event_type].fields)
        PAYLOADS[cls.event_type] = cls


PAYLOADS: dict[str, type[Payload]] = {}
# Parts of payloads that have a class of their own.
_PARTS: Mapping[str, type[Record]] = {
    "result": ToolResult,
    "usage": TokenUsage,
    "tool_calls": ToolCallInfo,
}


# fmt: off
class PreToolUseEvent(Payload): ...
class PostToolUseEvent(Payload): ...
class GenerateStartEvent(Payload): ...
class GenerateEndEvent(Payload): ...
class SessionStartEvent(Payload): ...
class SessionEndEvent(Payload): ...
class SkillLoadEvent(Payload): ...
class SkillUnloadEvent(Payload): ...
class PrePromptEvent(Payload): ...
class PostResponseEvent(Payload): ...
class OnErrorEvent(Payload): ...
class PermissionRequestEvent(Payload): ...
class PreCompactEvent(Payload): ...
class PostCompactEvent(Payload): ...
class PreContextPerceptionEvent(Payload): ...
class PostContextPerceptionEvent(Payload): ...
class OnSuccessEvent(Payload): ...
class PreMemoryRecallEvent(Payload): ...
class PostMemoryRecallEvent(Payload): ...
class PrePlanningEvent(Payload): ...
class PostPlanningEvent(Payload): ...
class PreReasoningEvent(Payload): ...
class PostReasoningEvent(Payload): ...
class OnRateLimitEvent(Payload): ...
class OnConfirmationEvent(Payload): ...
class IntentDetectionEvent(Payload): ...
class PreRunControlEvent(Payload): ...
class PostRunControlEvent(Payload): ...
# fmt: on


class HookEvent(Record):
    """One event of a3s: its type and its payload, as attributes or by key.

    Raises:
        CodecError: an unknown event type.
    """

    _fields = ("event_type", "payload")
    event_type: HookEventType

    def __init__(self, event_type: str, payload: Mapping[str, Any] | None = None) -> None:
        try:
            native = HookEventType(event_type)
        except ValueError:
            raise unknown_event_error(TABLE, event_type) from None
        if not isinstance(payload, Payload):
            payload = PAYLOADS[native](payload or {})
        super().__init__(event_type=native, payload=payload)

    @property
    def session_id(self) -> str:
        """Return the session; empty for events without one."""
        return str(self.payload.get("session_id", ""))

    @classmethod
    def copy_of(cls, event_type: str, payload: Mapping[str, Any]) -> HookEvent:
        """Return an event with a deep copy of a payload."""
        return cls(event_type, _copy(payload, PAYLOADS[event_type]))

    def copy(self) -> HookEvent:
        """Return a deep copy."""
        return HookEvent.copy_of(self.event_type, self.payload)

    @classmethod
    def of(cls, event: HookEvent | Payload | Mapping[str, Any] | str) -> HookEvent:
        """Return an event from any form: an event, a payload, a document, or JSON text.

        Raises:
            CodecError: it is not an event.
        """
        if isinstance(event, HookEvent):
            return event
        if isinstance(event, Payload):
            return cls(event.event_type, event)
        document = read_json(event) if isinstance(event, str) else event
        if isinstance(document, dict) and isinstance(document.get("event_type"), str):
            payload = document.get("payload", {})
            if isinstance(payload, dict):
                return cls(document["event_type"], payload)
        raise CodecError(
            "an event is an object with a text `event_type` and an object `payload`",
            name="wire.event",
        )


def _copy(value: Any, kind: type[Record]) -> Any:
    """Return a deep copy of a JSON value, whose objects are records.

    The value itself, or its items, of this class.
    """
    if isinstance(value, dict):
        return kind((key, _copy(part, _PARTS.get(key, Record))) for key, part in value.items())
    if isinstance(value, list | tuple):
        return [_copy(part, kind) for part in value]
    return value
