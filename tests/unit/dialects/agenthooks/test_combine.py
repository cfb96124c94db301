"""Combining levels: who replaces whom, and who never does."""

from __future__ import annotations

from hookline.dialects.agenthooks import AgentHooks
from hookline.model.spec import Broken, Command, HookSpec, Origin


def spec(
    name: str, scope: str, directory: str = "", *, broken: bool = False, trusted: bool = True
) -> HookSpec:
    directory = directory or name
    return HookSpec(
        id=f"{scope}/{directory}",
        dialect="agenthooks",
        kind="tool.before",
        native_event="pre-tool-call",
        handler=Broken(reason="bad") if broken else Command(argv=("/x",)),
        origin=Origin(file=f"/{scope}/{directory}/HOOK.md", scope=scope),
        name=name,
        facts={"directory": directory},
        trusted=trusted,
    )


def combined(*specs: HookSpec) -> tuple[list[str], list[str]]:
    loaded = AgentHooks().combine(specs)
    return [kept.id for kept in loaded.specs], [problem.name for problem in loaded.problems]


def test_different_names_stay_and_are_sorted_by_level_and_directory() -> None:
    """User before project, and by directory within a level."""
    assert combined(spec("b", "project"), spec("z", "user"), spec("a", "user")) == (
        ["user/a", "user/z", "project/b"],
        [],
    )


def test_the_order_of_reading_does_not_matter() -> None:
    """The project wins also when it was read first."""
    assert combined(spec("g", "project"), spec("g", "user")) == (["project/g"], ["hook.override"])


def test_three_levels_leave_one() -> None:
    """User, project and local copies: the last level wins, and each loser is named."""
    assert combined(spec("g", "user"), spec("g", "project"), spec("g", "local")) == (
        ["local/g"],
        ["hook.override", "hook.override"],
    )


def test_a_broken_later_copy_in_one_level_replaces_nothing() -> None:
    """The good earlier directory stays."""
    assert combined(spec("g", "user", "a"), spec("g", "user", "b", broken=True)) == (
        ["user/a"],
        ["hook.skipped"],
    )


def test_one_of_several_broken_copies_stays_and_is_reported() -> None:
    """A guard with broken copies only does not vanish."""
    assert combined(spec("g", "user", broken=True), spec("g", "project", broken=True)) == (
        ["project/g"],
        ["hook.override", "hook.skipped"],
    )


def test_an_untrusted_copy_stays_listed_and_replaces_nothing() -> None:
    """It replaces not even a broken hook of the user."""
    assert combined(spec("g", "user", broken=True), spec("g", "project", trusted=False)) == (
        ["user/g", "project/g"],
        ["hook.skipped", "hook.skipped"],
    )


def test_an_untrusted_hook_of_its_own_name_stays_without_a_word() -> None:
    """It could not have replaced another hook."""
    assert combined(spec("g", "user"), spec("h", "project", trusted=False)) == (
        ["user/g", "project/h"],
        [],
    )


def test_hooks_without_a_name_never_meet() -> None:
    """Two hooks without a name have no name in common."""
    assert combined(spec("", "user", "a", broken=True), spec("", "user", "b", broken=True)) == (
        ["user/a", "user/b"],
        ["hook.skipped", "hook.skipped"],
    )


def test_a_managed_hook_is_neither_replaced_nor_replacing() -> None:
    """Hooks of managed policy run beside others of the same name."""
    assert combined(spec("g", "managed"), spec("g", "user")) == (["managed/g", "user/g"], [])
