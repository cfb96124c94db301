"""Events by any of their names."""

from __future__ import annotations

import pytest

from hookline.cli.events import (
    POWERS,
    _describe_powers,
    find_kind,
    make_kind_document,
    suggest_event,
)
from hookline.model import kinds


@pytest.mark.parametrize(
    ("name", "dialect", "kind"),
    [
        ("tool.before", "", "tool.before"),
        ("pre_tool_use", "", "tool.before"),
        ("PreToolUse", "claude-code", "tool.before"),
        ("before_tool", "agenthooks", "tool.before"),
        ("AfterAgent", "", "stop"),
        ("PreToolUse", "docker-agent", ""),
        ("turn.start", "", "turn.start"),
        ("turn.start", "ahp", "prompt.submit"),
        ("turn.start", "docker-agent", "turn.start"),
        ("nothing", "", ""),
    ],
)
def test_an_event_is_found_by_any_name(name: str, dialect: str, kind: str) -> None:
    """Canonical, native, by an alias, narrowed to a dialect or not."""
    assert find_kind(name, dialect) == kind


def test_a_native_name_means_one_thing() -> None:
    """So a user need not name the dialect.

    Only a canonical name may mean another event in a dialect.
    """
    meanings: dict[str, set[str]] = {}
    for key in kinds.VOCABULARIES:
        for native, kind in kinds.native_names(key).items():
            meanings.setdefault(native, set()).add(kind)

    assert [
        name for name, told in meanings.items() if len(told) > 1 and name not in kinds.NAMES
    ] == []


def test_a_hint_looks_at_all_names() -> None:
    """Names of hooks included."""
    assert suggest_event("PreToolUze") == "did you mean `PreToolUse`?"
    assert suggest_event("my-gard", ["my-guard"]) == "did you mean `my-guard`?"


def test_the_page_of_an_event_has_a_row_for_each_dialect_that_we_speak() -> None:
    """A row says what a block and a failure mean there."""
    rows = {
        (row["dialect"], row["native_event"]): row
        for row in make_kind_document("tool.before", [])["rows"]
    }

    assert {dialect for dialect, _ in rows} >= {"docker-agent", "claude-code", "agenthooks"}
    assert rows["docker-agent", "pre_tool_use"]["on_failure"] == "deny"
    assert rows["docker-agent", "pre_tool_use"]["can_block"] is True
    assert rows["docker-agent", "pre_tool_use"]["parallel"] is False
    assert "tool_name" in rows["claude-code", "PreToolUse"]["fields"]


@pytest.mark.parametrize("kind", kinds.NAMES)
def test_every_power_has_its_words(kind: str) -> None:
    """The vocabulary's powers have a description."""
    assert kinds.kind(kind).powers <= set(POWERS)


def test_a_power_without_words_is_told_by_its_name() -> None:
    """The page shows its name."""
    assert _describe_powers(["deny", "zap"]) == ["refuse it", "zap"]
