"""Writing `[[hooks]]` of a config.toml (docs/formats/kimi.md 1)."""

from __future__ import annotations

from hookline.core.dialect import Written
from hookline.wire.writers import list_lost_denials, round_timeout, to_search_pattern, to_toml

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator
    from typing import Any

    from hookline.core.dialect import Declaration


def export(declarations: tuple[Declaration, ...]) -> Written:
    """Hooks as a flat array; in the newer edition's folder where an event is its own, for which the older one would refuse the file."""
    newer = any(given.row.newer for given in declarations)
    tree = {"hooks": [_entry(given) for given in declarations]}
    lost = (*_waited_for(declarations), *list_lost_denials(declarations))
    return Written(
        files={".kimi-code/config.toml" if newer else "config.toml": to_toml(tree)}, lost=lost
    )


def _entry(declaration: Declaration) -> dict[str, Any]:
    entry: dict[str, Any] = {"event": declaration.row.native, "command": declaration.command}
    if declaration.row.subject == "tool" and to_search_pattern(declaration):
        entry["matcher"] = to_search_pattern(declaration)
    return entry | {"timeout": round_timeout(declaration, int(_longest(declaration)))}


def _longest(declaration: Declaration) -> float:
    return declaration.row.longest


def _waited_for(declarations: tuple[Declaration, ...]) -> Iterator[tuple[int, str]]:
    """What is lost because Kimi does not wait so long."""
    for at, given in enumerate(declarations):
        if given.timeout > _longest(given):
            yield at, f"a timeout of more than {_longest(given):g} s"
