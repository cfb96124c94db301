"""What becomes of a hook in each state."""

from __future__ import annotations

import pytest

from hookline.trust.policy import (
    APPROVED,
    CHANGED,
    NEW,
    OWN,
    PROJECT,
    REVOKED,
    STRICTEST,
    Policy,
    explain_environment,
    explain_switch,
    find_off,
    is_named,
    list_switches,
    read_policy,
)
from hookline.trust.store import Switch
from tests.unit.trust.support import hook


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
    assert read_policy(settings).find_effect(column, state, can_run=can_run) == effect


def test_the_strictest_policy_runs_nothing_that_nobody_approved() -> None:
    """It holds where the settings cannot be read."""
    assert {STRICTEST.find_effect(OWN, state) for state in (NEW, CHANGED)} == {"deny"}
    assert STRICTEST.find_effect(PROJECT, CHANGED) == "deny"
    assert STRICTEST.find_effect(PROJECT, NEW) == "skip"
    assert Policy() == read_policy({"self_approve": True})


def test_files_that_the_user_names_need_no_approval() -> None:
    """Naming one is consent."""
    assert [scope for scope in ("managed", "user", "project", "local", "explicit", "process")
            if is_named(scope)] == ["explicit", "process"]  # fmt: skip


D = "d" * 64


@pytest.mark.parametrize(
    ("environ", "why"),
    [
        ({}, ""),
        ({"HOOKLINE": "1"}, ""),
        ({"HOOKLINE": "OFF"}, "HOOKLINE=off"),
        ({"HOOKLINE_SKIP": "x, h"}, "HOOKLINE_SKIP names `h`"),
        ({"HOOKLINE_SKIP": "guard"}, "HOOKLINE_SKIP names `guard`"),
        ({"HOOKLINE_SKIP": "x,,"}, ""),
    ],
)
def test_the_environment(environ: dict[str, str], why: str) -> None:
    """All hooks, or one by its id or name."""
    assert explain_environment(hook("x", name="guard"), environ) == why


@pytest.mark.parametrize(
    ("switch", "cwd", "why"),
    [
        (Switch(), "", "`hookline off`"),
        (Switch(root="/p"), "", "`hookline off` in this project"),
        (Switch(root="/"), "", "`hookline off` in `/`"),
        (Switch(root="/q"), "", ""),
        (Switch(root="/p/sub"), "", ""),
        (Switch(root="/b"), "/b/sub", "`hookline off` in `/b`"),
        (Switch(root="/bc"), "/b/sub", ""),
        (Switch(definition=D), "", "`hookline off` names it in every project"),
        (Switch(root="/p", definition=D), "", "`hookline off` names it in this project"),
        (Switch(root="/p", definition="other"), "", ""),
    ],
)
def test_off_anywhere_is_off(switch: Switch, cwd: str, why: str) -> None:
    """Everywhere, in the project, around the event's folder, by its definition."""
    assert explain_switch([switch], "/p", cwd, lambda: D) == why


def test_what_is_on() -> None:
    """A switch of a single hook leaves the others on."""
    switches = [Switch(root="/p"), Switch(definition=D)]

    assert find_off(switches, "/p/sub") == "/p"
    assert find_off(switches, "/q") == ""
    assert list_switches(switches, "/p", {"HOOKLINE": "0"}) == {
        "everywhere": True, "project": False, "environment": False,
    }  # fmt: skip
    assert list_switches([Switch()], "/p", {})["everywhere"] is False
