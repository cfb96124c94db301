"""The adapter of Pydantic AI plays at the locked release; `make adapters` plays all others."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.adapters.drivers import pydantic_ai
from tests.adapters.limits import LIMITS, WAYS, write_table, write_ways
from tests.adapters.play import run_play
from tests.adapters.plays import PLAYS

GUIDE = Path(__file__).parents[2] / "docs/how-to/agent-frameworks.md"
NAMES = [play.name for play in PLAYS]


@pytest.mark.parametrize("way", WAYS["pydantic_ai"])
@pytest.mark.parametrize("play", PLAYS, ids=lambda play: play.name)
def test_a_play_in_pydantic_ai(play, way) -> None:
    """The hooks have the effects that they have in every framework."""
    skip = (pydantic_ai.LACKS | WAYS["pydantic_ai"][way]).get(play.name)
    if skip:
        pytest.skip(skip)
    assert run_play(pydantic_ai, play, way) == []


def test_a_play_finds_what_an_adapter_does_not_do() -> None:
    """Hooks that are not asked are found."""
    blocked = next(play for play in PLAYS if play.name == "block")
    unblocked = next(play for play in PLAYS if play.name == "observe")
    changed = blocked.__class__(**{**vars(blocked), "hooks": unblocked.hooks})
    faults = run_play(pydantic_ai, changed, "run")

    assert [fault.partition(":")[0] for fault in faults] == [
        "ran", "events", "the model did not read 'not that, says a hook'",
    ]  # fmt: skip


def test_the_guide_has_the_table_of_limits() -> None:
    """Each limit is of a play, and the guide shows what `make adapters` plays."""
    limits = [*LIMITS.values(), *(lacks for ways in WAYS.values() for lacks in ways.values())]

    assert {name for each in limits for name in each} <= {*NAMES}
    guide = GUIDE.read_text(encoding="utf-8")
    assert write_table(NAMES) in guide
    assert write_ways() in guide
