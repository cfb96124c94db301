"""The adapter of Pydantic AI plays at the locked release; `make adapters` plays all others."""

from __future__ import annotations

import pytest

from tests.adapters.drivers import pydantic_ai
from tests.adapters.play import run_play
from tests.adapters.plays import PLAYS


@pytest.mark.parametrize("play", PLAYS, ids=lambda play: play.name)
def test_a_play_in_pydantic_ai(play) -> None:
    """The hooks have the effects that they have in every framework."""
    assert run_play(pydantic_ai, play) == []


def test_a_play_finds_what_an_adapter_does_not_do() -> None:
    """Hooks that are not asked are found."""
    blocked = next(play for play in PLAYS if play.name == "block")
    unblocked = next(play for play in PLAYS if play.name == "no hooks")
    faults = run_play(pydantic_ai, blocked.__class__(**{**vars(blocked), "hooks": unblocked.hooks}))

    assert [fault.partition(":")[0] for fault in faults] == [
        "ran", "events", "the model did not read 'not that, says a hook'",
    ]  # fmt: skip
