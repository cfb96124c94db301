"""Cline: hook scripts in folders, where the name of a file is its event (docs/formats/cline.md).

Two programs run such files: the VS Code extension, and the newer command line program, which sends more in its payload and
reads more from an answer. One dialect serves both.
"""

from __future__ import annotations

from hookline.dialects.cline.table import NAME, TABLE
from hookline.dialects.kit.dialect import FolderDialect

__all__ = ["NAME", "OPTIONS", "Cline"]

OPTIONS: tuple[str, ...] = ()


class Cline(FolderDialect):
    """The dialect of Cline. It has no options."""

    def __init__(self) -> None:
        super().__init__(__name__, TABLE, "decode_event encode_event export")
