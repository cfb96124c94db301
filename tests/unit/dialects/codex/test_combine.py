"""Switches over several files, beyond what the vectors show."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from hookline.core.dialect import Source
from hookline.dialects.codex import Codex
from hookline.model.spec import HookSpec

if TYPE_CHECKING:
    import pytest

DIALECT = Codex()
HOOK = {"hooks": {"Stop": [{"hooks": [{"type": "command", "command": "x"}]}]}}
OFF = {"hooks": {"state": {"hooks.json:stop:0:0": {"enabled": False}}}}


def left(*sources: Source) -> list[str]:
    """The commands that are left of some sources."""
    specs = [spec for source in sources for spec in DIALECT.load(source).specs]
    return [spec.name for spec in DIALECT.combine(tuple(specs)).specs]


def hooks(scope: str = "user", **fields: Any) -> Source:
    """A file with one hook."""
    return Source(file="hooks.json", tree=HOOK, scope=scope, **fields)


def test_what_the_user_turned_off_is_off_in_every_file_of_that_path() -> None:
    """The key is the path, so it does not matter which file says so."""
    assert left(hooks(), Source(file="config.toml", tree=OFF, scope="user")) == []
    assert left(hooks("project"), Source(file="config.toml", tree=OFF, scope="user")) == []


def test_a_stranger_or_an_observed_file_turns_nothing_off() -> None:
    """Files without approval and shadow files switch off no other hook (architecture.md 4.11)."""
    assert left(hooks(), Source(file="config.toml", tree=OFF, scope="user", trusted=False)) == ["x"]
    assert left(hooks(), Source(file="config.toml", tree=OFF, scope="user", shadow=True)) == ["x"]


def test_an_entry_that_is_no_state_says_nothing() -> None:
    """Codex ignores it, and so does hookline."""
    for state in (
        "no",
        {"hooks.json:stop:0:0": "off"},
        {"hooks.json:stop:0:0": {"enabled": "no"}},
        {"hooks.json:stop:0:0": {}},
    ):
        assert left(
            hooks(), Source(file="config.toml", tree={"hooks": {"state": state}}, scope="user")
        ) == ["x"]


def test_managed_only_must_be_true() -> None:
    """`false` is the default, and anything else is complained about."""
    for value, count in ((False, 1), (True, 0)):
        policy = Source(
            file="requirements.toml", tree={"allow_managed_hooks_only": value}, scope="managed"
        )
        assert len(left(policy, hooks())) == count

    policy = Source(
        file="requirements.toml", tree={"allow_managed_hooks_only": "yes"}, scope="managed"
    )
    assert [problem.name for problem in DIALECT.load(policy).problems] == ["value.type"]


def test_many_hooks_that_are_off_are_not_compared_with_each_other(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Each is looked at by its key, so a long file is read in time that grows with its length."""

    def compared(*_: object) -> bool:
        raise AssertionError

    entries = [{"hooks": [{"type": "command", "command": f"c{at}"}]} for at in range(200)]
    state = {f"hooks.json:stop:{at}:0": {"enabled": False} for at in range(0, 200, 2)}
    sources = [
        Source(file="hooks.json", tree={"hooks": {"Stop": entries}}, scope="user"),
        Source(tree={"hooks": {"state": state}}, scope="user"),
    ]
    specs = tuple(spec for source in sources for spec in DIALECT.load(source).specs)
    monkeypatch.setattr(HookSpec, "__eq__", compared)
    combined = DIALECT.combine(specs)

    assert [spec.name for spec in combined.specs] == [f"c{at}" for at in range(1, 200, 2)]
    assert "switches 100 hooks off" in combined.problems[0].message


def test_a_feature_that_is_off_leaves_the_hooks_of_policy() -> None:
    """It is the user's word, and policy's hooks are not the user's."""
    off = Source(file="config.toml", tree={"features": {"hooks": False}}, scope="user")
    on = Source(file="config.toml", tree={"features": {"hooks": True}}, scope="user")
    managed = hooks().replace(scope="managed", file="requirements.toml")

    assert left(hooks(), off) == []
    assert left(hooks(), on) == ["x"]
    assert left(managed, off) == ["x"]
