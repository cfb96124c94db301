"""What a docker-agent hook receives: the fields that have a value and no others, so that a script may test for a key."""

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
# Upstream sends these even when empty: a tool that printed nothing, and a call that cost nothing.
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
        # Other hosts describe the error, or flag it in the response; here it is true or false.
        flagged = isinstance(response, dict) and response.get("is_error") is True
        given["tool_error"] = bool(given["tool_error"]) or flagged
    kept = _ALWAYS | _ALSO_EMPTY
    if row.exact and row.native == "tool_response_transform":
        given.pop("tool_error", None)  # X9
    if not row.exact:
        # An empty value of these fields says something: a sub-agent that failed, a call without
        # arguments.
        kept |= {"tool_input", *(each.native for each in row.fields if each.default is not ABSENT)}
    if not isinstance(given.get("tool_input"), dict):
        given.pop("tool_input", None)
    return {
        key: value
        for key, value in given.items()
        # Upstream drops zeros and false (X5).
        if value
        or (key in kept and value is not None)
        or (isinstance(value, int | float) and not row.exact)
    }
