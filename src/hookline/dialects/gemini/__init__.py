"""Gemini CLI: hooks in its `settings.json`, and in the `hooks/hooks.json` of its extensions (docs/formats/gemini.md)."""

from __future__ import annotations

from hookline.dialects.gemini.table import NAME, TABLE
from hookline.dialects.kit.dialect import FolderDialect

__all__ = ["NAME", "OPTIONS", "Gemini"]

OPTIONS: tuple[str, ...] = ()


class Gemini(FolderDialect):
    """The dialect of Gemini CLI. It has no options."""

    def __init__(self) -> None:
        super().__init__(__name__, TABLE, "combine decode_event encode_event")
