"""Writing a `hooks.json` of Cursor (docs/formats/cursor.md 2)."""

from __future__ import annotations

from hookline.dialects.cursor.load import FORMAT
from hookline.dialects.kit.export import export_groups

TYPE_CHECKING = False
if TYPE_CHECKING:
    from hookline.core.dialect import Declaration, Written

_ADDRESS = "a command with `://` in it makes the host drop the whole file"


def export(declarations: tuple[Declaration, ...]) -> Written:
    """Return the hooks as `hooks.json`.

    `failClosed` is left out: with it the host takes silence, our word for no opinion, for an error
    and blocks (docs/formats/comparison.md 5).
    """
    left_out = {at: _ADDRESS for at, given in enumerate(declarations) if "://" in given.command}
    return export_groups(declarations, FORMAT.replace(closes=("", None)), left_out)
