"""Kimi CLI: `[[hooks]]` in the user's config.toml, in its older edition and in the newer one, Kimi Code.

Facts: docs/formats/kimi.md; of the processes, docs/formats/agenthooks.md 10.
"""

from __future__ import annotations

from hookline.dialects.kimi.table import NAME, TABLE
from hookline.dialects.kit.dialect import FolderDialect

__all__ = ["NAME", "OPTIONS", "Kimi"]

OPTIONS: tuple[str, ...] = ()


class Kimi(FolderDialect):
    """The dialect of Kimi. It has no options."""

    def __init__(self) -> None:
        super().__init__(__name__, TABLE, "combine decode_event encode_event")
