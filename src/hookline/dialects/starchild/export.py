"""Writing a `shell_hooks.yaml` (docs/formats/starchild.md 1)."""

from __future__ import annotations

from hookline.core.dialect import Written
from hookline.dialects.starchild.table import LONGEST_TIMEOUT
from hookline.wire.writers import (
    list_long_timeouts,
    list_lost_denials,
    round_timeout,
    to_full_pattern,
    to_yaml,
    wrap_in_shell,
)

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from hookline.core.dialect import Declaration


def export(declarations: tuple[Declaration, ...]) -> Written:
    """Hooks as a list of entries; where a failure denies, `on_error: closed`."""
    lost = (
        *list_long_timeouts(declarations, LONGEST_TIMEOUT),
        *list_lost_denials(declarations, where=lambda given: not _can_block(given)),
    )
    return Written(
        files={"shell_hooks.yaml": to_yaml({"hooks": [_entry(given) for given in declarations]})},
        lost=lost,
    )


def _can_block(declaration: Declaration) -> bool:
    return declaration.row.can_block


def _entry(declaration: Declaration) -> dict[str, Any]:
    entry: dict[str, Any] = {"event": declaration.row.native}
    if declaration.row.subject == "tool" and to_full_pattern(declaration):
        entry["tool"] = to_full_pattern(declaration)
    entry |= {
        "command": wrap_in_shell(declaration),
        "timeout": round_timeout(declaration, LONGEST_TIMEOUT),
    }
    if declaration.closed and _can_block(declaration):
        entry["on_error"] = "closed"
    if declaration.row.appends:
        entry["allow_result_rewrite"] = True  # else a new result would only be added to the old one
    return entry
