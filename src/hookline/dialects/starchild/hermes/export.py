"""Writes the `hooks` of Hermes' config.yaml (docs/formats/hermes.md 1)."""

from __future__ import annotations

from hookline.dialects.starchild.export import write_entry, write_file
from hookline.dialects.starchild.hermes.table import LONGEST_TIMEOUT

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from hookline.core.dialect import Declaration, Written


def export(declarations: tuple[Declaration, ...]) -> Written:
    """Return the hooks as a mapping of events; where a failure denies, with `fail_closed: true`."""
    events: dict[str, list[Any]] = {}
    for given in declarations:
        entry = write_entry(given, "matcher", LONGEST_TIMEOUT, {"fail_closed": True})
        events.setdefault(given.row.native, []).append(entry)
    return write_file("config.yaml", events, declarations, LONGEST_TIMEOUT)
