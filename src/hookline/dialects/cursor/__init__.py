"""Cursor: hooks in its `hooks.json`, of the organisation, the user and the project (docs/formats/cursor.md)."""

from __future__ import annotations

from hookline.dialects.cursor.table import NAME, TABLE
from hookline.dialects.kit.dialect import FolderDialect

__all__ = ["NAME", "OPTIONS", "Cursor"]

OPTIONS: tuple[str, ...] = ()


class Cursor(FolderDialect):
    """The dialect of Cursor. It has no options."""

    def __init__(self) -> None:
        super().__init__(__name__, TABLE, "decode_event encode_event export")
