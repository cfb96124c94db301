"""Writing a `hooks.json` of Cursor (docs/formats/cursor.md 2)."""

from __future__ import annotations

from hookline.core.dialect import Written
from hookline.wire.writers import list_lost_denials, to_json, to_search_pattern

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from hookline.core.dialect import Declaration


def export(declarations: tuple[Declaration, ...]) -> Written:
    """Hooks as `hooks.json`.

    `failClosed` is left out: with it the host takes silence, our word for no opinion, for an error and blocks (docs/formats/comparison.md 5). A
    command with `://` in it is lost, because the host would drop the whole file.
    """
    events: dict[str, list[Any]] = {}
    left_out: dict[int, str] = {}
    for at, declaration in enumerate(declarations):
        if "://" in declaration.command:
            left_out[at] = "a command with `://` in it makes the host drop the whole file"
        else:
            events.setdefault(declaration.row.native, []).append(_hook(declaration))
    return Written(
        files={"hooks.json": to_json({"version": 1, "hooks": events})},
        lost=tuple(list_lost_denials(declarations)),
        left_out=left_out,
    )


def _hook(declaration: Declaration) -> dict[str, Any]:
    hook: dict[str, Any] = {"command": declaration.command, "timeout": declaration.timeout}
    if declaration.row.subject == "tool" and (text := to_search_pattern(declaration)):
        hook["matcher"] = text
    return hook
