"""Hooks of other dialects as Cline's scripts (docs/formats/cline.md 1)."""

from __future__ import annotations

from hookline.core.dialect import Declaration, Written
from hookline.dialects.cline.table import TABLE
from hookline.wire.writers import list_long_timeouts, list_lost_denials


def export(declarations: tuple[Declaration, ...]) -> Written:
    """Return one script for each event. A file can neither name tools nor hold a second hook."""
    files: dict[str, str] = {}
    left_out: dict[int, str] = {}
    longest = TABLE.default_timeout
    lost = [*list_long_timeouts(declarations, longest), *list_lost_denials(declarations)]
    for at, given in enumerate(declarations):
        if given.row.native in files:
            left_out[at] = "Cline runs one file of an event in a folder, and another hook is in it"
            continue
        files[given.row.native] = f"#!/bin/sh\n{given.command}\n"
        if given.tools or given.pattern:
            lost.append((at, "for which tools it runs: it runs for every tool"))
    kept = tuple(entry for entry in lost if entry[0] not in left_out)
    return Written(files=files, lost=kept, left_out=left_out, programs=frozenset(files))
