"""Durations as docker-agent writes them: `1h30m`, `250ms`, or whole seconds."""

from __future__ import annotations

import re

TYPE_CHECKING = False
if TYPE_CHECKING:
    from hookline.wire.fields import Node

_UNITS = {"ns": 1e-9, "us": 1e-6, "µs": 1e-6, "ms": 1e-3, "s": 1.0, "m": 60.0, "h": 3600.0}
_PART = re.compile(r"(\d+(?:\.\d+)?)(ns|us|µs|ms|s|m|h)")
_LONGEST = 1e9  # seconds


def read_duration(node: Node, key: str) -> float | None:
    """Return the seconds under a key; None if it is missing, zero or wrong."""
    value = node.value.get(key)
    if value is None:
        return None
    seconds = _parse(value)
    if seconds is None or not 0 <= seconds <= _LONGEST:
        hint = "write it as in `30s`, `10m` or `1h30m`"
        node.complain("value.type", f"`{key}` is no duration: `{value!s:.40}`", key, hint=hint)
        return None
    return seconds or None


def _parse(value: object) -> float | None:
    if isinstance(value, int) and not isinstance(value, bool):
        return float(value)
    if not isinstance(value, str) or not re.fullmatch(rf"(?:{_PART.pattern})+|0", value):
        return None
    return sum(float(number) * _UNITS[unit] for number, unit in _PART.findall(value))
