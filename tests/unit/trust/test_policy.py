"""Policy: what happens to a hook in each state."""

from __future__ import annotations

import pytest

from hookline.trust.state import (
    APPROVED,
    CHANGED,
    NEW,
    OWN,
    PROJECT,
    REVOKED,
    STRICTEST,
    Policy,
    is_named,
)


@pytest.mark.parametrize(
    ("column", "state", "can_run", "settings", "effect"),
    [
        (PROJECT, NEW, True, {}, "skip"),
        (PROJECT, APPROVED, True, {}, "run"),
        (PROJECT, CHANGED, True, {}, "ask"),
        (PROJECT, CHANGED, True, {"changed": "deny"}, "deny"),
        (PROJECT, CHANGED, True, {"changed": "run"}, "run"),
        (PROJECT, CHANGED, False, {"changed": "run"}, "skip"),
        (PROJECT, REVOKED, True, {"changed": "run"}, "skip"),
        (OWN, NEW, True, {}, "record"),
        (OWN, NEW, False, {}, "ask"),
        (OWN, NEW, True, {"own": "ask"}, "ask"),
        (OWN, NEW, True, {"own": "ask", "changed": "deny"}, "deny"),
        (OWN, APPROVED, True, {}, "run"),
        (OWN, CHANGED, True, {}, "warn"),
        (OWN, CHANGED, False, {}, "ask"),
        (OWN, CHANGED, True, {"own": "ask"}, "ask"),
        (OWN, REVOKED, True, {}, "skip"),
    ],
)
def test_the_table_of_states(
    column: str, state: str, settings: dict[str, str], effect: str, *, can_run: bool
) -> None:
    """As docs/explanation/trust.md 4 has it."""
    assert Policy(**settings).find_effect(column, state, can_run=can_run) == effect


def test_the_strictest_policy_runs_approved_hooks_only() -> None:
    """It holds where the settings cannot be read."""
    assert {STRICTEST.find_effect(OWN, state) for state in (NEW, CHANGED)} == {"deny"}
    assert STRICTEST.find_effect(PROJECT, CHANGED) == "deny"
    assert STRICTEST.find_effect(PROJECT, NEW) == "skip"


def test_files_that_the_user_names_need_no_approval() -> None:
    """Naming one is consent."""
    assert [scope for scope in ("managed", "user", "project", "local", "explicit", "process")
            if is_named(scope)] == ["explicit", "process"]  # fmt: skip
