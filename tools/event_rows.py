"""The data file of `hookline show EVENT`, from the tables of all dialects and vocabularies."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

from hookline.engine.catalog import NAMES, make_dialect
from hookline.model import kinds
from hookline.model.verdict import Stance

if TYPE_CHECKING:
    from collections.abc import Iterator

    from hookline.core.dialect import Dialect, EventRow

# The vocabulary's key of a dialect -> how it is called; the rest are called as their keys.
_LABELS = {
    "claude": "claude-code",
    "seed1-agenthooks": "agenthooks",
    "seed1-agenthooks-aliases": "agenthooks",
    "seed2-a3s": "a3s",
    "seed3-starchild": "starchild",
    "seed4-docker": "docker-agent",
}


def event_rows() -> str:
    """Every event on a line: its native names by dialect, and its row in each dialect."""
    names: dict[str, dict[str, list[str]]] = {kind: {} for kind in kinds.NAMES}
    for label, native, kind in _list_native_names():  # some have kinds of one dialect only
        natives = names.setdefault(kind, {}).setdefault(label, [])
        if native not in natives:
            natives.append(native)
    lines = [
        f"{json.dumps(kind)}: {json.dumps({'natives': names[kind], 'rows': _list_rows(kind)})}"
        for kind in names
    ]
    return "{\n" + ",\n".join(lines) + "\n}\n"


def _list_rows(kind: str) -> list[dict[str, Any]]:
    return [
        _describe_row(dialect, row)
        for dialect in _list_dialects()
        for row in dialect.table.rows.values()
        if row.kind == kind
    ]


def _describe_row(dialect: Dialect, row: EventRow) -> dict[str, Any]:
    return {
        "dialect": dialect.table.name,
        "native_event": row.native,
        "can_block": row.blocks is not Stance.SILENT,
        "on_failure": row.fails.name.lower(),
        "plain_context": row.plain_context,
        "parallel": row.parallel,
        "matched": row.subject,
        "powers": sorted(row.powers),
        "fields": [field.native for field in (*dialect.table.base, *row.fields)],
    }


def _list_dialects() -> Iterator[Dialect]:
    """Yield the supported dialects except hookline's own, in which every name is canonical."""
    return (make_dialect(name) for name in NAMES if name != "hookline")


def _list_native_names() -> Iterator[tuple[str, str, str]]:
    """Yield every native name as dialect, name and canonical kind.

    Of supported dialects from their tables.
    """
    supported = set()
    for dialect in _list_dialects():
        table = dialect.table
        supported.add(table.name)
        yield from ((table.name, row.native, row.kind) for row in table.rows.values())
        yield from (
            (table.name, alias, table.rows[native].kind) for alias, native in table.aliases.items()
        )
    for key in kinds.VOCABULARIES:
        label = _LABELS.get(key, key)
        if label not in supported:
            yield from ((label, native, kind) for native, kind in kinds.native_names(key).items())
