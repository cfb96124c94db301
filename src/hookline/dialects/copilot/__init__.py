"""GitHub Copilot, its CLI and its cloud agent: hook files, policies, and the `hooks` of settings files.

A camelCase key speaks Copilot's own words, a PascalCase key VS Code's (docs/formats/copilot.md).
"""

from __future__ import annotations

from hookline.core.options import read_switch
from hookline.dialects.copilot.table import CONTRACTS, NAME, TABLE
from hookline.dialects.kit.dialect import FolderDialect

__all__ = ["NAME", "OPTIONS", "Copilot"]

OPTIONS = ("allow_local",)


class Copilot(FolderDialect):
    """The dialect of Copilot. `allow_local`: HTTP hooks may be on this machine or in a private network.

    Raises:
        ConfigError: `allow_local` is neither true nor false.
    """

    def __init__(self, *, allow_local: bool = False) -> None:
        local = read_switch(NAME, "allow_local", allow_local)
        own = "combine decode_event encode_event"
        super().__init__(__name__, TABLE, own, rows=CONTRACTS, allow_local=local)
