"""Writing a hooks file of docker-agent: the events at the top of a drop-in (docs/formats/docker-agent.md 3)."""

from __future__ import annotations

from hookline.core.dialect import Written
from hookline.wire.writers import group_by_matcher, round_timeout, to_full_pattern, to_yaml

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from hookline.core.dialect import Declaration
    from hookline.dialects.docker_agent.table import Contract

_LONGEST = 1 << 31


def export(declarations: tuple[Declaration, ...]) -> Written:
    """Hooks as a drop-in file; events of tools have groups, the others flat lists."""
    tree: dict[str, Any] = group_by_matcher(declarations, _hook, to_full_pattern)
    for native, groups in tree.items():
        if not _row_of(declarations, native).tool_matched:
            tree[native] = [hook for group in groups for hook in group["hooks"]]
    lost = [
        (at, "that a failure of the hook denies")
        for at, given in enumerate(declarations)
        if given.closed and not (_contract(given).can_block or _contract(given).always_denies)
    ]
    return Written(files={"hooks.yaml": to_yaml({"hooks": tree})}, lost=tuple(lost))


def _contract(declaration: Declaration) -> Contract:
    return declaration.row  # type: ignore[return-value]  # every row of this dialect's tables is one


def _row_of(declarations: tuple[Declaration, ...], native: str) -> Contract:
    return next(_contract(given) for given in declarations if given.row.native == native)


def _hook(declaration: Declaration) -> dict[str, Any]:
    row = _contract(declaration)
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
