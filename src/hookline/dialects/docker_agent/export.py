"""Writes hooks as a drop-in file of docker-agent (docs/formats/docker-agent.md 3)."""

from __future__ import annotations

from hookline.core.dialect import Declaration, Written
from hookline.wire.writers import (
    arrange_hooks,
    list_lost_denials,
    round_timeout,
    to_full_pattern,
    to_yaml,
)

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any


_LONGEST = 1 << 31


def export(declarations: tuple[Declaration, ...]) -> Written:
    """Return hooks as a drop-in file; events of tools have groups, the others flat lists."""
    tree = arrange_hooks(declarations, _write_hook, to_full_pattern)
    flat = {given.row.native for given in declarations if not given.row.grouped}
    for native in flat:
        tree[native] = [hook for group in tree[native] for hook in group["hooks"]]
    lost = list_lost_denials(
        declarations, where=lambda each: not (each.row.can_block or each.row.fails)
    )
    return Written(files={"hooks.yaml": to_yaml({"hooks": tree})}, lost=tuple(lost))


def _write_hook(declaration: Declaration) -> dict[str, Any]:
    row = declaration.row
    hook: dict[str, Any] = {"name": declaration.name} if declaration.name else {}
    hook |= {
        "type": "command",
        "command": declaration.command,
        "timeout": round_timeout(declaration, _LONGEST),
    }
    if declaration.closed and row.can_block and not row.fails:
        hook["on_error"] = "block"
    return hook
