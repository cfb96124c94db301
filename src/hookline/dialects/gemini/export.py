"""Writing a settings file of Gemini CLI (docs/formats/gemini.md 1)."""

from __future__ import annotations

from hookline.core.dialect import Written
from hookline.dialects.gemini.table import TICKS_PER_SECOND
from hookline.wire.writers import group_by_matcher, list_lost_denials, to_json, to_search_pattern

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from hookline.core.dialect import Declaration


def export(declarations: tuple[Declaration, ...]) -> Written:
    """Hooks as `settings.json`. A timeout never denies there, whatever a hook wants of its failures (docs/formats/comparison.md 4)."""
    tree = {"hooks": group_by_matcher(declarations, _hook, to_search_pattern)}
    return Written(
        files={"settings.json": to_json(tree)}, lost=tuple(list_lost_denials(declarations))
    )


def _hook(declaration: Declaration) -> dict[str, Any]:
    hook: dict[str, Any] = {
        "type": "command",
        "command": declaration.command,
        "timeout": round(declaration.timeout * TICKS_PER_SECOND),
    }
    return {"name": declaration.name, **hook} if declaration.name else hook
