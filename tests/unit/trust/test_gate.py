"""The gate: which hooks it lets run, and which results count."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from hookline.engine.approval_service import approve, revoke, switch_hooks
from hookline.errors import TrustError
from hookline.model.verdict import Failure, Outcome, Stance
from hookline.trust.gate import Admission
from hookline.trust.state import Policy
from hookline.trust.store import Switch
from tests.unit.trust.support import World, hook

if TYPE_CHECKING:
    from hookline.model.spec import HookSpec
    from hookline.trust.gate import Gate

SPEC = hook("./guard.sh", file="/p/.claude/settings.json")


def refused(world: World, gate: Gate, spec: HookSpec = SPEC) -> Outcome:
    """Return the outcome of a hook that may not run."""
    given = gate.check_before(world.run(spec))
    assert isinstance(given, Outcome)
    return given


def admitted(world: World, gate: Gate, spec: HookSpec = SPEC) -> Admission:
    """Return the admission of a hook that may run."""
    given = gate.check_before(world.run(spec))
    assert isinstance(given, Admission)
    return given


def approved(world: World, spec: HookSpec = SPEC, **options: object) -> Gate:
    """Return a gate at which a hook is approved."""
    gate = world.gate(**options)
    approve(gate, [world.state(spec, gate)])
    return gate


def test_a_new_hook_decides_nothing_and_is_told_once(world: World) -> None:
    """The notice has the command that reviews it, and no text that a clone chose."""
    world.script("a")
    gate = world.gate()
    first, second = refused(world, gate), refused(world, gate)

    assert (first.failure, first.means) == (Failure.UNTRUSTED, Stance.SILENT)
    assert "you have not approved it" in first.note
    assert "`hookline approve`" in first.note
    assert "guard.sh" not in first.note
    assert (second.note, second.told) == ("", True)


def test_a_changed_guard_asks_each_time(world: World) -> None:
    """Before an action; elsewhere it is skipped with a notice."""
    world.script("a")
    gate = approved(world)
    assert admitted(world, gate).note == ""
    world.script("b")
    first, second = refused(world, gate), refused(world, gate)

    assert (first.failure, first.means) == (Failure.CHANGED, Stance.ASK)
    assert first.note == second.note != ""
    assert "guard.sh` changed" in first.note


@pytest.mark.parametrize(
    "change",
    [{"kind": "stop", "native_event": "Stop"}, {"shadow": True}],
)
def test_what_guards_no_action_is_skipped_with_a_notice(
    world: World, change: dict[str, object]
) -> None:
    """A refusal at a stop traps the agent and protects nothing (docs/explanation/trust.md 4)."""
    spec = SPEC.replace(**change)
    world.script("a")
    gate = approved(world, spec)
    world.script("b")
    given = refused(world, gate, spec)

    assert given.means is Stance.SILENT
    assert "changed" in given.note


def test_the_setting_says_what_changed_means(world: World) -> None:
    """Deny, skip, or run."""
    world.script("a")
    approved(world)
    world.script("b")

    assert refused(world, world.gate(policy=Policy(changed="deny"))).means is Stance.DENY
    assert refused(world, world.gate(policy=Policy(changed="skip"))).means is Stance.SILENT
    assert admitted(world, world.gate(policy=Policy(changed="run")))


def test_the_first_use_of_an_own_hook_records_it(world: World) -> None:
    """One line a session; a change runs with a notice that repeats."""
    script = world.script("a", path=world.home / "guard.sh")
    spec = hook(str(script), scope="user", file=f"{world.home}/.claude/settings.json")
    gate = world.gate()
    assert "recorded" in admitted(world, gate, spec).note
    assert admitted(world, gate, spec).note == ""
    world.script("b", path=script)

    assert "guard.sh` changed" in admitted(world, gate, spec).note
    assert "guard.sh` changed" in admitted(world, gate, spec).note
    script.unlink()
    assert refused(world, gate, spec).means is Stance.ASK


def test_a_first_use_that_cannot_be_recorded_runs_with_a_notice(
    world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The user's own guard must not stop because a disk is full."""
    script = world.script("a", path=world.home / "guard.sh")
    spec = hook(str(script), scope="user", file=f"{world.home}/.claude/settings.json")
    gate = world.gate()

    def fail(*_: object, **__: object) -> None:
        raise TrustError("the disk is full", name="trust.unwritable", hint="make room")

    monkeypatch.setattr(gate.store, "approve", fail)
    assert "could not record" in admitted(world, gate, spec).note
    world.environ["XDG_STATE_HOME"] = str(script)
    assert "cannot be read" in admitted(world, world.gate(), spec).note


def test_a_denial_stays_and_a_permission_is_dropped_if_a_file_changed_meanwhile(
    world: World,
) -> None:
    """The outcome says which minimal stance counts."""
    script = world.script("a")
    gate = approved(world)
    admission = admitted(world, gate)
    assert gate.check_after(admission, Outcome(exit_code=0)).distrusted is None
    script.write_text("#!/bin/sh\n# other\n")
    outcome = gate.check_after(admission, Outcome(exit_code=0))

    assert outcome.distrusted is Stance.ASK
    assert "changed while" in outcome.note
    assert outcome.identity == world.state(SPEC, gate).definition


def test_revoked_and_switched_off_hooks_do_not_run(world: World) -> None:
    """Their late results do not count either."""
    world.script("a")
    gate = approved(world)
    assert not gate.is_withdrawn(world.run(SPEC))
    switch_hooks(gate, [SPEC], on=False)
    assert refused(world, gate).failure is Failure.SWITCHED_OFF
    assert gate.is_withdrawn(world.run(SPEC))
    switch_hooks(gate, [SPEC], on=True)
    switch_hooks(gate, None, on=False)
    assert "`hookline off` in this project" in refused(world, gate).detail
    switch_hooks(gate, None, on=True)
    assert admitted(world, gate)
    revoke(gate, [SPEC])

    assert refused(world, gate).failure is Failure.REVOKED
    assert gate.is_withdrawn(world.run(SPEC))


@pytest.mark.parametrize(
    ("environ", "why"),
    [
        ({"HOOKLINE": "1"}, ""),
        ({"HOOKLINE": "OFF"}, "HOOKLINE=OFF"),
        ({"HOOKLINE_SKIP": "x, h"}, "HOOKLINE_SKIP names `h`"),
        ({"HOOKLINE_SKIP": "guard"}, "HOOKLINE_SKIP names `guard`"),
        ({"HOOKLINE_SKIP": "x,,"}, ""),
    ],
)
def test_a_variable_switches_hooks_off(world: World, environ: dict[str, str], why: str) -> None:
    """All hooks, or one by its id or name."""
    world.environ |= environ

    assert world.gate().explain_off(SPEC.replace(name="guard")) == why


@pytest.mark.parametrize(
    ("root", "cwd", "why"),
    [
        ("", "", "`hookline off` in every project"),
        ("/project", "", "`hookline off` in this project"),
        ("/project/sub", "", ""),
        ("/b", "/b/sub", "`hookline off` in `{}/b`"),
        ("/bc", "/b/sub", ""),
    ],
)
@pytest.mark.parametrize("single", [False, True])
def test_off_anywhere_is_off(world: World, root: str, cwd: str, why: str, *, single: bool) -> None:
    """Everywhere, in the project, in the event's folder; all hooks, or one by its definition."""
    gate, root = world.gate(), f"{world.folder}{root}" if root else ""
    definition = gate.states.find_definition(SPEC) if single else ""
    gate.store.set_switch(Switch(root=root, definition=definition), is_on=False, record={})
    found = gate.explain_off(SPEC, f"{world.folder}{cwd}" if cwd else "")

    assert found.replace("names it ", "") == why.format(world.folder)
    assert ("names it" in found) == (single and bool(why))
    assert gate.explain_off(SPEC.replace(timeout=1)) == ("" if single else gate.explain_off(SPEC))


def test_what_is_on(world: World) -> None:
    """The switch of one hook leaves the others on."""
    gate = world.gate()
    gate.store.set_switch(Switch(definition="d" * 64), is_on=False, record={})
    assert gate.find_switches() == {"everywhere": True, "project": True, "environment": True}
    gate.store.set_switch(Switch(root=str(world.folder)), is_on=False, record={})
    assert (gate.find_switches()["project"], gate.find_off_folder()) == (False, str(world.folder))
    gate.store.set_switch(Switch(), is_on=False, record={})
    assert gate.find_switches()["everywhere"] is False


def test_a_hook_of_policy_is_asked_whatever_is_off(world: World) -> None:
    """No switch reaches what only root can have written."""
    world.script("a")
    file = world.folder / "policy.json"
    file.write_text("{}")
    spec = SPEC.replace(origin=SPEC.origin.replace(scope="managed", file=str(file)))
    gate = world.gate()
    switch_hooks(gate, None, on=False)
    if not gate.states.is_managed(spec):
        pytest.skip("only root can write policy")

    assert admitted(world, gate, spec)


class Files:
    """What files declare."""

    def __init__(self, *specs: HookSpec, searched: bool = True) -> None:
        self.specs, self.searched = specs, searched

    def list_hooks(self) -> tuple[HookSpec, ...]:
        """Return all hooks."""
        return self.specs

    def is_searched(self, dialect: str, scope: str) -> bool:
        """Whether all files were looked for."""
        del dialect, scope
        return self.searched


def test_a_removed_guard_is_missed(world: World) -> None:
    """After a search of all files, until it is forgotten or may be absent."""
    world.script("a")
    gate = approved(world)
    gate.declared = Files(SPEC)
    assert gate.find_removed() == []
    gate.declared = Files(SPEC.replace(timeout=0.001))
    (removed,) = gate.find_removed()
    assert removed.command == "./guard.sh"
    gate.declared = Files(searched=False)
    assert gate.find_removed() == []
    gate.declared = Files()
    gate.store.forget([removed], may_be_absent=True)

    assert gate.find_removed() == []


def test_a_damaged_owner_hides_no_removed_guard_of_another(world: World) -> None:
    """Only what cannot be read is left out."""
    world.script("a")
    gate = approved(world)
    gate.declared = Files()
    other = Path(gate.store.folder) / "approvals/other"
    other.mkdir()
    (other / "no-version.json").touch()

    assert [each.command for each in gate.find_removed()] == ["./guard.sh"]


def test_what_only_observes_is_not_missed(world: World) -> None:
    """An observer guarded nothing."""
    world.script("a")
    gate = approved(world, SPEC.replace(shadow=True))
    gate.declared = Files()

    assert gate.find_removed() == []


def test_python_is_kept_from_planted_files(world: World) -> None:
    """By two variables (docs/explanation/trust.md 3)."""
    (world.project / "rules.py").write_text("LIMIT = 1\n")
    (world.project / "check.py").write_text("import rules\n")
    spec = hook("python3", "check.py")
    handler = admitted(world, approved(world, spec), spec).run.spec.handler

    assert handler.host_env["PYTHONPYCACHEPREFIX"].startswith(str(world.store))
    assert handler.host_env["PYTHONDONTWRITEBYTECODE"] == ""
