"""Writing a `hooks.json` of Codex (harnesses.md 3)."""

from __future__ import annotations

from hookline.core.dialect import Written
from hookline.dialects.codex.matcher import OF_NAMES
from hookline.wire.writing import as_json, grouped, left_open, searched, whole_seconds

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from hookline.core.dialect import Declaration

_LONGEST = 10**9


def export(declarations: tuple[Declaration, ...]) -> Written:
    """Hooks as `hooks.json`; Codex has no word for a failure that denies."""
    return Written(
        files={"hooks.json": as_json({"hooks": grouped(declarations, _hook, _matcher)})},
        lost=tuple(left_open(declarations)),
    )


def _matcher(declaration: Declaration) -> str:
    """Names as a list where each is made of what a list may hold; an expression that would be taken for a list in brackets."""
    if declaration.tools and all(OF_NAMES.issuperset(name) for name in declaration.tools):
        return "|".join(declaration.tools)
    text = searched(declaration)
    return f"(?:{text})" if text and OF_NAMES.issuperset(text) else text


def _hook(declaration: Declaration) -> dict[str, Any]:
    return {
        "type": "command",
        "command": declaration.command,
        "timeout": whole_seconds(declaration, _LONGEST),
    }
