"""Writes a `shell_hooks.yaml` (docs/formats/starchild.md 1)."""

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
    """Return the hooks as a list of entries; where a failure denies, with `on_error: closed`."""
    entries: list[dict[str, Any]] = []
    for given in declarations:
        entry = {
            "event": given.row.native,
            **write_entry(given, "tool", LONGEST_TIMEOUT),
            **({"on_error": "closed"} if given.closed and can_close(given) else {}),
        }
        if given.row.appends:
            # Otherwise a new result would only be added to the old one.
            entry["allow_result_rewrite"] = True
        entries.append(entry)
    files = {"shell_hooks.yaml": to_yaml({"hooks": entries})}
    return Written(files=files, lost=list_losses(declarations, LONGEST_TIMEOUT))


def can_close(declaration: Declaration) -> bool:
    """Return whether a failure of the hook can deny."""
    return declaration.row.can_block and not declaration.row.ignores_exit


def write_entry(declaration: Declaration, matcher: str, longest: int) -> dict[str, Any]:
    """Return what an entry of either format says. `matcher`: its key for an expression of the tool's name."""
    pattern = to_full_pattern(declaration) if declaration.row.subject == "tool" else ""
    return {
        **({matcher: pattern} if pattern else {}),
        "command": wrap_in_shell(declaration),
        "timeout": round_timeout(declaration, longest),
    }


def list_losses(declarations: tuple[Declaration, ...], longest: int) -> tuple[tuple[int, str], ...]:
    """Return what either format has no word for."""
    denials = list_lost_denials(declarations, where=lambda given: not can_close(given))
    return (*list_long_timeouts(declarations, longest), *denials)
