"""Template values: how a prompt shows the values of an event, each bounded in length."""

from __future__ import annotations

import json
from typing import Any

from jinja2.runtime import Undefined

from hookline.wire.template_parts import Inserted

# The most characters of a text that any prompt uses, and the most of one value in a prompt.
_LONGEST = 1 << 20
MOST_SHOWN = 64 << 10


def to_json(value: Any) -> str:
    """Return a value as compact JSON, cut to what a prompt can show."""
    if isinstance(value, Undefined):
        return "null"
    parts: list[str] = []
    size = 0
    for part in _JSON.iterencode(_short(value)):
        parts.append(part)
        size += len(part)
        if size > _LONGEST:
            break
    return "".join(parts)


# Values that are not from the payload become null.
_JSON = json.JSONEncoder(ensure_ascii=False, separators=(",", ":"), default=lambda _: None)


def truncate(first: Any, second: Any = 0) -> str:
    """Cut a text to a number of bytes and append `…`; takes number and text in any order. 0 cuts nothing."""
    most, value = (
        (first, second)
        if isinstance(first, int) and not isinstance(first, bool)
        else (second, first)
    )
    text = to_text(value)
    if (
        not isinstance(most, int)
        or most <= 0
        or len(raw := text.encode("utf-8", "replace")) <= most
    ):
        return text
    return raw[:most].decode("utf-8", "ignore") + "…"


def to_text(value: Any) -> str:
    """Return a value as a prompt shows it: texts as they are, everything else as JSON."""
    if isinstance(value, Undefined) or value is None:
        return ""
    return str(_short(value)) if isinstance(value, str) else to_json(value)


def _short(value: Any) -> Any:
    return value[:_LONGEST] if isinstance(value, str) else value


def join_values(values: Any, between: Any = "") -> str:
    """Join a list of values, cut to what a prompt can show; empty if it is not a list."""
    parts: list[str] = []
    gap, size = to_text(between), 0
    for value in values if isinstance(values, list | tuple | dict) else ():
        parts.append(to_text(value))
        size += len(parts[-1]) + len(gap)
        if size > _LONGEST:
            break
    return gap.join(parts)


def mark_inserted(value: Any) -> Inserted:
    """Mark a printed value as a part of the prompt that comes from the event; cut it to the longest that a prompt may show."""
    text = to_text(value)
    return Inserted(text[:MOST_SHOWN], missing=max(0, len(text) - MOST_SHOWN))
