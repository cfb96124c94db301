"""OpenHands: hooks in `.openhands/hooks.json` (docs/formats/openhands.md)."""

from __future__ import annotations

from hookline.dialects.kit.dialect import FolderDialect
from hookline.dialects.openhands.table import NAME, TABLE

__all__ = ["NAME", "OPTIONS", "OpenHands"]

OPTIONS: tuple[str, ...] = ()


class OpenHands(FolderDialect):
    """The dialect of OpenHands. It has no options."""

    def __init__(self) -> None:
        super().__init__(__name__, TABLE, "combine encode_event")
