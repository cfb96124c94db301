"""What a tool is: its category, and whether it only reads."""

from __future__ import annotations

from hookline.model.tools import families, mcp_parts

TYPE_CHECKING = False
if TYPE_CHECKING:
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
