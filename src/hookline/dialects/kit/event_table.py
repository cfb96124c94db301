"""Reads a dialect's events from a table that is written as in a document: one row an event."""

from __future__ import annotations

from hookline.core.dialect import ABSENT, EventRow, column
from hookline.model import event, kinds
from hookline.model.verdict import Stance

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Any

_NOTHING: Mapping[str, str] = {}


def read_events(
    text: str,
    dialect: str,
    listed: Mapping[str, str] = _NOTHING,
    *,
    words: Mapping[str, str] = _NOTHING,
    always: str = "",
    otherwise: Any = ABSENT,
    parallel: bool = True,
) -> dict[str, EventRow]:
    """Return the rows of a table by native name.

    The first line names the cells, which stand between `|`. `event` is the native name, `body` the
    class of its body. `payload` holds its fields as `core.dialect.column` reads them, `may` its
    powers, `how` the columns that are true (with `not-` before it: false). Every other cell is the
    column of its name, `-` an empty one. Otherwise what can deny or halt blocks so, and a matcher
    of a tool call is compared with the tool.

    Args:
        text: the table.
        dialect: whose events they are.
        listed: event, by this or its other name (`called`) -> kind, where no cell `kind` names one.
        words: word of a payload -> the fields that it stands for.
        always: powers of every event.
        otherwise: what is sent for a field without a value that names none.
        parallel: hooks start at once.
    """
    head, *lines = [line.split("|") for line in text.strip().splitlines()]
    rows: dict[str, EventRow] = {}
    for line in lines:
        cells = {
            name.strip(): cell.strip()
            for name, cell in zip(head, line, strict=True)
            if cell.strip()
        }
        native, called = cells.pop("event"), cells.get("called", "")
        usual = listed.get(native) or listed.get(called) or kinds.unknown_kind(dialect, native)
        powers = frozenset(f"{always} {cells.pop('may', '')}".split())
        fields = [words.get(word, word) for word in cells.pop("payload", "").split()]
        body = getattr(event, cells.pop("body", "Lifecycle"))
        columns: dict[str, Any] = {
            "kind": usual,
            "subject": "tool" if body is event.ToolCall else "",
            "parallel": parallel,
        }
        if "deny" in powers or "halt" in powers:
            columns["blocks"] = Stance.DENY if "deny" in powers else Stance.HALT
        for word in cells.pop("how", "").split():
            columns[word.removeprefix("not-")] = not word.startswith("not-")
        for name, cell in cells.items():
            default = EventRow.__defaults__[name]
            if isinstance(default, Stance):
                columns[name] = Stance[cell]
            elif isinstance(default, tuple | frozenset):
                columns[name] = type(default)(cell.split())
            else:
                columns[name] = "" if cell == "-" else cell
        rows[native] = EventRow(
            native=native,
            body=body,
            fields=column(" ".join(fields), otherwise),
            powers=powers,
            **columns,
        )
    return rows
