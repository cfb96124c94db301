"""Which switches are there, and what do they say?"""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from hookline.trust import Known, switches
from hookline.trust.switch import off_by, off_by_name
from tests.unit.trust.support import hook

if TYPE_CHECKING:
    from collections.abc import Callable

    from hookline.model.spec import HookSpec


@pytest.mark.parametrize(
    ("off", "environ", "why"),
    [
        (set(), {}, ""),
        (set(), {"HOOKLINE": "1"}, ""),
        (set(), {"HOOKLINE": "0"}, "HOOKLINE=0"),
        (set(), {"HOOKLINE": "OFF"}, "HOOKLINE=off"),
        (set(), {"HOOKLINE_SKIP": "x, h"}, "HOOKLINE_SKIP names `h`"),
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


@pytest.mark.parametrize(
    ("off", "why"),
    [("/b", "`hookline off` in `/b`"), ("/b/sub", "`hookline off` in `/b/sub`"), ("/bc", "")],
)
def test_off_where_the_event_is_is_off(off: str, why: str) -> None:
    """Also for an engine of another project."""
    known = Known(approvals={}, off=frozenset({off}))

    assert off_by(hook("x"), known, "/p", {}, "/b/sub/../sub") == why


def by(declared: str) -> Callable[[HookSpec], str]:
    """Whoever is asked, the hook is declared so."""
    return lambda _: declared


@pytest.mark.parametrize(
    ("off", "cwd", "why"),
    [
        (set(), "", ""),
        ({("/p", "one")}, "", "`hookline off` names it"),
        ({("/p", "two")}, "", ""),
        ({("/", "one")}, "", "`hookline off` names it"),
        ({("/p/sub", "one")}, "", ""),
        ({("/p/sub", "one")}, "/p/sub", "`hookline off` names it"),
        ({("", "one")}, "", "`hookline off` names it, in every project"),
    ],
)
def test_a_single_hook_is_off_where_it_is_switched_off(
    off: set[tuple[str, str]], cwd: str, why: str
) -> None:
    """As it is declared: here, above, where the event is, or everywhere."""
    known = Known(approvals={}, hooks_off=frozenset(off))

    assert off_by_name(hook("x"), known, "/p", by("one"), cwd) == why
    assert off_by_name(hook("x"), None, "/p", by("one"), cwd) == ""


def test_without_a_store_only_the_environment_is_heard() -> None:
    """A store that cannot be read switches nothing off."""
    assert off_by(hook("x"), None, "/p", {}) == ""
    assert off_by(hook("x"), None, "/p", {"HOOKLINE": "no"}) == "HOOKLINE=no"


def test_all_switches_can_be_seen() -> None:
    """For whoever wonders why nothing runs."""
    known = Known(approvals={}, off=frozenset({"/p"}))

    assert switches(known, "/p", {"HOOKLINE": "0"}) == {
        "everywhere": True,
        "project": False,
        "environment": False,
    }
    assert not switches(known, "/p/sub", {})["project"]
