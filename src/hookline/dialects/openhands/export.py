"""Hooks of other dialects as a `hooks.json` of OpenHands (docs/formats/openhands.md 1)."""

from __future__ import annotations

from hookline.core.dialect import Written
from hookline.wire.writers import (
    group_by_matcher,
    list_lost_denials,
    round_timeout,
    to_full_pattern,
    to_json,
)

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from hookline.core.dialect import Declaration

_LONGEST = 10**9


def export(declarations: tuple[Declaration, ...]) -> Written:
    """Return the hooks as `hooks.json`. The format cannot say that a failure denies."""
    tree = {"hooks": group_by_matcher(declarations, _hook, _matcher)}
    return Written(files={"hooks.json": to_json(tree)}, lost=tuple(list_lost_denials(declarations)))


def _matcher(declaration: Declaration) -> str:
    """Return one name as it is, and anything else as an expression for the whole name."""
    if len(declaration.tools) == 1 and declaration.tools[0].replace("_", "").isalnum():
        return declaration.tools[0]
    return to_full_pattern(declaration)


def _hook(declaration: Declaration) -> dict[str, Any]:
    hook = {
        "type": "command",
        "command": declaration.command,
        "timeout": round_timeout(declaration, _LONGEST),
    }
    return {"name": declaration.name, **hook} if declaration.name else hook
