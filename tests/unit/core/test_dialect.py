"""Tables: how the rows of a dialect are found."""

from __future__ import annotations

from hookline.core.dialect import ABSENT, FoldRule, Table
from tests.plays.play import row

TABLE = Table(
    name="d",
    rows={each.native: each for each in (row("guard"), row("before"), row("after", "tool.after"))},
    aliases={"pre": "before", "lost": "nowhere"},
    covers={"before": ("guard", "before")},
)


def test_a_row_is_found_by_its_name_or_an_alias() -> None:
    """Aliases are other spellings; what is neither has no row."""
    assert [TABLE.row(name) is TABLE.rows["before"] for name in ("before", "pre")] == [True, True]
    assert [TABLE.row(name) for name in ("", "unheard", "lost")] == [None, None, None]


def test_the_row_of_a_kind_is_the_first_that_speaks_for_its_moment() -> None:
    """Several natives may share a canonical kind.

    A secondary one is taken where there is no other.
    """
    secondary = {native: each.replace(secondary=True) for native, each in TABLE.rows.items()}

    assert TABLE.row_of_kind("tool.before") is TABLE.rows["guard"]
    assert (
        TABLE.replace(rows={**TABLE.rows, "guard": secondary["guard"]}).row_of_kind("tool.before")
        is TABLE.rows["before"]
    )
    assert TABLE.replace(rows=secondary).row_of_kind("tool.before") is secondary["guard"]
    assert TABLE.row_of_kind("stop") is None


def test_an_event_selects_its_row_or_what_it_covers() -> None:
    """An unknown name selects hooks that were declared under just that name."""
    assert {name: TABLE.selects(name) for name in ("before", "after", "pre", "unheard")} == {
        "before": ("guard", "before"),
        "after": ("after",),
        "pre": ("before",),
        "unheard": ("unheard",),
    }


def test_a_dialect_that_says_nothing_has_the_rules_of_the_architecture() -> None:
    """First summary, reasons apart, three redos of a stop gate, a timeout of one minute."""
    assert FoldRule() == FoldRule(
        firsts=frozenset({"summary"}),
        joins_reasons=False,
        drops_rewrite_when_denied=False,
        exclusive={},
    )
    assert (TABLE.redo_limit, TABLE.default_timeout, TABLE.ticks_per_second, TABLE.echo_safe) == (
        3,
        60.0,
        1,
        True,
    )


def test_absence_prints_as_a_word() -> None:
    """A printed table shows what is left out."""
    assert repr(ABSENT) == "ABSENT"


def test_what_a_decision_may_carry_is_the_same_for_every_tool() -> None:
    """Unless the row tells tools apart."""
    guard = TABLE.rows["guard"].replace(powers=frozenset({"deny", "output"}))

    assert guard.powers_on("Bash") is guard.powers
    assert guard.replace(only_for={"output": "MCP:"}).powers_on("Bash") == {"deny"}
    assert guard.replace(only_for={"output": "MCP:"}).powers_on("MCP:x") == {"deny", "output"}
