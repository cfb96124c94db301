"""Stances, and the decision document."""

from __future__ import annotations

import pytest

from hookline.model.verdict import Decision, Lowered, Stance, Verdict

QUIET = Decision(kind="tool.before", dialect="docker-agent", native_event="pre_tool_use")


def test_stances_are_ordered_from_the_weakest_claim_to_the_strongest() -> None:
    """Comparing them is how the strongest is found."""
    assert sorted(Stance) == [Stance.SILENT, Stance.ALLOW, Stance.ASK, Stance.DENY, Stance.HALT]


@pytest.mark.parametrize(
    ("stance", "allowed"),
    [("SILENT", True), ("ALLOW", True), ("ASK", False), ("DENY", False), ("HALT", False)],
)
def test_which_stances_permit_a_call(stance: str, *, allowed: bool) -> None:
    """Only silence and consent let the moment pass by themselves."""
    assert QUIET.replace(stance=Stance[stance]).allowed is allowed


def test_the_document_has_the_keys_of_the_contract_in_their_order() -> None:
    """Architecture 7.2; `effects` is there only when a hook used one."""
    keys = [
        "schema", "kind", "dialect", "native_event", "stance", "decider", "reason", "evidence",
        "rewrite", "for_agent", "for_user",
        "labels", "warnings", "retry_after", "redo", "lowered", "seconds", "verdicts",
    ]  # fmt: skip

    assert list(QUIET.to_dict()) == keys
    assert list(QUIET.replace(effects={"env": {"A": "1"}}).to_dict()) == [*keys, "effects"]


def test_what_was_lowered_names_effect_reason_and_hook() -> None:
    """Each entry says what, why and whose."""
    document = QUIET.replace(
        lowered=(Lowered(effect="ask", reason="nobody to ask", hook="a"),)
    ).to_dict()

    assert document["lowered"] == [{"effect": "ask", "reason": "nobody to ask", "hook": "a"}]


def test_a_verdict_in_the_document_has_no_payload_but_the_hooks_own_words() -> None:
    """Its keys are those of the contract."""
    document = Verdict(hook_id="a", fault="timed out", exit_code=None).to_dict()

    assert list(document) == [
        "hook",
        "stance",
        "reason",
        "rewrite",
        "for_agent",
        "for_user",
        "labels",
        "warnings",
        "fault",
        "exit_code",
        "seconds",
        "shadow",
    ]
    assert (document["stance"], document["fault"]) == ("silent", "timed out")
