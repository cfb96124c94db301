"""What a person does about approvals."""

from __future__ import annotations

import pytest

from hookline.engine.approval_service import (
    approve,
    revoke,
    switch_hooks,
)
from hookline.errors import TrustError
from hookline.model.spec import InProcess
from hookline.trust.state import APPROVED, NEW, REVOKED
from tests.unit.trust.conftest import world
from tests.unit.trust.support import World, hook

__all__ = ["world"]

SPEC = hook("./guard.sh", "1", id="a", name="guard")


def test_recorded_is_what_was_shown(world: World) -> None:
    """A later change of the file is not approved (docs/explanation/trust.md 5)."""
    world.script("a")
    gate = world.gate()
    shown = gate.find_states([SPEC])
    world.script("b")
    approve(gate, shown)

    assert world.state(SPEC).state == "changed"
    world.script("a")
    assert world.state(SPEC).state == APPROVED


def test_all_or_none_are_approved(world: World) -> None:
    """A missing hook cannot be approved."""
    world.script("a")
    gate = world.gate()
    with pytest.raises(TrustError) as caught:
        approve(gate, gate.find_states([SPEC, hook("./missing.sh", id="c")]))

    assert caught.value.name == "trust.missing"
    assert world.state(SPEC).state == NEW


def test_an_approval_names_who_and_how(world: World) -> None:
    """Without a name, it takes the user of the environment."""
    world.script("a")
    gate = world.gate()
    approve(gate, gate.find_states([SPEC]), how="test")
    (kept,) = gate.store.list_versions(*_key(world, gate))

    assert (kept.who, kept.how, kept.command, kept.guards) == ("ada", "test", "./guard.sh 1", True)


def _key(world: World, gate: object) -> tuple[str, str]:
    state = world.state(SPEC)
    del gate
    return state.owner.key, state.definition


def test_revoked_hooks_are_returned(world: World) -> None:
    """Hooks that need no approval are not among them."""
    world.script("a")
    gate = world.gate()
    done = revoke(gate, [SPEC, hook(scope="process", handler=InProcess(call=print))])

    assert [(state.spec.id, state.state) for state in done] == [("a", REVOKED)]
    assert world.state(SPEC).state == REVOKED


def test_no_switch_reaches_a_python_function(world: World) -> None:
    """It changes nothing in that case."""
    gate = world.gate()
    with pytest.raises(TrustError) as caught:
        switch_hooks(gate, [SPEC, hook(scope="process", handler=InProcess(call=print))], on=False)

    assert caught.value.name == "trust.not-switched"
    assert gate.store.read_switches() == []


def test_switches_are_recorded(world: World) -> None:
    """With who and how."""
    said: list[dict[str, object]] = []
    gate = world.gate(write_record=said.append)
    switch_hooks(gate, None, on=False, how="test")
    switch_hooks(gate, None, on=True, everywhere=True, how="test")

    assert [(each["did"], each["root"], each["who"]) for each in said] == [
        ("off", str(world.project), "ada"), ("on", "", "ada"),
    ]  # fmt: skip
