"""Writing a file of hooks for Copilot (docs/formats/copilot.md 2)."""

from __future__ import annotations

from hookline.core.dialect import Written
from hookline.model.verdict import Stance
from hookline.wire.writers import list_lost_denials, to_full_pattern, to_json

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from hookline.core.dialect import Declaration


def export(declarations: tuple[Declaration, ...]) -> Written:
    """Hooks as `hooks.json`, under camelCase keys. Where the host fails closed it always does, elsewhere never."""
    events: dict[str, list[Any]] = {}
    for declaration in declarations:
        events.setdefault(declaration.row.native, []).append(_hook(declaration))
    lost = list_lost_denials(declarations, where=lambda given: given.row.fails is Stance.SILENT)
    return Written(
        files={"hooks/hooks.json": to_json({"version": 1, "hooks": events})}, lost=tuple(lost)
    )


def _hook(declaration: Declaration) -> dict[str, Any]:
    hook: dict[str, Any] = {
        "type": "command",
        "bash": declaration.command,
        "timeoutSec": declaration.timeout,
    }
    if declaration.row.subject == "tool" and (text := to_full_pattern(declaration)):
        hook["matcher"] = text
    return hook
