"""Notes at the end of a tool's result: the one thing that `transform_tool_result` may always do."""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable

_GAP = "\n\n"


def appended(result: str, note: str) -> str:
    """The result with a note below it."""
    return f"{result}{_GAP}{note}" if result else note


def bare(result: str, notes: Iterable[str]) -> str:
    """The result without those of the notes that stand at its end: what a host that appends them itself must be told."""
    for note in reversed(list(notes)):
        result = "" if result == note else result.removesuffix(_GAP + note)
    return result
