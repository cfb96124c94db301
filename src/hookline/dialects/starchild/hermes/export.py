"""Writing the `hooks` of Hermes' config.yaml (starchild.md 12)."""

from __future__ import annotations

from hookline.core.dialect import Written
from hookline.dialects.starchild.hermes.table import LONGEST_TIMEOUT
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
    """Hooks as a mapping of events; where a failure denies, `fail_closed: true`."""
    events: dict[str, list[Any]] = {}
    for given in declarations:
        events.setdefault(given.row.native, []).append(_entry(given))
    lost = (
        *too_long(declarations, LONGEST_TIMEOUT),
        *left_open(declarations, where=lambda given: not _closes(given)),
    )
    return Written(files={"config.yaml": as_yaml({"hooks": events})}, lost=lost)


def _closes(declaration: Declaration) -> bool:
    return bool(getattr(declaration.row, "closes", False))


def _entry(declaration: Declaration) -> dict[str, Any]:
    entry: dict[str, Any] = {
        "command": without_shell(declaration),
        "timeout": whole_seconds(declaration, LONGEST_TIMEOUT),
    }
    if getattr(declaration.row, "matched", False) and covering(declaration):
        entry = {"matcher": covering(declaration), **entry}
    if declaration.closed and _closes(declaration):
        entry["fail_closed"] = True
    return entry
