"""Writing a hooks file of docker-agent: the events at the top of a drop-in (docs/formats/docker-agent.md 3)."""

from __future__ import annotations

from hookline.core.dialect import Written
from hookline.wire.writers import group_by_matcher, round_timeout, to_full_pattern, to_yaml

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from hookline.core.dialect import Declaration, EventRow

_LONGEST = 1 << 31


def export(declarations: tuple[Declaration, ...]) -> Written:
    """Hooks as a drop-in file; events of tools have groups, the others flat lists."""
    tree: dict[str, Any] = group_by_matcher(declarations, _hook, to_full_pattern)
    for native, groups in tree.items():
        if not _row_of(declarations, native).grouped:
            tree[native] = [hook for group in groups for hook in group["hooks"]]
    lost = [
        (at, "that a failure of the hook denies")
        for at, given in enumerate(declarations)
        if given.closed and not (given.row.can_block or given.row.always_denies)
    ]
    return Written(files={"hooks.yaml": to_yaml({"hooks": tree})}, lost=tuple(lost))


def _row_of(declarations: tuple[Declaration, ...], native: str) -> EventRow:
    return next(given.row for given in declarations if given.row.native == native)


def _hook(declaration: Declaration) -> dict[str, Any]:
    row = declaration.row
    hook: dict[str, Any] = {
        "type": "command",
        "command": declaration.command,
        "timeout": round_timeout(declaration, _LONGEST),
    }
    if declaration.name:
        hook = {"name": declaration.name, **hook}
    if declaration.closed and row.can_block and not row.always_denies:
        hook["on_error"] = "block"
    return hook
