"""A converted configuration decides as the original does, on every vector that fits it.

What the new dialect's host tells of an event is told to both: the hooks themselves, and the written
files. Only what the report of the conversion names may differ.
"""

from __future__ import annotations

import json
import os
from functools import cache
from typing import Any
from zlib import crc32

import pytest

from hookline.engine.catalog import NAMES, make_dialect
from hookline.errors import CodecError
from hookline.model.verdict import Stance
from tests.conformance.player import vectors
from tests.laws.conversion import Converted

TARGETS = [name for name in NAMES if getattr(make_dialect(name), "export", None)]
PAIRS = [
    (own, target) for own in NAMES for target in TARGETS if own not in (target, "hookline", "a3s")
]
# Losses after which several hooks of one event may decide otherwise. So they may if the target
# lowers the stance of some hooks only.
TOGETHER = (
    "that hooks run in turn",
    "that equal hooks run once",
    "what the rewrites of several hooks come to",
)
STANCES = ("`ask`", "`deny`", "`halt`")
_EMPTY = "an empty text is no rewrite there (docs/formats/hermes.md)"
_TEXT = "a result is a text there (docs/formats/copilot.md)"
# Vector and target -> why its decision cannot survive the way back.
NEVER = {
    **dict.fromkeys((("DA-238", "hermes"), ("DA-262", "hermes")), _EMPTY),
    **dict.fromkeys((("CC-100", "copilot"), ("CC-101", "copilot"), ("CU-121", "copilot")), _TEXT),
}
# At least FEWEST vectors of each dialect must be comparable, or this law proves nothing. A pair of
# dialects is done after ENOUGH vectors, others for each target; `make fuzz` plays all of them.
FEWEST, ENOUGH = (12, 10_000) if os.environ.get("HOOKLINE_FUZZ") else (5, 5)


@cache
def playable() -> list[tuple[str, dict[str, Any]]]:
    """Every vector with hooks and an event, and its dialect."""
    read = [(path.parent.name, json.loads(path.read_text(encoding="utf-8"))) for path in vectors()]
    return [
        (vector.get("dialect", folder), vector) for folder, vector in read if _is_playable(vector)
    ]


def _is_playable(vector: dict[str, Any]) -> bool:
    return (
        "payload" in vector
        and "error" not in vector["expect"]
        and "skip" not in vector
        and bool({"config", "text", "sources"} & vector.keys())
    )


def _comparable(converted: Converted) -> bool:
    """Whether every hook was written and receives the event. A file cannot hold approvals."""
    if any(loss.whole for loss in converted.conversion.losses) or not all(
        spec.trusted for spec in converted.play.specs
    ):
        return False
    if not any(spec.kind == converted.play.event.kind for spec in converted.hooks):
        return False
    try:
        return bool(converted.event)
    except CodecError:  # the vector's event lacks what the target's host always tells
        return False


def _explained(converted: Converted) -> bool:
    """Whether several hooks took part, and the report names a loss that changes their sum."""
    if sum(spec.kind == converted.event.kind for spec in converted.hooks) < 2:
        return False
    return any(
        loss.what in TOGETHER or any(word in loss.what for word in STANCES)
        for loss in converted.conversion.losses
    )


def _appended(converted: Converted) -> bool:
    """Whether the host appends the user's text to the result (docs/formats/starchild.md 5)."""
    row = converted.target.table.row(converted.event.native_name)
    return bool(getattr(row, "appends", False) and converted.expected().for_user)


def _told(decision: Any, event: Any) -> tuple[Stance, Any]:
    """Stance and effective rewrite.

    A rewrite of a denied event, and one that changes nothing, are none.
    """
    rewrite = decision.rewrite
    if (
        rewrite is None
        or decision.stance >= Stance.DENY
        or (rewrite.target == "input" and rewrite.value == event.input)
    ):
        return decision.stance, None
    return decision.stance, (rewrite.target, _reply_text(rewrite.value))


def _reply_text(value: Any) -> Any:
    """The text of a model's reply that Gemini puts into an object (docs/formats/gemini.md).

    Any other value as it is.
    """
    if not (isinstance(value, dict) and "candidates" in value):
        return value
    return value.get("text") or "".join(value["candidates"][0]["content"]["parts"])


@pytest.mark.parametrize(("own", "target"), PAIRS)
def test_what_was_converted_decides_the_same(own: str, target: str) -> None:
    """On every vector of the dialect, or the report says why not."""
    compared, wrong = 0, []
    played = [vector for dialect, vector in playable() if dialect == own]
    for vector in sorted(played, key=lambda vector: crc32(f"{vector['id']} {target}".encode())):
        if compared == ENOUGH:
            break
        if (vector["id"], target) in NEVER:
            continue
        converted = Converted(vector, own, target)
        if not _comparable(converted):
            continue
        compared += 1
        want, got = (
            _told(decision, converted.event)
            for decision in (converted.expected(), converted.decided())
        )
        if want != got and not _explained(converted) and not _appended(converted):
            wrong.append(f"{vector['id']}: {got} instead of {want}")

    assert wrong == []
    assert compared >= FEWEST
