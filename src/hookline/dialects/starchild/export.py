"""Writes the files of Starchild and Hermes (docs/formats/starchild.md 1, hermes.md 1)."""

from __future__ import annotations

from hookline.core.dialect import Declaration, Written
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
    from collections.abc import Mapping
    from typing import Any


def export(declarations: tuple[Declaration, ...]) -> Written:
    """Return the hooks as a list of entries; where a failure denies, with `on_error: closed`."""
    entries: list[dict[str, Any]] = []
    for given in declarations:
        entry = write_entry(given, "tool", LONGEST_TIMEOUT, {"on_error": "closed"})
        if given.row.appends:
            # Otherwise a new result would only be added to the old one.
            entry["allow_result_rewrite"] = True
        entries.append({"event": given.row.native, **entry})
    return write_file("shell_hooks.yaml", entries, declarations, LONGEST_TIMEOUT)


def write_entry(
    declaration: Declaration, matcher: str, longest: int, closed: Mapping[str, Any]
) -> dict[str, Any]:
    """Return an entry of either format.

    Args:
        declaration: the hook.
        matcher: the key for an expression of the tool's name.
        longest: the longest timeout, in seconds.
        closed: what says that a failure denies.
    """
    pattern = to_full_pattern(declaration) if declaration.row.subject == "tool" else ""
    return {
        **({matcher: pattern} if pattern else {}),
        "command": wrap_in_shell(declaration),
        "timeout": round_timeout(declaration, longest),
        **(closed if declaration.closed and _can_close(declaration) else {}),
    }


def write_file(
    name: str, hooks: Any, declarations: tuple[Declaration, ...], longest: int
) -> Written:
    """Return the hooks as a file of either format, and what it has no word for."""
    denials = list_lost_denials(declarations, where=lambda given: not _can_close(given))
    lost = (*list_long_timeouts(declarations, longest), *denials)
    return Written(files={name: to_yaml({"hooks": hooks})}, lost=lost)


def _can_close(declaration: Declaration) -> bool:
    """Return whether a failure of the hook can deny."""
    return declaration.row.can_block and not declaration.row.ignores_exit
