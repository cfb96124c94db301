"""Evidence: which vectors show an event's payload, and which effects of a decision it keeps.

Only what a vector expects counts, not what happens besides.
"""

from __future__ import annotations

import contextlib
import json
from functools import cache
from typing import TYPE_CHECKING, Any, NamedTuple

from hookline.engine.catalog import make_dialect
from hookline.errors import CodecError
from tests.conformance.player import vectors

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from hookline.core.dialect import Dialect, EventRow

# Key of a decision -> the power that it is evidence of, when it holds anything.
_POWERS: Mapping[str, str] = {
    "for_agent": "context",
    "for_user": "note",
    "retry_after": "retry",
    "evidence": "metadata",
}

# Key of an output that has no place of its own in a decision -> the power that carries it there.
_WITHIN: Mapping[str, str] = {"instruction_context": "context"}


class Evidence(NamedTuple):
    """The ids of vectors, by what they show of one event.

    `payload`: that the hook receives it byte for byte. `honoured`: power -> a decision with it.
    `rewritten`: target -> a new value. `lowered`: effect -> that it cannot be expressed here, and
    is said to be lost. `fired`: every vector of the event.
    """

    payload: list[str]
    honoured: dict[str, list[str]]
    rewritten: dict[str, list[str]]
    lowered: dict[str, list[str]]
    fired: list[str]


@cache
def evidence(dialect: str) -> Mapping[str, Evidence]:
    """Of each event of a dialect, by its native name, what its vectors show."""
    made = make_dialect(dialect)
    table = made.table
    found = {native: Evidence([], {}, {}, {}, []) for native in table.rows}
    for path in vectors():
        vector = json.loads(path.read_text(encoding="utf-8"))
        if vector.get("dialect", path.parent.name) != dialect or "skip" in vector:
            continue
        row = _row(vector, made)
        if row is not None and row.native in found:
            _read(vector, found[row.native])
    return found


def _row(vector: dict[str, Any], dialect: Dialect) -> EventRow | None:
    """The event that a vector fires: named by the vector or its payload, or decoded."""
    table, payload = dialect.table, vector.get("payload")
    keys = (
        [payload.get(field.native) for field in table.base if field.fact == "@native"]
        if isinstance(payload, dict)
        else []
    )
    named = next(
        (name for name in (vector.get("event"), *keys) if isinstance(name, str) and name), ""
    )
    if not named and isinstance(payload, dict):
        with contextlib.suppress(CodecError):
            named = dialect.decode_event(payload).native_name
    return table.row(named)


def _read(vector: dict[str, Any], shown: Evidence) -> None:
    name, expect = vector["id"], vector["expect"]
    shown.fired.append(name)
    if "sent_text" in expect:
        shown.payload.append(name)
    decision = expect.get("decision", {})
    for power in _honoured(decision):
        shown.honoured.setdefault(power, []).append(name)
    said = json.dumps(vector.get("outcomes", [])).replace("_", "").lower()
    for key, power in _WITHIN.items():
        if (
            key.replace("_", "") in said
            and name in shown.honoured.get(power, [])
            and key not in decision.get("lowered", ())
        ):
            shown.honoured.setdefault(key, []).append(name)
    for target in decision.get("rewrite") or {}:
        if target != "patch":
            shown.rewritten.setdefault(target, []).append(name)
    for effect in dict.fromkeys(decision.get("lowered") or ()):
        shown.lowered.setdefault(effect, []).append(name)


def _honoured(decision: dict[str, Any]) -> Iterator[str]:
    if decision.get("stance", "silent") != "silent":
        yield decision["stance"]
    yield from (power for key, power in _POWERS.items() if decision.get(key) not in (None, [], ""))
    yield from decision.get("effects") or ()


def missing(dialect: str) -> list[str]:
    """Everything that an event may do, or receives, and no vector shows."""
    wanting = []
    for native, shown in evidence(dialect).items():
        row = make_dialect(dialect).table.rows[native]
        if not shown.payload:
            wanting.append(f"{native}: the payload, byte for byte")
        wanting += [
            f"{native}: {power}"
            for power in sorted(row.powers)
            if power not in shown.honoured and power not in shown.rewritten
        ]
    return wanting
