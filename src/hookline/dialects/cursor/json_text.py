"""JSON as text: what Cursor packs into strings, opened for others and closed again for its own hooks (docs/formats/cursor.md 7)."""

from __future__ import annotations

import json

from hookline.errors import CodecError
from hookline.wire.json_reader import read_json

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any


def opened(text: str) -> Any:
    """The object or list that a text holds; the text itself where it holds neither, as the output of a program does."""
    if not text.lstrip().startswith(("{", "[")):
        return text
    try:
        value = read_json(text)
    except CodecError:
        return text
    return value if isinstance(value, dict | list) else text


def closed(value: Any, sent: Any) -> str:
    """A value as text: what the host sent where that still says the same, else JSON without blanks.

    Raises:
        TypeError, ValueError, RecursionError: JSON cannot say it.
    """
    if isinstance(value, str):
        return value
    if isinstance(sent, str) and opened(sent) == value:
        return sent
    return json.dumps(value, ensure_ascii=False, allow_nan=False, separators=(",", ":"))
