"""Shown: values of an event as a prompt shows them; none of these makes much more of a text than a prompt has room for."""

from __future__ import annotations

import json
from typing import Any

from jinja2.runtime import Undefined

from hookline.wire.template_parts import Inserted

# Characters of a text beyond which no prompt shows anything of it, and of one value in a prompt.
_LONGEST = 1 << 20
MOST_SHOWN = 64 << 10


def as_json(value: Any) -> str:
    """Any value as compact JSON, as far as a prompt shows anything of it."""
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


# What is no value of the payload has no JSON either.
_JSON = json.JSONEncoder(ensure_ascii=False, separators=(",", ":"), default=lambda _: None)


def truncated(first: Any, second: Any = 0) -> str:
    """A text of at most so many bytes, with `…` behind it where it was cut; number and text in any order. 0 cuts nothing."""
    most, value = (
        (first, second)
        if isinstance(first, int) and not isinstance(first, bool)
        else (second, first)
    )
    text = text_of(value)
    if (
        not isinstance(most, int)
        or most <= 0
        or len(raw := text.encode("utf-8", "replace")) <= most
    ):
        return text
    return raw[:most].decode("utf-8", "ignore") + "…"


def text_of(value: Any) -> str:
    """A value as a prompt shows it: texts as they stand, everything else as JSON."""
    if isinstance(value, Undefined) or value is None:
        return ""
    return str(_short(value)) if isinstance(value, str) else as_json(value)


def _short(value: Any) -> Any:
    return value[:_LONGEST] if isinstance(value, str) else value


def joined(values: Any, between: Any = "") -> str:
    """Several values behind each other, as far as a prompt shows anything of them; nothing where it is no list."""
    parts: list[str] = []
    gap, size = text_of(between), 0
    for value in values if isinstance(values, list | tuple | dict) else ():
        parts.append(text_of(value))
        size += len(parts[-1]) + len(gap)
        if size > _LONGEST:
            break
    return gap.join(parts)


def inserted(value: Any) -> Inserted:
    """A value where it is printed: a part of the prompt that is the event's, no longer than any prompt."""
    text = text_of(value)
    return Inserted(text[:MOST_SHOWN], missing=max(0, len(text) - MOST_SHOWN))
