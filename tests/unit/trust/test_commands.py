"""What a person does about approvals."""

from __future__ import annotations

import pytest

from hookline.errors import TrustError
from hookline.model.handler import InProcess
from hookline.trust.commands import (
    approve,
    choose_hooks,
    find_states,
    revoke,
    switch_hooks,
    switch_project,
)
from hookline.trust.policy import APPROVED, NEW, REVOKED
from tests.unit.trust.support import World, hook

SPEC = hook("./guard.sh", "1", id="a", name="guard")
OTHER = hook("./other.sh", id="b", native_event="PostToolUse", kind="tool.after")


@pytest.mark.parametrize(
    ("meant", "found"),
    [
        ({"command": "./guard.sh 1"}, ["a"]),
        ({"hook": "guard"}, ["a"]),
        ({"event": "tool.after"}, ["b"]),
        ({"event": "PreToolUse"}, ["a"]),
        ({}, ["a", "b"]),
    ],
)
def test_hooks_are_chosen_by_what_they_run_are_or_stand_at(
    meant: dict[str, str], found: list[str]
) -> None:
    """Each narrows."""
    assert [spec.id for spec in choose_hooks([SPEC, OTHER], **meant)] == found


def test_what_is_not_declared_cannot_be_approved() -> None:
    """And says so."""
    with pytest.raises(TrustError) as caught:
        choose_hooks([SPEC], command="./none.sh", event="Stop")

    assert caught.value.name == "trust.unmatched"
    assert "./none.sh" in caught.value.message


def test_recorded_is_what_was_shown(world: World) -> None:
    """Not what lies there after the answer (docs/explanation/trust.md 5)."""
    world.script("a")
    gate = world.gate()
    shown = find_states(gate, [SPEC])
    world.script("b")
    assert [state.state for state in approve(gate, shown)] == [APPROVED]

    assert world.state(SPEC).state == "changed"
    world.script("a")
    assert world.state(SPEC).state == APPROVED


def test_all_or_none_are_approved(world: World) -> None:
    """What is not there cannot be."""
    world.script("a")
    gate = world.gate()
    with pytest.raises(TrustError) as caught:
        approve(gate, find_states(gate, [SPEC, hook("./missing.sh", id="c")]))

    assert caught.value.name == "trust.missing"
    assert world.state(SPEC).state == NEW


def test_an_approval_names_who_and_how(world: World) -> None:
    """By the environment where nobody is named."""
    world.script("a")
    gate = world.gate()
    approve(gate, find_states(gate, [SPEC]), how="test")
    (kept,) = gate.store.list_versions(*_key(world, gate))

    assert (kept.who, kept.how, kept.command, kept.guards) == ("ada", "test", "./guard.sh 1", True)


def _key(world: World, gate: object) -> tuple[str, str]:
    state = world.state(SPEC)
    del gate
    return state.owner.key, state.definition


def test_revoked_hooks_are_returned(world: World) -> None:
    """Those that need no approval are not among them."""
    world.script("a")
    gate = world.gate()
    done = revoke(gate, [SPEC, hook(scope="process", handler=InProcess(call=print))])

    assert [(state.spec.id, state.state) for state in done] == [("a", REVOKED)]
    assert world.state(SPEC).state == REVOKED


def test_no_switch_reaches_a_python_function(world: World) -> None:
    """Nothing is switched then."""
    gate = world.gate()
    with pytest.raises(TrustError) as caught:
        switch_hooks(
            gate, [SPEC, hook(scope="process", handler=InProcess(call=print))], is_on=False
        )

    assert caught.value.name == "trust.not-switched"
    assert gate.store.read_switches() == ()


def test_switches_are_recorded(world: World) -> None:
    """With who and how."""
    said: list[dict[str, object]] = []
    gate = world.gate(write_record=said.append)
    switch_project(gate, is_on=False, how="test")
    switch_project(gate, is_on=True, everywhere=True, how="test")

    assert [(each["what"], each["root"], each["who"]) for each in said] == [
        ("off", str(world.project), "ada"), ("on", "", "ada"),
    ]  # fmt: skip
