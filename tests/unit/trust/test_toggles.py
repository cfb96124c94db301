"""Which switches turn a hook off."""

from __future__ import annotations

import pytest

from hookline.trust.store import Switch
from hookline.trust.toggles import explain_environment, explain_switch, find_off, list_switches
from tests.unit.trust.support import hook

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
