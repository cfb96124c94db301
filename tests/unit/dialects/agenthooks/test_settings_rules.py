"""Settings of hooks: which hooks they reach, and which other fields a change affects."""

from __future__ import annotations

from hookline.core.dialect import Companion, Source
from hookline.dialects.agenthooks import AgentHooks
from hookline.model.spec import Leaves, Pattern
from hookline.model.verdict import Stance

TYPE_CHECKING = False
if TYPE_CHECKING:
    from hookline.core.dialect import Loaded

RUN = {"scripts/run": Companion(path="scripts/run", executable=True)}
OFF = "[[hooks.disable]]\nname = 'guard'\n"


def hook(*lines: str, trigger: str = "pre-tool-call", **more: object) -> Source:
    text = "\n".join(
        ["---", "name: guard", "description: d", f"trigger: {trigger}", *lines, "---", ""]
    )
    return Source(
        **{"file": "/u/guard/HOOK.md", "text": text, "scope": "user", "companions": RUN, **more}
    )


def toml(text: str, **more: object) -> Source:
    return Source(**{"file": "/u/hooks.toml", "text": text, "scope": "user", **more})


def override(fields: str) -> Source:
    return toml(f"[[hooks.override]]\nname = 'guard'\n{fields}\n")


def combined(*sources: Source) -> Loaded:
    dialect = AgentHooks()
    return dialect.combine(tuple(spec for source in sources for spec in dialect.load(source).specs))


def test_what_is_observed_reaches_only_what_is_observed() -> None:
    """Shadow sources affect only shadow hooks, and enforced ones only enforced hooks."""
    assert [spec.shadow for spec in combined(hook(), toml(OFF, shadow=True)).specs] == [False]
    assert [spec.shadow for spec in combined(hook(shadow=True), toml(OFF)).specs] == [True]
    assert combined(hook(shadow=True), toml(OFF, shadow=True)).specs == ()


def test_policy_has_the_last_word() -> None:
    """A managed file counts after all others, and reaches managed hooks too."""
    policy = toml("[hooks]\nenabled = false\n", scope="managed")

    assert combined(hook(), policy, toml("[hooks]\nenabled = true\n")).specs == ()
    assert combined(hook(scope="managed"), policy).specs == ()


def test_naming_a_folder_is_the_consent_to_its_settings() -> None:
    """Only a project's change of a user's hook needs a report."""
    loaded = combined(
        hook(), toml("[[hooks.override]]\nname = 'guard'\ntimeout = 900\n", scope="explicit")
    )

    assert loaded.problems == ()
    assert [spec.timeout for spec in loaded.specs] == [0.9]


def test_what_says_the_same_changes_nothing() -> None:
    """A project that repeats the hook's own values overrides nothing."""
    assert (
        combined(
            hook("timeout: 900"),
            toml("[[hooks.override]]\nname = 'guard'\ntimeout = 900\n", scope="project"),
        ).problems
        == ()
    )


def test_metadata_are_added_and_a_failure_follows_them() -> None:
    """A closed guard that is made asynchronous decides nothing any more.

    In strict mode a gate closes anyway.
    """
    closed = override("metadata = {fail-mode = 'closed'}")
    (spec,) = combined(hook("metadata: {team: shop}"), closed).specs

    assert (spec.on_failure, spec.facts["metadata"]) == (
        Stance.DENY,
        {"team": "shop", "fail-mode": "closed"},
    )
    assert (
        combined(hook("metadata: {fail-mode: closed}"), override("async = true"))
        .specs[0]
        .on_failure
        is Stance.SILENT
    )
    assert (
        combined(hook("async: true", mode="strict"), override("async = false")).specs[0].on_failure
        is Stance.DENY
    )
    assert (
        combined(hook(mode="strict"), override("metadata = {fail-mode = 'open'}"))
        .specs[0]
        .on_failure
        is Stance.SILENT
    )


def test_a_matcher_takes_the_place_of_the_hooks_own() -> None:
    """As a whole; the listing shows it too."""
    (spec,) = combined(hook("matcher: {tool: Shell}"), override("matcher = {pattern = 'rm'}")).specs

    assert [type(condition) for condition in spec.conditions] == [Leaves]
    assert "<pattern>rm</pattern>" in AgentHooks().available_hooks([spec])
    (kept,) = combined(hook("matcher: {tool: Shell}"), override("priority = 3")).specs
    assert [type(condition) for condition in kept.conditions] == [Pattern]


def test_of_a_hook_that_cannot_be_read_nothing_is_changed() -> None:
    """It has no name, and no values that a default could replace.

    But it can be switched off with all others.
    """
    unreadable = hook(text="---\n- a\n---\n")

    assert [
        spec.timeout
        for spec in combined(unreadable, toml("[hooks.defaults]\ntimeout = 900\n")).specs
    ] == [30.0]
    loaded = combined(unreadable, toml("[hooks]\nenabled = false\n"))
    assert (loaded.specs, [problem.name for problem in loaded.problems]) == (
        (),
        ["hook.skipped", "hook.never-runs"],
    )


def test_a_legacy_trigger_is_an_event_too() -> None:
    """Also where a default makes its guard asynchronous."""
    loaded = combined(hook(trigger="before_stop"), toml("[hooks.defaults]\nasync = true\n"))

    assert [problem.name for problem in loaded.problems] == ["async.cannot-block"]


def test_a_copy_that_gave_way_is_no_stranger() -> None:
    """The settings may name it."""
    loaded = combined(
        hook(),
        hook(scope="project", text="---\nname: guard\ndescription: d\ntrigger: nope\n---\n"),
        toml(OFF),
    )

    assert [problem.name for problem in loaded.problems] == ["hook.skipped", "hook.never-runs"]
