"""A decision that was told is the decision, as far as a document tells it."""

from __future__ import annotations

import json

import pytest

from hookline import CodecError, Engine, Stance, context, deny, note, retry, rewrite
from hookline.remote.decisions import parse_decision

CALL = {"tool_name": "Bash", "tool_input": {"command": "ls"}, "session_id": "s"}
ANSWERS = {
    "nothing": lambda _: None,
    "a denial": lambda _: deny("no", evidence={"a": 1}),
    "a rewrite": lambda _: rewrite({"command": "pwd"}),
    "words": lambda _: context("for the agent"),
    "a note": lambda _: note("for the user"),
    "a retry": lambda _: retry(3, "later"),
    "a fault": lambda _: 1 / 0,
}


@pytest.mark.parametrize("answer", ANSWERS.values(), ids=ANSWERS)
@pytest.mark.parametrize("event", ["tool.before", "session.start"])
def test_its_document_is_the_same_again(event: str, answer) -> None:
    """Whatever a hook said."""
    engine = Engine()
    engine.on(event)(answer)
    document = json.loads(
        json.dumps(
            engine.fire(event, {**CALL, "tool": "Bash", "input": {"command": "ls"}}).to_dict()
        )
    )
    decision = parse_decision(document)

    assert decision.to_dict() == document
    assert isinstance(decision.stance, Stance)
    assert decision.allowed is (decision.stance < Stance.ASK)


@pytest.mark.parametrize("document", [None, [], {}, {"schema": "other/1"}, {"schema": "hookline.decision/1"}, {"schema": "hookline.decision/1", "kind": "x", "dialect": "", "native_event": "", "stance": "maybe"}], ids=repr)  # fmt: skip
def test_what_is_no_decision_is_refused(document) -> None:
    """It never passes for a yes."""
    with pytest.raises(CodecError):
        parse_decision(document)
