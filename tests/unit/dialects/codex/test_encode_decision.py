"""A decision on its way to Codex and back: what is said is what is read."""

from __future__ import annotations

import json
from typing import Any

import pytest

from hookline.core.dialect import Source
from hookline.core.fit import fit
from hookline.core.fold import fold
from hookline.dialects.codex import Codex
from hookline.dialects.codex.table import TABLE
from hookline.model.event import Event, Rewrite
from hookline.model.verdict import Decision, Outcome, Stance, Verdict

DIALECT = Codex()
SAID = {
    "allow": Verdict(stance=Stance.ALLOW),
    "deny": Verdict(stance=Stance.DENY, reason="why"),
    "halt": Verdict(stance=Stance.HALT, reason="why"),
    "input": Verdict(rewrite=Rewrite(target="input", value={"command": "pwd"})),
    "context": Verdict(for_agent="c"),
    "note": Verdict(for_user="n"),
}
CASES = [(native, power) for native, row in TABLE.rows.items() for power in sorted(row.powers)]


def happening(native: str) -> Event:
    """An event of that name."""
    return DIALECT.decode_event(
        {
            "hook_event_name": native,
            "tool_name": "Bash",
            "tool_input": {"command": "ls"},
            "prompt": "p",
        }
    )


def decided(native: str, *verdicts: Verdict) -> Decision:
    """The reply to Codex."""
    row = TABLE.row(native)
    assert row is not None
    event = happening(native)
    return fit(fold(verdicts, row.fold or TABLE.fold, event), row.powers)


@pytest.mark.parametrize(("native", "power"), CASES)
def test_what_is_said_is_what_is_read(native: str, power: str) -> None:
    """Each power of each event survives the way to the host, whose rules are the reader's."""
    decision = decided(native, SAID[power])
    reply = DIALECT.encode_decision(decision, happening(native))
    tree = {"hooks": {native: [{"hooks": [{"type": "command", "command": "guard"}]}]}}
    (spec,) = DIALECT.load(Source(tree=tree)).specs
    heard = DIALECT.decode_outcome(
        Outcome(exit_code=reply.exit_code, stdout=reply.stdout), spec, happening(native)
    )

    assert decision.lowered == ()
    assert heard.fault is None
    assert (heard.stance, heard.reason) == (decision.stance, decision.reason)
    assert (heard.for_agent, heard.for_user) == (
        "".join(decision.for_agent),
        "".join(decision.for_user),
    )
    assert (heard.rewrite and heard.rewrite.value) == (decision.rewrite and decision.rewrite.value)


@pytest.mark.parametrize(
    ("native", "verdict", "reply"),
    [
        ("PreToolUse", {"stance": Stance.DENY, "for_user": "careful"}, "careful"),
        ("PreToolUse", {"stance": Stance.DENY}, "refused by a hook that gave no reason"),
        ("PreToolUse", {"stance": Stance.HALT, "reason": "the end"}, "the end"),
    ],
)
def test_a_denial_always_has_a_reason(native: str, verdict: dict[str, Any], reply: str) -> None:
    """22, rule 4: one is made, from the `systemMessage` if there is one.

    A halt of a call is its denial.
    """
    said = json.loads(
        DIALECT.encode_decision(decided(native, Verdict(**verdict)), happening(native)).stdout
    )

    assert said["hookSpecificOutput"]["permissionDecision"] == "deny"
    assert said["hookSpecificOutput"]["permissionDecisionReason"] == reply


@pytest.mark.parametrize(
    "native", [native for native, row in TABLE.rows.items() if "deny" in row.powers]
)
def test_no_refusal_is_without_words(native: str) -> None:
    """With an empty reason the host would count the hook as failed."""
    reply = DIALECT.encode_decision(
        decided(native, Verdict(stance=Stance.DENY, reason=" ")), happening(native)
    )

    assert "refused by a hook that gave no reason" in reply.stdout
    assert reply.exit_code == 0


def test_an_allow_and_an_ask_are_lowered_before_a_call() -> None:
    """The host would take either for a failed hook."""
    for stance, word in ((Stance.ALLOW, "allow"), (Stance.ASK, "ask")):
        decision = decided("PreToolUse", Verdict(stance=stance, reason="r"))

        assert [lowered.effect for lowered in decision.lowered] == [word]
        assert DIALECT.encode_decision(decision, happening("PreToolUse")).stdout == ""


def test_a_new_result_is_lowered() -> None:
    """It does not become a block, which no hook asked for."""
    decision = decided("PostToolUse", Verdict(rewrite=Rewrite(target="output", value="new")))

    assert [lowered.effect for lowered in decision.lowered] == ["output"]
    assert DIALECT.encode_decision(decision, happening("PostToolUse")).stdout == ""


def test_on_an_unknown_event_only_the_user_is_told() -> None:
    """A newer host surely understands nothing else."""
    event = DIALECT.decode_event({"hook_event_name": "Later"})
    decision = Decision(
        kind=event.kind,
        dialect="codex",
        native_event="Later",
        stance=Stance.HALT,
        reason="r",
        for_user=("n",),
        for_agent=("c",),
    )

    assert json.loads(DIALECT.encode_decision(decision, event).stdout) == {"systemMessage": "n"}
