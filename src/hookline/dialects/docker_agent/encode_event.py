"""What a docker-agent hook is sent: what has a value and nothing else, so that a script may test for a key."""

from __future__ import annotations

from hookline.core.dialect import ABSENT
from hookline.dialects.docker_agent.table import TABLE
from hookline.wire.payload import encode

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from hookline.core.dialect import EventRow
    from hookline.model.event import Event
    from hookline.model.spec import HookSpec

_ALWAYS = frozenset({"session_id", "cwd", "hook_event_name"})
# Upstream sends these as soon as they are set: a tool that printed nothing, and a call that cost nothing.
_ALSO_EMPTY = frozenset({"tool_response", "cost"})


def encode_event(event: Event, spec: HookSpec, row: EventRow | None) -> dict[str, Any]:
    """Return the payload of a hook (docs/formats/docker-agent.md 4)."""
    if row is None:
        return encode(event, TABLE, None, spec.native_event)
    given = encode(event, TABLE, row, row.payload_name)
    response = given.get("tool_response", "")
    if response is None:
        given["tool_response"] = ""
    if "tool_error" in given:
        # Other hosts tell what went wrong, or say so in the response itself; these hooks learn whether something did.
        failed = isinstance(response, dict) and response.get("is_error") is True
        given["tool_error"] = bool(given["tool_error"]) or failed
    return {
        key: value
        for key, value in given.items()
        if key in _ALWAYS or (key not in row.withheld and _counts(key, value, row))
    }


def _counts(key: str, value: Any, row: EventRow) -> bool:
    """Whether a field says something: null never does, zero and false do but for upstream, which drops them (X5)."""
    if value is None or (key == "tool_input" and not isinstance(value, dict)):
        return False
    if value or key in _ALSO_EMPTY:
        return True
    if row.omits_zeros:
        return False
    return isinstance(value, int | float) or key == "tool_input" or key in _always_sent(row)


def _always_sent(row: EventRow) -> frozenset[str]:
    """Fields of which an empty text is a value: a tool that printed nothing, a sub-agent that failed."""
    return frozenset(field.native for field in row.fields if field.default is not ABSENT)
