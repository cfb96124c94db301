"""Writing the `hooks` of Hermes' config.yaml (docs/formats/hermes.md 1)."""

from __future__ import annotations

from hookline.core.dialect import Written
from hookline.dialects.starchild.hermes.table import LONGEST_TIMEOUT
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
    """Hooks as a mapping of events; where a failure denies, `fail_closed: true`."""
    events: dict[str, list[Any]] = {}
    for given in declarations:
        events.setdefault(given.row.native, []).append(_entry(given))
    lost = (
        *list_long_timeouts(declarations, LONGEST_TIMEOUT),
        *list_lost_denials(declarations, where=lambda given: not _closes(given)),
    )
    return Written(files={"config.yaml": to_yaml({"hooks": events})}, lost=lost)


def _closes(declaration: Declaration) -> bool:
    return declaration.row.can_block and not declaration.row.ignores_exit


def _entry(declaration: Declaration) -> dict[str, Any]:
    entry: dict[str, Any] = {
        "command": wrap_in_shell(declaration),
        "timeout": round_timeout(declaration, LONGEST_TIMEOUT),
    }
    if declaration.row.subject and to_full_pattern(declaration):
        entry = {"matcher": to_full_pattern(declaration), **entry}
    if declaration.closed and _closes(declaration):
        entry["fail_closed"] = True
    return entry
