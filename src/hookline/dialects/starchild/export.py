"""Writing a `shell_hooks.yaml` (starchild.md 1)."""

from __future__ import annotations

from hookline.core.dialect import Written
from hookline.dialects.starchild.table import LONGEST_TIMEOUT
from hookline.wire.writing import (
    as_yaml,
    covering,
    left_open,
    too_long,
    whole_seconds,
    without_shell,
)

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from hookline.core.dialect import Declaration


def export(declarations: tuple[Declaration, ...]) -> Written:
    """Hooks as a list of entries; where a failure denies, `on_error: closed`."""
    lost = (
        *too_long(declarations, LONGEST_TIMEOUT),
        *left_open(declarations, where=lambda given: not _can_block(given)),
    )
    return Written(
        files={"shell_hooks.yaml": as_yaml({"hooks": [_entry(given) for given in declarations]})},
        lost=lost,
    )


def _can_block(declaration: Declaration) -> bool:
    return bool(getattr(declaration.row, "can_block", False))


def _entry(declaration: Declaration) -> dict[str, Any]:
    entry: dict[str, Any] = {"event": declaration.row.native}
    if declaration.row.subject == "tool" and covering(declaration):
        entry["tool"] = covering(declaration)
    entry |= {
        "command": without_shell(declaration),
        "timeout": whole_seconds(declaration, LONGEST_TIMEOUT),
    }
    if declaration.closed and _can_block(declaration):
        entry["on_error"] = "closed"
    if getattr(declaration.row, "appends", False):
        entry["allow_result_rewrite"] = True  # else a new result would only be added to the old one
    return entry
