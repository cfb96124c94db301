"""The JSON document of an event for `show`, and the look-up of events by name."""

from __future__ import annotations

from hookline.engine.catalog import NAMES, make_dialect
from hookline.errors import did_you_mean
from hookline.model import kinds
from hookline.model.verdict import Stance

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence
    from typing import Any

    from hookline.core.dialect import Dialect, EventRow

# The vocabulary's key of a dialect -> how it is called; the rest are called as their keys.
_LABELS: Mapping[str, str] = {
    "claude": "claude-code",
    "seed1-agenthooks": "agenthooks",
    "seed1-agenthooks-aliases": "agenthooks",
    "seed2-a3s": "a3s",
    "seed3-starchild": "starchild",
    "seed4-docker": "docker-agent",
}


def find_kind(name: str, dialect: str) -> str:
    """Return the canonical kind of an event by any of its names; empty if it is unknown.

    With a `dialect` its own meaning of the name goes before the canonical one; they may differ
    (docs/formats/vocabulary.md 1).
    """
    meanings = {label: kind for label, native, kind in _list_native_names() if native == name}
    if dialect and dialect != "hookline":
        return meanings.get(dialect) or (name if name in kinds.NAMES else "")
    return name if name in kinds.NAMES else next(iter(meanings.values()), "")


def list_event_names(dialect: str) -> list[str]:
    """Return the names of events: of one dialect, else canonical names and those of every dialect."""
    named = [native for label, native, _ in _list_native_names() if dialect in ("", label)]
    return list(dict.fromkeys([*named, *kinds.NAMES] if dialect else [*kinds.NAMES, *named]))


def suggest_event(name: str, more: Sequence[str] = ()) -> str:
    """Return a hint with the most similar name of an event, or of one of `more`."""
    return did_you_mean(
        name, (*kinds.NAMES, *(native for _, native, _ in _list_native_names()), *more)
    )


def make_kind_document(name: str, hooks: Sequence[str]) -> dict[str, Any]:
    """Return the `hookline.kind/1` document: one canonical event, its names, and its row in each supported dialect."""
    kind = kinds.kind(name)
    names: dict[str, list[str]] = {}
    for label, native, canonical in _list_native_names():
        if canonical == name and native not in names.setdefault(label, []):
            names[label].append(native)
    return {
        "schema": "hookline.kind/1",
        "kind": name,
        "class": kind.cls,
        "powers": sorted(kind.powers),
        "redo": kind.redo,
        "payload": list(kind.payload),
        "natives": {label: natives for label, natives in names.items() if natives},
        "rows": [
            _describe_row(dialect, row)
            for dialect in _list_dialects()
            for row in dialect.table.rows.values()
            if row.kind == name
        ],
        "hooks": list(hooks),
    }


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
