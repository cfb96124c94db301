"""OpenAI Codex: hooks in `hooks.json`, in the `[hooks]` of its TOML files, and in its plugins (docs/formats/codex.md)."""

from __future__ import annotations

from hookline.dialects.codex.table import NAME, TABLE
from hookline.dialects.kit.dialect import FolderDialect

__all__ = ["NAME", "OPTIONS", "Codex"]

OPTIONS: tuple[str, ...] = ()


class Codex(FolderDialect):
    """The dialect of Codex. It has no options."""

    def __init__(self) -> None:
        super().__init__(__name__, TABLE, "combine")
