"""Qwen Code: hooks in its `settings.json`, and in the `hooks/hooks.json` of its extensions (docs/formats/qwen.md)."""

from __future__ import annotations

from hookline.core.options import read_switch
from hookline.dialects.kit.dialect import FolderDialect
from hookline.dialects.qwen.table import NAME, TABLE

__all__ = ["NAME", "OPTIONS", "Qwen"]

OPTIONS = ("allow_local",)


class Qwen(FolderDialect):
    """The dialect of Qwen Code. `allow_local`: HTTP hooks may be on this machine or in a private network.

    Raises:
        ConfigError: `allow_local` is neither true nor false.
    """

    def __init__(self, *, allow_local: bool = False) -> None:
        local = read_switch(NAME, "allow_local", allow_local)
        super().__init__(__name__, TABLE, "combine encode_event", allow_local=local)
