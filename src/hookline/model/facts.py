"""Reads the JSON files of facts that lie beside this module."""

from __future__ import annotations

import json

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any


def read_facts(name: str) -> dict[str, Any]:
    """Return what a file contains."""
    # The module's loader also reads from a zip file, without an import that costs start-up time.
    loader: Any = __spec__.loader
    read: dict[str, Any] = json.loads(loader.get_data(__file__.rpartition("facts")[0] + name))
    return read
