"""Writes `[[hooks]]` of a config.toml (docs/formats/kimi.md 1)."""

from __future__ import annotations

from hookline.core.dialect import Written
from hookline.wire.writers import list_lost_denials, round_timeout, to_search_pattern, to_toml

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from hookline.core.dialect import Declaration


def export(declarations: tuple[Declaration, ...]) -> Written:
    """Return the hooks as a flat array; in the newer edition's folder where an event is its own, for which the older one would refuse the file."""
    newer = any(given.row.newer for given in declarations)
    name = ".kimi-code/config.toml" if newer else "config.toml"
    too_long = [
        (at, f"a timeout of more than {given.row.longest:g} s")
        for at, given in enumerate(declarations)
        if given.timeout > given.row.longest
    ]
    return Written(
        files={name: to_toml({"hooks": [_write_entry(given) for given in declarations]})},
        lost=(*too_long, *list_lost_denials(declarations)),
    )


def _write_entry(declaration: Declaration) -> dict[str, Any]:
    row = declaration.row
    entry: dict[str, Any] = {"event": row.native, "command": declaration.command}
    if row.subject == "tool" and to_search_pattern(declaration):
        entry["matcher"] = to_search_pattern(declaration)
    return entry | {"timeout": round_timeout(declaration, int(row.longest))}
