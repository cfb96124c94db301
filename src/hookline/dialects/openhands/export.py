"""Hooks of other dialects as a `hooks.json` of OpenHands (harnesses.md 9: where)."""

from __future__ import annotations

from hookline.core.dialect import Written
from hookline.wire.writing import as_json, covering, grouped, left_open, whole_seconds

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from hookline.core.dialect import Declaration

_LONGEST = 10**9


def export(declarations: tuple[Declaration, ...]) -> Written:
    """Return the hooks as `hooks.json`. The format cannot say that a failure denies."""
    tree = {"hooks": grouped(declarations, _hook, _matcher)}
    return Written(files={"hooks.json": as_json(tree)}, lost=tuple(left_open(declarations)))


def _matcher(declaration: Declaration) -> str:
    """Return one name as it is, and anything else as an expression for the whole name."""
    if len(declaration.tools) == 1 and declaration.tools[0].replace("_", "").isalnum():
        return declaration.tools[0]
    return covering(declaration)


def _hook(declaration: Declaration) -> dict[str, Any]:
    hook = {
        "type": "command",
        "command": declaration.command,
        "timeout": whole_seconds(declaration, _LONGEST),
    }
    return {"name": declaration.name, **hook} if declaration.name else hook
