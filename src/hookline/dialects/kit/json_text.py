"""Values that a host sends as JSON inside a text, such as the arguments of a tool."""

from __future__ import annotations

import json

from hookline.errors import CodecError
from hookline.wire.json_reader import read_json

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any


def open_json(text: Any) -> Any:
    """Return the object or list that a text holds.

    Any other text (a patch, an output), and what is no text, as it is.
    """
    if not isinstance(text, str) or not text.lstrip().startswith(("{", "[")):
        return text
    try:
        return read_json(text)
    except CodecError:
        return text


def close_json(value: Any, sent: Any = None) -> str:
    """Return a value as text: what the host sent, if that still has this value.

    Else JSON without blanks.

    Raises:
        TypeError, ValueError, RecursionError: JSON cannot express the value.
    """
    if isinstance(value, str):
        return value
    if isinstance(sent, str) and open_json(sent) == value:
        return sent
    return json.dumps(value, ensure_ascii=False, allow_nan=False, separators=(",", ":"))
