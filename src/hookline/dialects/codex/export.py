"""Writing a `hooks.json` of Codex (docs/formats/codex.md 1)."""

from __future__ import annotations

from hookline.core.dialect import Written
from hookline.dialects.codex.load import OF_NAMES
from hookline.wire.writers import (
    group_by_matcher,
    list_lost_denials,
    round_timeout,
    to_json,
    to_search_pattern,
)

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from hookline.core.dialect import Declaration

_LONGEST = 10**9


def export(declarations: tuple[Declaration, ...]) -> Written:
    """Hooks as `hooks.json`; Codex has no word for a failure that denies."""
    return Written(
        files={"hooks.json": to_json({"hooks": group_by_matcher(declarations, _hook, _matcher)})},
        lost=tuple(list_lost_denials(declarations)),
    )


def _matcher(declaration: Declaration) -> str:
    """Names as a list where each is made of what a list may hold; an expression that would be taken for a list in brackets."""
    if declaration.tools and all(OF_NAMES.issuperset(name) for name in declaration.tools):
        return "|".join(declaration.tools)
    text = to_search_pattern(declaration)
    return f"(?:{text})" if text and OF_NAMES.issuperset(text) else text


def _hook(declaration: Declaration) -> dict[str, Any]:
    return {
        "type": "command",
        "command": declaration.command,
        "timeout": round_timeout(declaration, _LONGEST),
    }
