"""Writing a settings file of Claude Code (docs/formats/claude-code.md 2)."""

from __future__ import annotations

from hookline.core.dialect import Written
from hookline.model.kinds import kind
from hookline.model.verdict import Stance
from hookline.wire.matchers import NAME
from hookline.wire.writers import group_by_matcher, list_lost_denials, to_json, to_search_pattern

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from hookline.core.dialect import Declaration

_OF_NAMES = NAME | {"-"}


def export(declarations: tuple[Declaration, ...]) -> Written:
    """Hooks as `settings.json`, each guard with `onFailure: block` where a failure denies."""
    lost = list_lost_denials(declarations, where=lambda given: not _closes(given))
    return Written(
        files={
            "settings.json": to_json({"hooks": group_by_matcher(declarations, _hook, _matcher)})
        },
        lost=tuple(lost),
    )


def _matcher(declaration: Declaration) -> str:
    """Names as a list where each is made of what a list may hold, else an expression (docs/formats/claude-code.md 3)."""
    if declaration.tools and all(_OF_NAMES.issuperset(name) for name in declaration.tools):
        return "|".join(declaration.tools)
    return to_search_pattern(declaration)


def _closes(declaration: Declaration) -> bool:
    row = declaration.row
    return row.blocks is not Stance.SILENT and not kind(row.kind).redo


def _hook(declaration: Declaration) -> dict[str, Any]:
    hook: dict[str, Any] = {
        "type": "command",
        "command": declaration.command,
        "timeout": declaration.timeout,
    }
    if declaration.closed and _closes(declaration):
        hook["onFailure"] = "block"
    return hook
