"""The words by which an in-process hook answers."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

import hookline
from hookline.model.event import Rewrite
from hookline.model.verdict import Stance, Verdict

if TYPE_CHECKING:
    from typing import Any


@pytest.mark.parametrize(
    ("answer", "verdict"),
    [
        (hookline.allow(), Verdict(stance=Stance.ALLOW)),
        (hookline.allow("known"), Verdict(stance=Stance.ALLOW, reason="known")),
        (hookline.ask("sure?"), Verdict(stance=Stance.ASK, reason="sure?")),
        (hookline.deny("no"), Verdict(stance=Stance.DENY, reason="no")),
        (
            hookline.deny("no", evidence={"rule": 3}),
            Verdict(stance=Stance.DENY, reason="no", evidence={"rule": 3}),
        ),
        (hookline.halt("enough"), Verdict(stance=Stance.HALT, reason="enough")),
        (hookline.context("for the model"), Verdict(for_agent="for the model")),
        (hookline.note("for the user"), Verdict(for_user="for the user")),
        (hookline.retry(), Verdict(retry_after=0.0)),
        (hookline.retry(2.5, "busy"), Verdict(retry_after=2.5, reason="busy")),
        (
            hookline.rewrite({"a": 1}),
            Verdict(rewrite=Rewrite(target="input", value={"a": 1}, merge=True)),
        ),
        (hookline.rewrite({}, replace=True), Verdict(rewrite=Rewrite(target="input", value={}))),
        (hookline.rewrite(text=""), Verdict(rewrite=Rewrite(target="text", value=""))),
        (hookline.rewrite(messages=[]), Verdict(rewrite=Rewrite(target="messages", value=[]))),
        (hookline.rewrite(output=0), Verdict(rewrite=Rewrite(target="output", value=0))),
        (hookline.rewrite(summary="s"), Verdict(rewrite=Rewrite(target="summary", value="s"))),
    ],
)
def test_each_word_is_a_verdict(answer: Verdict, verdict: Verdict) -> None:
    """Nothing but a verdict with the fields that the word means."""
    assert answer == verdict


@pytest.mark.parametrize("targets", [{}, {"text": "a", "summary": "b"}, {"input": {}, "output": 1}])
def test_a_rewrite_is_of_one_target(targets: dict[str, Any]) -> None:
    """None, or two, is a mistake of the hook's author."""
    with pytest.raises(TypeError, match="exactly one"):
        hookline.rewrite(**targets)


def test_a_patch_is_taken_as_it_was_then() -> None:
    """What a hook does with its dictionary afterwards changes no verdict."""
    patch = {"a": 1}
    answer = hookline.rewrite(patch)
    patch["a"] = 2

    assert answer.rewrite is not None
    assert answer.rewrite.value == {"a": 1}
