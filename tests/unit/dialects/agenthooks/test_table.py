"""The table: both spellings, and the powers of each event."""

from __future__ import annotations

from hookline.dialects.agenthooks.table import table
from hookline.model import kinds


def test_every_seed_name_is_an_alias_of_a_row_of_its_kind() -> None:
    """Eleven older names, each of the kind that the vocabulary gives it."""
    facts = table(approver=False)
    natives = kinds.native_names("seed1-agenthooks")

    assert {name: facts.rows[native].kind for name, native in facts.aliases.items()} == dict(
        natives
    )
    assert len(facts.rows) == 13


def test_an_approver_adds_the_ask_but_not_at_the_stop_gate() -> None:
    """There an ask counts as a denial."""
    rows = table(approver=True).rows.values()

    assert [row.native for row in rows if "ask" not in row.powers] == ["pre-agent-turn-stop"]
    assert all("ask" not in row.powers for row in table(approver=False).rows.values())


def test_what_can_be_refused() -> None:
    """The last column of docs/formats/agenthooks.md 2."""
    rows = list(table(approver=False).rows.values())

    assert [row.native for row in rows if not row.feedback] == [
        "pre-session", "pre-agent-turn", "pre-agent-turn-stop", "pre-tool-call", "pre-subagent",
        "pre-context-compact",
    ]  # fmt: skip
    assert [row.native for row in rows if "input" in row.powers] == ["pre-tool-call"]
