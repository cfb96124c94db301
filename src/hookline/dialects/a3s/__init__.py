"""a3s: definitions with handlers in this process, asked one after the other.

Facts: docs/formats/a3s.md. `hookline.a3s` is the API under its own names.
"""

from __future__ import annotations

import json

from hookline.core.dialect import EventRow, Loaded
from hookline.core.options import read_choice
from hookline.dialects.a3s.table import NAME, TABLE
from hookline.dialects.kit.dialect import FolderDialect
from hookline.errors import CodecError
from hookline.model.event import Event, ToolCall
from hookline.wire.payload import decode, encode

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from hookline.model.event import Json
    from hookline.model.spec import HookSpec

OPTIONS = ("invalid_regex",)


class A3S(FolderDialect):
    """The dialect.

    `invalid_regex="substring"` searches an invalid expression as plain text, for migration.

    Raises:
        ConfigError: another word for `invalid_regex`.
    """

    # Its hooks are functions of a program, so no file declares them.
    export = None  # type: ignore[assignment]  # no export, where the base class has one
    table = TABLE

    def __init__(self, *, invalid_regex: str = "refuse") -> None:
        chosen = read_choice(NAME, "invalid_regex", invalid_regex, ("refuse", "substring"))
        super().__init__(substring=chosen == "substring")

    def combine(self, specs: tuple[HookSpec, ...]) -> Loaded:
        """Return one definition for each id, the last one.

        Hooks of equal priority run by id (docs/formats/a3s.md 6).
        """
        by_id = {spec.name: spec for spec in specs}
        return Loaded(specs=tuple(by_id[name] for name in sorted(by_id)))

    def decode_event(self, payload: Json, native: str = "") -> Event:
        """Return a host's event: `{"event_type": "pre_tool_use", "payload": {...}}`.

        With `native` given, the document may be the payload alone.

        Raises:
            CodecError: not an object, no event named, or a field of the wrong type.
        """
        wrapped = isinstance(payload, dict) and "event_type" in payload
        named = native or (payload["event_type"] if wrapped else "")
        if not isinstance(named, str) or not named:
            raise CodecError(
                "an a3s event must be a JSON object whose `event_type` names the event",
                name="wire.event",
                hint='{"event_type": "pre_tool_use", "payload": {...}}',
            )
        row = TABLE.row(named)
        given = payload.get("payload", {}) if wrapped else payload
        keys = TABLE.attribute_keys()
        if row is not None and row.sessionless:
            # The session of a skill event is empty, whatever the host sent (docs/formats/a3s.md 2).
            keys = {**keys, "session_id": ""}
        return decode(given, TABLE, row.native if row else named, keys)

    def encode_payload(self, event: Event, spec: HookSpec, row: EventRow | None) -> dict[str, Any]:
        """Return the document of a hook's event."""
        payload = make_payload(event, row, spec.native_event)
        return {"event_type": spec.native_event, "payload": payload}


def make_payload(event: Event, row: EventRow | None, native: str) -> dict[str, Any]:
    """Return the payload of an event: what an a3s host sent, with rewritten arguments.

    Another host's event in a3s's fields.
    """
    if event.dialect != NAME:
        payload = encode(event, TABLE, row, native)
        if "result" in payload:
            payload["result"] = _describe_result(event, payload["result"])
        return payload
    payload = dict(event.raw)
    if isinstance(event.body, ToolCall) and ("args" in payload or event.body.input is not None):
        payload["args"] = event.body.input
    return payload


def _describe_result(event: Event, given: Json) -> dict[str, Any]:
    """Return what another host's tool returned, as a3s describes it."""
    if isinstance(given, dict) and "success" in given:
        return given
    error, seconds = event.body.value("error"), event.body.value("duration")
    output = error if given in (None, {}) else given
    if not isinstance(output, str):
        output = "" if output is None else json.dumps(output, ensure_ascii=False, default=str)
    timed = isinstance(seconds, int | float)
    return {
        "success": not error,
        "output": output,
        "duration_ms": round(seconds * TABLE.ticks_per_second) if timed else 0,
    }
