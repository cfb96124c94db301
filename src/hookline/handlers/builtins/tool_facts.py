"""What a tool is: its category, and whether it only reads."""

from __future__ import annotations

from hookline.model.tools import families, mcp_parts

# Keys of pictures and other data, which is no text for a model.
_DATA = frozenset(("base64", "data", "blob"))

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any

    from hookline.model.event import Event

# Kind of tool -> its category in docker-agent, for hosts that send none.
_CATEGORIES = {
    "shell": "shell",
    "read": "filesystem",
    "write": "filesystem",
    "edit": "filesystem",
    "search": "filesystem",
}
_READING = frozenset(("read", "search"))


def find_category(event: Event) -> str:
    """Return the category that the host sends, else the one of the tool's kind; maybe empty."""
    sent = event.body.value("tool_category")
    if isinstance(sent, str) and sent:
        return sent
    if mcp_parts(event.tool, event.dialect):
        return "mcp"
    known = (_CATEGORIES.get(kind, "") for kind in families(event.tool, event.dialect))
    return next(filter(None, known), "")


def is_read_only(event: Event) -> bool:
    """Return whether the tool only reads, as the host says it, else as its kind says it."""
    sent = event.body.value("tool_read_only")
    if isinstance(sent, bool):
        return sent
    kinds = families(event.tool, event.dialect)
    return bool(kinds) and _READING.issuperset(kinds)


def find_longest_text(result: Any) -> str:
    """Return the longest text in a result; empty if there is none."""
    texts: list[str] = []

    def keep(text: str) -> str:
        texts.append(text)
        return text

    change_texts(result, keep)
    return max(texts, key=len, default="")


def change_texts(result: Any, change: Callable[[str], str]) -> Any:
    """Return a result with each text in it changed; many hosts send an object."""
    if isinstance(result, str):
        return change(result)
    if isinstance(result, list):
        return [change_texts(each, change) for each in result]
    if isinstance(result, dict):
        return {
            key: value if key in _DATA else change_texts(value, change)
            for key, value in result.items()
        }
    return result
