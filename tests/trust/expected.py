"""Names of rows by door, as pytest parameters."""

from __future__ import annotations

import pytest


def rows(test: str, names: list[str], doors: tuple[str, ...]) -> list[object]:
    """Return each row by each door. `test`: what the rows are about."""
    del test
    return [pytest.param(name, door, id=f"{name}-{door}") for name in names for door in doors]
