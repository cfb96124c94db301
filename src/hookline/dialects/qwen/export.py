"""Hooks of other dialects as a settings file of Qwen Code (docs/formats/qwen.md 1)."""

from __future__ import annotations

from hookline.core.dialect import Written
from hookline.dialects.qwen.table import DENY, TICKS_PER_SECOND
from hookline.wire.writers import group_by_matcher, list_lost_denials, to_json, to_search_pattern

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from hookline.core.dialect import Declaration


def export(declarations: tuple[Declaration, ...]) -> Written:
    """Return the hooks as `settings.json`, each guard with `failMode: closed` where a failure denies."""
    tree = {"hooks": group_by_matcher(declarations, _hook, to_search_pattern)}
    lost = list_lost_denials(declarations, where=lambda given: given.row.blocks < DENY)
    return Written(files={"settings.json": to_json(tree)}, lost=tuple(lost))


def _hook(declaration: Declaration) -> dict[str, Any]:
    hook: dict[str, Any] = {
        "type": "command",
        "command": declaration.command,
        # A smaller number would be in seconds.
        "timeout": max(TICKS_PER_SECOND, round(declaration.timeout * TICKS_PER_SECOND)),
    }
    if declaration.closed and declaration.row.blocks >= DENY:
        hook["failMode"] = "closed"
    return {"name": declaration.name, **hook} if declaration.name else hook
