"""What a file says about other hooks, on its way to `combine`."""

from __future__ import annotations

import pytest

from hookline.core.dialect import Source
from hookline.model.spec import Command, HookSpec, Origin
from hookline.wire.disable_flags import (
    drop_flags,
    is_disable_flag,
    make_disable_flag,
    remove_hooks,
    report_disabled_hooks,
    select_project_flags,
    select_trusted_flags,
)

ORIGIN = Origin(file="a.json", line=2, scope="user")
HOOK = HookSpec(id="h", dialect="d", kind="stop", native_event="Stop", handler=Command(script="x"))


def thrown(**source: bool) -> HookSpec:
    """A switch of a source."""
    place = Source(file="/h/a.json", **source)  # type: ignore[arg-type]
    return make_disable_flag(place, "d", "off", ORIGIN, {"on": True})


def test_a_switch_is_no_hook() -> None:
    """It differs from a hook, also from one that cannot be loaded."""
    assert [is_disable_flag(spec) for spec in (thrown(), HOOK)] == [True, False]
    assert drop_flags([thrown(), HOOK]) == [HOOK]
    assert (thrown().id, thrown().native_event, thrown().facts) == (
        "a.json#off",
        "off",
        {"on": True},
    )


@pytest.mark.parametrize(
    ("source", "counts"), [({}, 1), ({"trusted": False}, 0), ({"shadow": True}, 0)]
)
def test_which_files_switch_hooks_off(source: dict[str, bool], counts: int) -> None:
    """A file without approval, or a shadow file, switches nothing off."""
    assert len(select_trusted_flags([HOOK, thrown(**source)])) == counts


def test_what_was_switched_off_is_said() -> None:
    """Without such a hook there is no message."""
    assert [str(problem) for problem in report_disabled_hooks(ORIGIN, "`off`", [HOOK, HOOK])] == [
        "a.json:2: HKL1604 `off` in a.json switches 2 hooks off",
    ]
    assert [problem.message for problem in report_disabled_hooks(Origin(), "`off`", [HOOK])] == [
        "`off` in this configuration switches 1 hook off"
    ]
    assert report_disabled_hooks(ORIGIN, "`off`", []) == []
    (at_home,) = report_disabled_hooks(ORIGIN, "`off`", [HOOK], at_home=True)
    assert (at_home.message, at_home.hooks) == (
        "`off` in a.json switches 1 hook of this project off, and no others",
        ("h",),
    )


@pytest.mark.parametrize(
    ("source", "counts"),
    [
        ({"scope": "project", "trusted": False}, 1),
        ({"scope": "local", "trusted": False}, 1),
        ({"scope": "project", "trusted": False, "shadow": True}, 0),
        ({"scope": "project"}, 0),
        ({"scope": "user", "trusted": False}, 0),
    ],
)
def test_a_clone_switches_off_its_own_hooks(source: dict[str, object], counts: int) -> None:
    """An unapproved file of a project switches off the project's own hooks.

    A shadow file switches nothing off.
    """
    place = Source(file="/h/a.json", **source)  # type: ignore[arg-type]  # a row
    spec = make_disable_flag(place, "d", "off", Origin(file="/h/a.json", scope=place.scope), {})

    assert len(select_project_flags([HOOK, spec])) == counts


def test_removed_hooks_are_found_by_identity() -> None:
    """By identity, not by value."""
    equal = HOOK.replace(name="")

    assert remove_hooks([HOOK, equal], [equal]) == [HOOK]
    assert remove_hooks([HOOK, equal], [equal])[0] is HOOK
