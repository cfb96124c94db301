"""Makes the rows of a table whose powers follow from the keys that an event reads."""

from __future__ import annotations

from hookline.core.dialect import EventRow, column
from hookline.model import kinds
from hookline.model.verdict import Stance

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Any

_BLOCKS = {"deny": Stance.DENY, "halt": Stance.HALT}


def make_row(
    dialect: str,
    powers: Mapping[str, str],
    native: str,
    fields: str = "",
    *,
    reads: str = "",
    does: str = "",
    **columns: Any,
) -> EventRow:
    """Return one row. If the event can deny, a block denies; if it can only halt, a block halts.

    Args:
        dialect: its dialect.
        powers: key of an answer -> the power that it uses, for all rows.
        native: the event.
        fields: as `core.dialect.column` reads them.
        reads: the keys of an answer that count, each as `key`, or as `key=power` where the event has its own.
        does: powers that do not follow from what it reads.
        columns: the other columns.
    """
    keys = dict(pair.partition("=")[::2] for pair in reads.split())
    read = {key: power or powers.get(key, "") for key, power in keys.items()}
    able = frozenset((*filter(None, read.values()), *does.split()))
    return EventRow(
        native=native,
        kind=kinds.native_names(dialect)[native],
        fields=column(fields),
        powers=able,
        reads=read,
        blocks=next((stance for power, stance in _BLOCKS.items() if power in able), Stance.SILENT),
        **columns,
    )
