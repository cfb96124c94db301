"""Looking at hooks, approving, revoking and switching them."""

from __future__ import annotations

from pathlib import Path

import pytest

from hookline.engine.approval_service import (
    approve,
    approve_hooks,
    count_waiting,
    describe_change,
    find_removed,
    find_self_approve_problem,
    find_statuses,
    find_store_problem,
    forget_removed,
    get_gate_for,
    list_keys_off,
    list_managed,
    list_off,
    list_removed,
    list_removed_problems,
    revoke,
    switch_all,
    switch_hooks,
)
from hookline.engine.engine import Engine
from hookline.engine.hook_lookup import find_by_command
from hookline.errors import ConfigError, TrustError
from tests.unit.engine.workspaces import URL, Workspace


@pytest.fixture
def place(tmp_path: Path) -> Workspace:
    """A workspace with two hooks on one script, and an address."""
    return Workspace(tmp_path)


def stands(engine: Engine) -> list[tuple[str, bool]]:
    """The state of each hook, and whether it runs."""
    return [(status.trust.state, status.runs) for status in find_statuses(engine).values()]


# -- looking ---------------------------------------------------------------------------------------


def test_a_hook_stands_as_it_would_at_its_next_event(place: Workspace) -> None:
    """Approved it runs; changed, revoked or switched off it does not."""
    engine = place.engine()
    assert stands(engine) == [("new", False)] * 3

    approve_hooks(engine, engine.hooks, who="", how="test")
    assert stands(engine) == [("approved", True)] * 3

    place.write("guard.sh", "other")
    assert stands(engine) == [("changed", False)] * 2 + [("approved", True)]

    revoke(get_gate_for(engine), find_by_command(engine.hooks, URL), who="", how="test")
    assert stands(engine)[2] == ("revoked", False)

    approve_hooks(engine, engine.hooks, who="", how="test")
    switch_all(engine, on=False, who="", how="test")
    off = find_statuses(engine)
    assert [(status.trust.state, status.runs, status.off) for status in off.values()] == [
        ("approved", False, "`hookline off` in this project")
    ] * 3


def test_what_waits_for_a_person_is_counted(place: Workspace) -> None:
    """New and changed hooks; no revoked one."""
    engine = place.engine()
    assert count_waiting(engine) == 3

    approve_hooks(engine, engine.hooks, who="", how="test")
    assert count_waiting(engine) == 0

    place.write("guard.sh", "other")
    revoke(get_gate_for(engine), find_by_command(engine.hooks, URL), who="", how="test")
    assert count_waiting(engine) == 2


def break_store(engine: Engine) -> None:
    """Make the store unreadable."""
    path = Path(get_gate_for(engine).store.folder)
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(b"no folder")


def test_where_approvals_cannot_be_read_each_hook_counts_as_changed(place: Workspace) -> None:
    """Never as new (docs/explanation/trust.md 4)."""
    engine = place.engine()
    assert find_store_problem(engine) is None
    break_store(engine)
    problem = find_store_problem(engine)

    assert stands(engine) == [("changed", False)] * 3
    assert problem is not None
    assert problem.message.endswith(": hooks that need an approval count as changed")
    assert all(each.trust.reason in problem.message for each in find_statuses(engine).values())


def test_what_changed_since_an_approval_is_described(place: Workspace) -> None:
    """With who approved it and how; an unchanged hook has no description."""
    engine = place.engine()
    approve_hooks(engine, engine.hooks, who="bob", how="test")
    states = [each.trust for each in find_statuses(engine).values()]
    assert [describe_change(engine, each) for each in states] == [[], [], []]

    place.write("guard.sh", "other")
    changed = next(iter(find_statuses(engine).values())).trust
    since, *files = describe_change(engine, changed)
    assert since.endswith(" by bob (test)")
    assert files == ["`hooks/guard.sh` changed"]


def test_an_engine_without_a_gate_is_looked_at_by_the_usual_one(place: Workspace) -> None:
    """The gate of the user whose environment the engine has."""
    engine = Engine.discover(place.root, environ=place.environ)

    assert get_gate_for(engine).root == str(place.root)
    assert get_gate_for(engine).store.folder.startswith(str(place.home))


# -- doing -----------------------------------------------------------------------------------------


def test_what_was_seen_is_what_is_approved(place: Workspace) -> None:
    """A script that changes while its reader thinks is not approved."""
    engine = place.engine()
    seen = [status.trust for status in find_statuses(engine, engine.hooks).values()]
    place.write("guard.sh", "swapped")

    approve(get_gate_for(engine), seen, who="bob", how="asked")
    done = find_statuses(engine, [each.spec for each in seen])

    assert [status.trust.state for status in done.values()] == ["changed", "changed", "approved"]
    assert place.call(engine).reason != "swapped"
    place.write("guard.sh", "no")
    assert place.call(engine).reason == "no"


def test_approving_turns_on_what_is_off_here_and_no_more(place: Workspace) -> None:
    """Hooks that the user switched off everywhere stay off, and the message says so."""
    engine = place.engine()
    switch_all(engine, on=False, who="", how="test")
    assert approve_hooks(engine, engine.hooks, who="", how="test").on is False
    assert approve_hooks(engine, engine.hooks, who="", how="test", enable=True).mounted == 3

    switch_all(engine, on=False, everywhere=True, who="", how="test")
    done = approve_hooks(engine, engine.hooks, who="", how="test", enable=True)

    assert (done.on, done.mounted) == (False, 0)
    assert list_off(get_gate_for(engine)) == [
        ("hooks are switched off everywhere", "hookline on --global")
    ]


def test_a_switch_in_a_file_is_noted_like_any_other(place: Workspace) -> None:
    """With who and how; what was on already is not turned on."""
    (place.yaml.parent / "agent.yaml").write_text(OFF, encoding="utf-8")
    engine = place.engine()
    approve_hooks(engine, engine.hooks, who="", how="test", enable=True)
    approve_hooks(engine, engine.hooks, who="", how="test", enable=True)

    assert [
        (note["who"], note["how"]) for note in place.note_approvals() if note["did"] == "on"
    ] == [("ada", "test")]


OFF = "model: x  # mine\nshell_hooks:\n  enabled: false\n"


@pytest.mark.parametrize("how", ["approve", "turn on"])
def test_a_file_that_is_off_is_turned_on(how: str, place: Workspace) -> None:
    """Hookline turns the file on if the approval asks for it, or if the user turns hooks on.

    Until then the hooks are approved, and not asked.
    """
    beside = place.yaml.parent / "agent.yaml"
    beside.write_text(OFF, encoding="utf-8")
    engine = place.engine()
    done = approve_hooks(engine, engine.hooks, who="", how="test")
    assert (done.on, done.mounted, [status.off for status in done.statuses]) == (
        False, 0, [f"`shell_hooks.enabled` is not true in `{beside}:3`"] * 3,
    )  # fmt: skip
    assert (place.call(engine).reason, place.call(engine).for_user) == ("", ())
    assert (
        place.call(engine).verdicts[0].fault
        == f"switched off: `shell_hooks.enabled` is not true in `{beside}:3`"
    )

    if how == "approve":
        done = approve_hooks(engine, engine.hooks, who="", how="test", enable=True)
        assert (done.on, done.mounted, done.left) == (True, 3, ())
    else:
        assert switch_all(engine, on=True, who="", how="test") == ()

    assert beside.read_text(encoding="utf-8") == OFF.replace("false", "true")
    assert place.call(engine).reason == "no"


def test_a_file_without_write_permission_keeps_its_switch(place: Workspace) -> None:
    """The message says so; a global switch does not concern one project."""
    (place.root / "mine.yaml").write_text(OFF, encoding="utf-8")
    (place.yaml.parent / "agent.yaml").symlink_to("../mine.yaml")
    engine = place.engine()

    done = approve_hooks(engine, engine.hooks, who="", how="test", enable=True)

    assert (done.on, done.mounted, len(done.left), len(list_keys_off(engine.hooks))) == (
        False,
        0,
        1,
        1,
    )
    assert (
        "is left as it is: it is a link, or no plain file (write it there by hand)" in done.left[0]
    )
    assert len(switch_all(engine, on=True, who="", how="test")) == 1
    assert switch_all(engine, on=True, everywhere=True, who="", how="test") == ()


def test_no_file_of_a_project_switches_off_what_is_not_its_own(place: Workspace) -> None:
    """It does not affect the hooks of other files."""
    (place.yaml.parent / "agent.yaml").write_text(OFF, encoding="utf-8")
    own = place.home / "guards/shell_hooks.yaml"
    own.parent.mkdir()
    own.write_text(place.yaml.read_text(encoding="utf-8"), encoding="utf-8")
    engine = place.engine().add_source(own, dialect="starchild", scope="user")

    assert [spec.origin.file for spec in engine.hooks if spec.off is None] == [str(own)] * 3


def test_what_needs_no_approval_has_none_to_lose(place: Workspace) -> None:
    """It comes from a file that the user named."""
    engine = Engine.load(place.yaml, dialect="starchild", environ=place.environ)

    with pytest.raises(TrustError, match="no approval to revoke: it runs without one") as caught:
        revoke(get_gate_for(engine), engine.hooks, who="", how="test")
    assert caught.value.code == "HKL3017"


def test_everything_is_in_the_journal(place: Workspace) -> None:
    """Who did it and how; without a name it is the user of the environment."""
    engine = place.engine()
    specs = find_by_command(engine.hooks, str(place.guard), "pre_tool_call")
    approve_hooks(engine, specs, who="bob", how="chat")
    revoke(get_gate_for(engine), specs, who="", how="command line")
    switch_all(engine, on=False, everywhere=True, who="", how="command line")

    assert [
        (note["did"], note["who"], note["how"], note.get("command"), note.get("root"))
        for note in place.note_approvals()
    ] == [
        ("approved", "bob", "chat", str(place.guard), None),
        ("revoked", "ada", "command line", str(place.guard), None),
        ("off", "ada", "command line", None, ""),
    ]


# -- the price of convenience ----------------------------------------------------------------------


@pytest.mark.parametrize(
    ("settings", "is_shown"),
    [
        ({}, False),
        ({"trust": {"self_approve": False}}, False),
        ({"trust": {"self_approve": True}}, True),
    ],
)
def test_the_risk_of_self_approval_is_shown(settings: dict[str, object], is_shown: bool) -> None:
    """An agent could approve what it wrote."""
    problem = find_self_approve_problem(settings)

    assert (problem is not None) is is_shown
    assert problem is None or (problem.code, problem.severity, "an agent" in problem.message) == (
        "HKL3016",
        "warning",
        True,
    )


def test_the_setting_is_no_effect_of_the_policy(place: Workspace) -> None:
    """It stands in the same table; other words there are still refused."""
    path = place.home / ".config/hookline/settings.toml"
    path.parent.mkdir(parents=True)
    path.write_text("[trust]\nself_approve = true\nchanged = 'deny'\n", encoding="utf-8")
    assert get_gate_for(place.engine()).policy.find_effect("project", "changed") == "deny"

    path.write_text("[trust]\nself_aprove = true\n", encoding="utf-8")
    with pytest.raises(ConfigError, match="self_aprove"):
        get_gate_for(place.engine())


# -- single hooks ----------------------------------------------------------------------------------


def test_a_single_hook_is_switched_and_the_journal_knows(place: Workspace) -> None:
    """Which one, where, and by whom."""
    engine = place.engine()
    approve_hooks(engine, engine.hooks, who="", how="test")
    specs = find_by_command(engine.hooks, str(place.guard), "pre_tool_call")
    switch_hooks(get_gate_for(engine), specs, on=False, who="bob", how="chat")
    (off,) = find_statuses(engine, specs).values()

    assert (off.runs, off.off) == (False, "`hookline off` names it in this project")
    assert [status.runs for status in find_statuses(engine).values()] == [False, True, True]
    assert place.call(engine).reason == ""
    switch_hooks(get_gate_for(engine), specs, on=True, who="", how="chat")
    (on,) = find_statuses(engine, specs).values()
    assert (on.runs, on.off, place.call(engine).reason) == (True, "", "no")
    assert [
        (note["did"], note["who"], note["how"], note["hook"], note["root"])
        for note in place.note_approvals()[3:]
    ] == [
        ("off", "bob", "chat", specs[0].id, str(place.root)),
        ("on", "ada", "chat", specs[0].id, str(place.root)),
    ]


def test_what_no_switch_reaches_is_policy(
    place: Workspace, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The permissions of a file decide whether it is policy."""
    monkeypatch.setattr(
        "hookline.trust.state.States.is_managed", lambda _, spec: spec.native_event == "on_stop"
    )

    assert [spec.native_event for spec in list_managed(place.engine())] == ["on_stop"]


# -- removed guards --------------------------------------------------------------------------------


def test_a_removed_guard_is_listed_and_forgotten(place: Workspace) -> None:
    """By its command, id or file; then its approval no longer counts."""
    engine = place.engine()
    approve_hooks(engine, engine.hooks, who="", how="test")
    assert list_removed(engine) == []
    place.declare({"event": "on_stop", "type": "http", "url": URL})
    engine = place.engine()
    row = next(each for each in list_removed(engine) if each.event == "pre_tool_call")
    problem = next(
        each for each in list_removed_problems(engine) if "pre_tool_call" in each.message
    )

    assert (problem.name, problem.severity) == ("check.gone", "warning")
    assert problem.hint == f"put it back, or forget it: hookline revoke {place.guard}"
    guard = str(place.guard)
    found = [find_removed(engine, what, row.event)
             for what in (guard, row.hook, str(place.yaml), "other")]  # fmt: skip
    assert found == [[row], [row], [row], []]

    forget_removed(engine, [row], who="ada", how="test")
    assert row.event not in [each.event for each in list_removed(place.engine())]
    place.declare({"event": "pre_tool_call", "command": guard})
    assert stands(place.engine()) == [("new", False)]


def test_a_guard_that_may_be_absent_keeps_its_approval(place: Workspace) -> None:
    """Because it may be on another branch (docs/explanation/trust.md 4)."""
    engine = place.engine()
    approve_hooks(engine, engine.hooks, who="", how="test")
    place.declare()
    engine = place.engine()
    forget_removed(engine, list_removed(engine), who="ada", how="test", may_be_absent=True)
    assert list_removed(place.engine()) == []

    place.declare({"event": "pre_tool_call", "command": str(place.guard)})
    assert stands(place.engine()) == [("approved", True)]


def test_without_a_gate_no_guard_is_removed(place: Workspace) -> None:
    """Without a gate no approval counts."""
    assert list_removed(Engine.discover(place.root, environ=place.environ)) == []
