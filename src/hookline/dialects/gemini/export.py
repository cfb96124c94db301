"""Writing a settings file of Gemini CLI (harnesses.md 4: where)."""

from __future__ import annotations

from hookline.core.dialect import Written
from hookline.dialects.gemini.table import TICKS_PER_SECOND
from hookline.wire.writing import as_json, grouped, left_open, searched

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from hookline.core.dialect import Declaration


def export(declarations: tuple[Declaration, ...]) -> Written:
    """Hooks as `settings.json`. A timeout never denies there, whatever a hook wants of its failures (1.4)."""
    tree = {"hooks": grouped(declarations, _hook, searched)}
    return Written(files={"settings.json": as_json(tree)}, lost=tuple(left_open(declarations)))


def _hook(declaration: Declaration) -> dict[str, Any]:
    hook: dict[str, Any] = {
        "type": "command",
        "command": declaration.command,
        "timeout": round(declaration.timeout * TICKS_PER_SECOND),
    }
    return {"name": declaration.name, **hook} if declaration.name else hook
