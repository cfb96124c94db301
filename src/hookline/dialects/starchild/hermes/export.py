"""Writes the `hooks` of Hermes' config.yaml (docs/formats/hermes.md 1)."""

from __future__ import annotations

from hookline.core.dialect import Written
from hookline.dialects.starchild.export import can_close, list_losses, write_entry
from hookline.dialects.starchild.hermes.table import LONGEST_TIMEOUT
from hookline.wire.writers import to_yaml

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from hookline.core.dialect import Declaration


def export(declarations: tuple[Declaration, ...]) -> Written:
    """Return the hooks as a mapping of events; where a failure denies, with `fail_closed: true`."""
    events: dict[str, list[Any]] = {}
    for given in declarations:
        entry = write_entry(given, "matcher", LONGEST_TIMEOUT)
        if given.closed and can_close(given):
            entry["fail_closed"] = True
        events.setdefault(given.row.native, []).append(entry)
    files = {"config.yaml": to_yaml({"hooks": events})}
    return Written(files=files, lost=list_losses(declarations, LONGEST_TIMEOUT))
