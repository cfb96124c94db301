"""Which switches are there, and what do they say?"""

from __future__ import annotations

import pytest

from hookline.trust import Known, switches
from hookline.trust.switch import off_by
from tests.unit.trust.support import hook


@pytest.mark.parametrize(
    ("off", "environ", "why"),
    [
        (set(), {}, ""),
        (set(), {"HOOKLINE": "1"}, ""),
        (set(), {"HOOKLINE": "0"}, "HOOKLINE=0"),
        (set(), {"HOOKLINE": "OFF"}, "HOOKLINE=off"),
        (set(), {"HOOKLINE_SKIP": "x, h"}, "HOOKLINE_SKIP names `guard`"),
        (set(), {"HOOKLINE_SKIP": "guard"}, "HOOKLINE_SKIP names `guard`"),
        (set(), {"HOOKLINE_SKIP": "x,,"}, ""),
        ({""}, {}, "`hookline off`"),
        ({"/p"}, {}, "`hookline off` in this project"),
        ({"/q"}, {}, ""),
        ({"/p/sub"}, {}, ""),
        ({"/"}, {}, "`hookline off` in `/`"),
        ({""}, {"HOOKLINE": "1"}, "`hookline off`"),
    ],
)
def test_off_anywhere_is_off(off: set[str], environ: dict[str, str], why: str) -> None:
    """Everywhere, in a project, for a process, by name."""
    known = Known(approvals={}, off=frozenset(off))

    assert off_by(hook("x", name="guard"), known, "/p", environ) == why


@pytest.mark.parametrize(("off", "why"), [("/b", "`hookline off` in `/b`"), ("/b/sub", "`hookline off` in `/b/sub`"), ("/bc", "")])
def test_off_where_the_event_is_is_off(off: str, why: str) -> None:
    """Also for an engine of another project."""
    known = Known(approvals={}, off=frozenset({off}))

    assert off_by(hook("x"), known, "/p", {}, "/b/sub/../sub") == why


def test_without_a_store_only_the_environment_is_heard() -> None:
    """A store that cannot be read switches nothing off."""
    assert off_by(hook("x"), None, "/p", {}) == ""
    assert off_by(hook("x"), None, "/p", {"HOOKLINE": "no"}) == "HOOKLINE=no"


def test_all_switches_can_be_seen() -> None:
    """For whoever wonders why nothing runs."""
    known = Known(approvals={}, off=frozenset({"/p"}))

    assert switches(known, "/p", {"HOOKLINE": "0"}) == {"everywhere": True, "project": False, "environment": False}
    assert not switches(known, "/p/sub", {})["project"]
