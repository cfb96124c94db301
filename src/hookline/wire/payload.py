"""Payloads: converts events to and from the objects of a dialect, by the rows of its table."""

from __future__ import annotations

import json
import re

from hookline.core.dialect import ABSENT, EventRow, Field, Table
from hookline.errors import CodecError, did_you_mean
from hookline.model import kinds
from hookline.model.event import Event, Lifecycle

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Any


# Escapes that a shell's `echo` would expand, in the form that it leaves alone (docs/architecture.md
# 4.8).
_ESCAPE = r'\\["\\bfnrt]'
_SURROGATE = "[\ud800-\udfff]"
_UNEXPANDED = {
    '\\"': "\\u0022", "\\\\": "\\u005c", "\\b": "\\u0008", "\\f": "\\u000c",
    "\\n": "\\u000a", "\\r": "\\u000d", "\\t": "\\u0009",
}  # fmt: skip


def encode_wire_text(payload: Mapping[str, Any], table: Table) -> str:
    """Return a payload as the one line that a handler receives, newline included.

    Raises:
        TypeError, ValueError, RecursionError: it contains a value that JSON cannot express (NaN and
            infinity included).
    """
    separators = (",", ":") if table.compact else (", ", ": ")
    text = json.dumps(
        payload, ensure_ascii=table.ascii_only, allow_nan=False, separators=separators
    )
    if table.echo_safe and "\\" in text:
        text = re.sub(_ESCAPE, lambda found: _UNEXPANDED[found.group()], text)
    if (
        not text.isascii()
    ):  # a lone surrogate is not UTF-8, and a guard must be able to read its payload
        text = re.sub(_SURROGATE, lambda found: f"\\u{ord(found.group()):04x}", text)
    return text + "\n"


def encode(event: Event, table: Table, row: EventRow | None, native: str) -> dict[str, Any]:
    """Return an event's payload: the dialect's base fields, the row's, then the host's others.

    Current values of the event (rewrites included) replace those that the host sent.
    """
    same_wire = event.dialect == table.name
    payload: dict[str, Any] = {}
    for field in (*table.base, *(row.fields if row else ())):
        value = _fact(event, field, native)
        if value is None:
            sent = event.raw.get(field.native, ABSENT) if same_wire else ABSENT
            value = sent if sent is not ABSENT else field.default
        if value is not ABSENT:
            payload[field.native] = value
    if same_wire:
        payload |= {key: value for key, value in event.raw.items() if key not in payload}
    return payload


def _fact(event: Event, field: Field, native: str) -> Any:
    match field.fact:
        case "@native":
            return native
        case "@session_id":
            return event.session_id or None
        case "@cwd":
            return event.cwd or None
        case "@raw":
            return None
        case fact:
            return event.body.value(fact)


def decode(payload: Any, table: Table, native: str, names: Mapping[str, str]) -> Event:
    """Return a host's payload as an event.

    `names`: event attribute -> payload key (`native`, `session_id`, `cwd`).

    An event unknown to the dialect becomes `x.<dialect>.<native>`, so that a newer host's events
    are only logged.

    Raises:
        CodecError: the payload is not an object, names no event, or has a field of the wrong type.
    """
    if not isinstance(payload, dict):
        raise CodecError(
            f"a {table.name} payload must be a JSON object", hint=f"it is {_shape(payload)}"
        )
    if not all(isinstance(key, str) for key in payload):
        raise CodecError(f"the keys of a {table.name} payload must be texts")
    native = native or _text(payload, names["native"], table)
    if not native:
        raise CodecError(
            f"the payload names no event: `{names['native']}` is missing", name="wire.event"
        )
    row = table.row(native)
    if row is None:
        kind, body = kinds.unknown_kind(table.name, native), Lifecycle(facts=dict(payload))
    else:
        kind, body = row.kind, _body(payload, row, table)
    return Event(
        kind=kind,
        dialect=table.name,
        native_name=native,
        session_id=_text(payload, names["session_id"], table),
        cwd=_text(payload, names["cwd"], table),
        body=body,
        raw=payload,
    )


def _body(payload: Mapping[str, Any], row: EventRow, table: Table) -> Any:
    known = row.body.__fields__
    given: dict[str, Any] = {}
    facts: dict[str, Any] = {}
    for field in (*table.base, *row.fields):
        if field.native not in payload or field.fact.startswith("@"):
            continue
        value = payload[field.native]
        (given if field.fact in known else facts)[field.fact] = value
    if "tool" in known and not isinstance(given.get("tool"), str):
        fields = (*table.base, *row.fields)
        native = next(field.native for field in fields if field.fact == "tool")
        raise CodecError(
            f"`{native}` of a {table.name} `{row.native}` payload must be text",
            hint=f"it is {_shape(given.get('tool'))}",
        )
    if "prompt" in known and not isinstance(given.get("prompt", ""), str):
        raise CodecError(f"the prompt of a {table.name} `{row.native}` payload must be text")
    return row.body(
        **{
            name: value
            for name, value in given.items()
            if value is not None or name not in row.body.__defaults__
        },
        facts=facts,
    )


def _text(payload: Mapping[str, Any], key: str, table: Table) -> str:
    value = payload.get(key)
    if value is None:
        return ""
    if not isinstance(value, str):
        raise CodecError(
            f"`{key}` of a {table.name} payload must be text", hint=f"it is {_shape(value)}"
        )
    return value


def _shape(value: Any) -> str:
    if value is None:
        return "missing or null"
    return {dict: "an object", list: "a list", str: "text", bool: "a boolean"}.get(
        type(value), "a number"
    )


def unknown_event_error(table: Table, native: str) -> CodecError:
    """Return the error for an event name that the dialect does not have."""
    hint = (
        did_you_mean(native, (*table.rows, *table.aliases))
        or f"its events: {', '.join(table.rows)}"
    )
    return CodecError(f"unknown event `{native}` of {table.name}", name="wire.event", hint=hint)


def copy_json(value: Any) -> Any:
    """Return a copy of a value with everything in it; of JSON far faster than `deepcopy`.

    Raises:
        RecursionError: it is too deep, or holds itself.
        TypeError: something in it cannot be copied.
    """
    if type(value) is dict:
        return {key: copy_json(part) for key, part in value.items()}
    if type(value) is list:
        return [copy_json(part) for part in value]
    if value is None or type(value) in _ATOMS:
        return value
    from copy import deepcopy  # noqa: PLC0415 - payloads are mostly JSON

    return deepcopy(value)


_ATOMS = frozenset({str, int, float, bool})
