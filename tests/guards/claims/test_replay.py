"""The guard itself, event by event, on replies with the tool calls of their session."""

from __future__ import annotations

import json

from tests.guards.claims.replay import (
    FOLDER,
    REPLAYED,
    count_replies,
    load_replies,
    replay,
    report_replies,
)

RECALL, FALSE_ALARMS, DISTANCE = 92, 2, 3  # per cent


def test_false_claims_are_refused_and_others_pass() -> None:
    """Both shares reach their targets on cases by another author, in both languages."""
    outcomes = replay(load_replies(REPLAYED))
    report_replies(outcomes)
    recall = {}
    for language in ("en", "zh"):
        own = [each for each in outcomes if each.case.language == language]
        recall[language], false = count_replies(own)

        assert recall[language].per_cent >= RECALL
        assert false.per_cent <= FALSE_ALARMS

    assert recall["en"].per_cent - recall["zh"].per_cent <= DISTANCE


def test_a_call_counts_for_what_it_does() -> None:
    """A dry run, a draft, a look, or another link backs nothing."""
    wrong = [
        (each.case.reply, each.case.calls, each.text)
        for each in replay(load_replies(FOLDER / "calls.yaml"))
        if each.is_refused != each.case.is_caught
    ]

    assert wrong == []


def test_a_file_of_json_lines_is_read_as_well(tmp_path) -> None:
    """Each line is a case; a ledger that is not complete is unknown, so nothing is refused."""
    case = {"id": "a", "reply": "All tests pass.", "form": "claim", "verdict": "caught"}
    rows = [case, {**case, "id": "b", "verdict": "pass", "ledger_complete": False}]
    file = tmp_path / "cases.jsonl"
    file.write_text("\n".join(map(json.dumps, rows)), encoding="utf-8")

    assert [each.is_refused for each in replay(load_replies(file))] == [True, False]
