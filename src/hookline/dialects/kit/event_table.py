"""Reads a dialect's events, and the keys of its answers, from tables as a document has them."""

from __future__ import annotations

from hookline.core.dialect import ABSENT, EventRow, column
from hookline.model import event, kinds
from hookline.model.frozen import Frozen
from hookline.model.verdict import Stance
from hookline.wire.hookoutput import TYPES

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping
    from typing import Any

    from hookline.model.event import Body

_NOTHING: Mapping[str, Any] = {}
# The body of each kind of event, in a table without that cell; of all others it is `Lifecycle`.
_BODIES: Mapping[str, type[Body]] = {
    "tool.before": event.ToolCall,
    "tool.after": event.ToolCall,
    "tool.failure": event.ToolCall,
    "tool.permission.request": event.ToolCall,
    "tool.permission.resolved": event.ToolCall,
    "mcp.before": event.ToolCall,
    "mcp.after": event.ToolCall,
    "prompt.submit": event.Prompt,
    "prompt.expand": event.Prompt,
    "prompt.steer": event.Prompt,
    "prompt.transform": event.Prompt,
    "model.request": event.Generation,
    "model.tools": event.Generation,
    "model.response": event.Generation,
    "stop": event.Stop,
    "subagent.stop": event.Stop,
    "compact.before": event.Compaction,
    "compact.after": event.Compaction,
    "message.display": event.Message,
    "thought.after": event.Message,
    "notification": event.Message,
}
_POWERS: Mapping[Any, str] = {Stance.DENY: "deny", Stance.HALT: "halt"}
_STANCES: Mapping[str, Stance] = Stance.__members__


class Key(Frozen):
    """A key of an answer: the type of its value, and the power that it uses ("" for none)."""

    type: type
    power: str = ""


def read_keys(text: str) -> dict[str, Key]:
    """Return the keys of a table: each line is a key, the type of its value, and its power."""
    keys = {}
    for line in text.strip().splitlines():
        key, name, *power = line.split()
        keys[key] = Key(type=TYPES[name], power="".join(power))
    return keys


def read_events(
    text: str,
    dialect: str,
    listed: Mapping[str, str] | None = None,
    *,
    words: Mapping[str, str] = _NOTHING,
    keys: Mapping[str, Key] = _NOTHING,
    values: Mapping[str, Any] = _NOTHING,
    always: str = "",
    halts: str = "blocks",
    otherwise: Any = ABSENT,
    parallel: bool = True,
) -> dict[str, EventRow]:
    """Return the rows of a table by native name.

    The first line names the cells, which stand between `|`. A line whose first cell is empty
    continues the row above; an indented line without cells continues its payload. `event` is the
    native name, `body` the class of its body. `payload` holds its fields as `core.dialect.column`
    reads them, `may` its powers. `how` holds columns: the name of one that is true (with `not-`
    before it: false), or `name=value`, where a value has commas instead of blanks. Every other cell
    is the column of its name, `-` an empty one, a mapping as `key:value`. What can deny blocks by
    that, and a matcher of a tool call is compared with the tool, unless a column says otherwise. An
    event without `reads` reads the keys whose powers it has, but none that decides.

    Args:
        text: the table.
        dialect: whose events they are.
        listed: event, by this or its other name (`called`) -> kind, where no cell `kind` names one;
            by default as the vocabulary has them.
        words: word of a cell -> the words that replace it.
        keys: the keys of an answer. An event has the powers of those that it reads.
        values: word of a cell -> its value, for columns that are neither text nor a stance.
        always: powers of every event.
        halts: the column that says by what an event that may halt ends the run.
        otherwise: what is sent for a field without a value that names none.
        parallel: hooks start at once.
    """
    rows: dict[str, EventRow] = {}
    if listed is None:
        listed = kinds.native_names(dialect) if dialect in kinds.VOCABULARIES else {}
    for cells in _split(text, words):
        native = cells.pop("event")
        usual = cells.pop("kind", "") or listed.get(native) or listed.get(cells.get("called", ""))
        usual = usual or kinds.unknown_kind(dialect, native)
        body = _BODIES.get(usual, event.Lifecycle)
        if "body" in cells:
            body = getattr(event, cells.pop("body") or "Lifecycle")
        declared = {*always.split(), *cells.pop("may", "").split()}
        reads = _find_reads(keys, cells.pop("reads", None), declared)
        powers = {*declared, *reads.values()}
        columns: dict[str, Any] = {
            "kind": usual,
            "subject": "tool" if body is event.ToolCall else "",
            "parallel": parallel,
        }
        if "halt" in declared:
            columns[halts] = Stance.HALT
        if "deny" in powers:
            columns["blocks"] = Stance.DENY
        fields = column(cells.pop("payload", ""), otherwise)
        for name, cell in cells.items():
            if cell:
                columns[name] = _read_cell(EventRow.__defaults__[name], cell, values)
        for name in ("blocks", "stops"):
            powers.add(_POWERS.get(columns.get(name), ""))
        rows[native] = EventRow(
            native=native,
            body=body,
            fields=fields,
            powers=frozenset(powers - {""}),
            reads=reads,
            **columns,
        )
    return rows


def _split(text: str, words: Mapping[str, str]) -> Iterator[dict[str, str]]:
    """Yield the cells of each row by name, those of `how` as cells of their own."""
    head, *lines = text.strip().splitlines()
    names = [name.strip() for name in head.split("|")]
    rows: list[dict[str, str]] = []
    for line in lines:
        parts = line.split("|")
        given = dict(zip(names, parts, strict=True)) if len(parts) > 1 else {"payload": line}
        if not line.startswith(" "):
            rows.append(dict.fromkeys(given, ""))
        for name, cell in given.items():
            spelled = [words.get(word, word) for word in cell.split()]
            rows[-1][name] = " ".join((rows[-1].get(name, ""), *spelled)).strip()
    for row in rows:
        for word in row.pop("how", "").split():
            name, is_given, value = word.partition("=")
            if is_given:
                row[name] = words.get(value, value).replace(",", " ")
            else:
                row[name.removeprefix("not-")] = "false" if name.startswith("not-") else "true"
        yield row


def _find_reads(keys: Mapping[str, Key], cell: str | None, powers: set[str]) -> dict[str, str]:
    """Return the keys that an event reads, and the power that each uses."""
    reads = {}
    for word in keys if cell is None else cell.split():
        key, _, power = word.partition("=")
        power = power or (keys[key].power if key in keys else "")
        if cell is not None or power in powers - {"deny"}:
            reads[key] = power
    return reads


def _read_cell(default: Any, cell: str, values: Mapping[str, Any]) -> Any:
    if cell in values:
        return values[cell]
    if isinstance(default, Stance):
        return Stance[cell]
    if isinstance(default, bool):
        return cell == "true"
    if isinstance(default, float):
        return float(cell)
    if isinstance(default, tuple | frozenset):
        return type(default)(cell.split())
    if not isinstance(default, dict):
        return "" if cell == "-" else cell
    read: dict[str, Any] = {}
    for word in cell.split():
        key, _, value = word.partition(":")
        read[key] = _STANCES.get(value, int(value) if value.isdigit() else value)
    return read
