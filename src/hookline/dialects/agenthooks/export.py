"""Writes folders of HOOK.md and `scripts/run` (docs/formats/agenthooks.md 3, 4, 6)."""

from __future__ import annotations

import re
import unicodedata

from hookline.core.dialect import Declaration, Written
from hookline.dialects.agenthooks.table import TIMEOUT
from hookline.wire.writers import list_long_timeouts, to_search_pattern, to_yaml

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any


_LONGEST_NAME = 64
_, _LEAST, _MOST = TIMEOUT


def export(declarations: tuple[Declaration, ...]) -> Written:
    """Return one folder for each hook.

    Their priorities keep them in order, because the higher one runs first.
    """
    files: dict[str, str] = {}
    taken: set[str] = set()
    for at, given in enumerate(declarations):
        name = _unique(_slug(given.name) or f"{given.row.native}-{at + 1}", taken)
        files[f"{name}/HOOK.md"] = (
            f"---\n{to_yaml(_sheet(given, name, at))}---\n\nWhat it runs stands in `scripts/run`.\n"
        )
        files[f"{name}/scripts/run"] = f"#!/bin/sh\n{given.command}\n"
    programs = frozenset(path for path in files if path.endswith("/run"))
    return Written(
        files=files, lost=tuple(list_long_timeouts(declarations, _MOST / 1000)), programs=programs
    )


def _sheet(declaration: Declaration, name: str, at: int) -> dict[str, Any]:
    sheet: dict[str, Any] = {
        "name": name,
        "description": f"Runs on {declaration.row.native}.",
        "trigger": declaration.row.native,
    }
    row = declaration.row
    if row.subject and to_search_pattern(declaration):
        sheet["matcher"] = {"tool": to_search_pattern(declaration)}
    sheet["timeout"] = min(max(_LEAST, round(declaration.timeout * 1000)), _MOST)
    sheet["priority"] = max(0, 1000 - at)
    if declaration.closed:
        sheet["metadata"] = {"fail-mode": "closed"}
    return sheet


def _slug(text: str) -> str:
    """Return a text as a name of the format: lower case, single `-` between its words."""
    plain = unicodedata.normalize("NFKC", text).lower()
    return re.sub(r"[\W_]+", "-", plain)[:_LONGEST_NAME].strip("-")


def _unique(wanted: str, taken: set[str]) -> str:
    name, count = wanted, 1
    while name in taken:
        count += 1
        name = f"{wanted[: _LONGEST_NAME - 5]}-{count}"
    taken.add(name)
    return name
