"""What a docker-agent hook is sent: what has a value and nothing else, so that a script may test for a key."""

from __future__ import annotations

import json

from hookline.wire.payload import encode

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from hookline.core.dialect import Table
    from hookline.dialects.docker_agent.table import Contract
    from hookline.model.event import Event

_ALWAYS = frozenset({"session_id", "cwd", "hook_event_name"})


def payload(event: Event, table: Table, row: Contract | None, native: str) -> dict[str, Any]:
    """The payload of a hook that is declared under `native` (docker-agent.md 4)."""
    if row is None:
        return encode(event, table, None, native)
    given = encode(event, table, row, row.payload_name)
    response = given.get("tool_response", "")
    if not isinstance(response, str):
        given["tool_response"] = (
            "" if response is None else json.dumps(response, ensure_ascii=False)
        )
    if (
        "tool_error" in given
    ):  # other hosts tell what went wrong, these hooks only whether something did
        given["tool_error"] = bool(given["tool_error"])
    return {
        key: value
        for key, value in given.items()
        if key in _ALWAYS or (key not in row.withheld and _counts(key, value, row))
    }


def _counts(key: str, value: Any, row: Contract) -> bool:
    """Whether a field says something: null never does, zero and false do but for upstream, which drops them (X5)."""
    if value is None or (key == "tool_input" and not isinstance(value, dict)):
        return False
    if value or key == "cost":  # a cost of 0 is a free call, for upstream as well
        return True
    if row.omits_zeros:
        return False
    return isinstance(value, int | float) or key == "tool_input" or key in row.always_sent
