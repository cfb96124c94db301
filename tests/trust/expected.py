"""Names of rows by door, as pytest parameters."""

from __future__ import annotations

import os

import pytest


def rows(names: list[str], doors: tuple[str, ...]) -> list[object]:
    """Return each row by the first door and by one of the others, which take turns.

    A row that is alone comes by each door, and with `make fuzz` all do.
    """
    first, *others = doors
    every = len(names) == 1 or "HOOKLINE_FUZZ" in os.environ
    return [
        pytest.param(name, door, id=f"{name}-{door}")
        for at, name in enumerate(names)
        for door in (first, *(others if every else [others[at % len(others)]]))
    ]
