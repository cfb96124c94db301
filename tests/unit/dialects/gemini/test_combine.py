"""`hooksConfig.disabled` over several files, beyond what the vectors show."""

from __future__ import annotations

import sys
from typing import Any

import pytest

from hookline.core.dialect import Loaded, Source
from hookline.dialects.gemini import Gemini

DIALECT = Gemini()


def combined(names: list[str], *disabled: list[str]) -> Loaded:
    """The hooks of these names that remain, and the problems, if each list disables names."""
    hooks = [{"type": "command", "command": "x", "name": name} for name in names]
    sources = [Source(tree={"hooks": {"AfterTool": [{"hooks": hooks}]}})]
    sources += [Source(tree={"hooksConfig": {"disabled": off}}, scope="user") for off in disabled]
    return DIALECT.combine(tuple(spec for source in sources for spec in DIALECT.load(source).specs))


def test_a_name_switches_off_every_hook_that_is_called_so() -> None:
    """Whichever file names it; each list is reported with the hooks that it disables."""
    loaded = combined(["a", "b", "a", "c"], ["a"], ["a", "b"])

    assert [spec.facts["called"] for spec in loaded.specs] == ["c"]
    assert [problem.message for problem in loaded.problems] == [
        "`hooksConfig.disabled` in this configuration switches 2 hooks off",
        "`hooksConfig.disabled` in this configuration switches 1 hook off",
    ]


def test_a_name_that_is_nearly_a_hooks_is_told() -> None:
    """Any other name may be that of a hook elsewhere."""
    loaded = combined(["audit-log"], ["audit-logs", "zzz"])

    assert [(problem.name, problem.hint) for problem in loaded.problems] == [
        ("value.choice", "did you mean `audit-log`?")
    ]
    assert len(loaded.specs) == 1


def test_of_many_unknown_names_a_few_are_guessed_at(monkeypatch: pytest.MonkeyPatch) -> None:
    """A guess is slow, and a long list is not of this machine's hooks."""
    guessed: list[str] = []

    def guess(word: str, known: Any) -> str:
        guessed.append(word)
        return ""

    monkeypatch.setattr(sys.modules["hookline.dialects.gemini.load"], "did_you_mean", guess)
    loaded = combined(
        [f"hook-{at}" for at in range(300)], [*(f"other-{at}" for at in range(300)), "hook-7"]
    )

    assert guessed == [f"other-{at}" for at in range(20)]
    assert len(loaded.specs) == 299


def _left(scope: str, **said: Any) -> Loaded:
    """What remains of a hook of policy and one of the user, given the switches of a file."""
    hooks = {"AfterTool": [{"hooks": [{"type": "command", "command": "x", "name": "pol"}]}]}
    sources = [Source(tree={"hooks": hooks}, scope=each) for each in ("managed", "user")]
    sources.append(Source(tree={"hooksConfig": said}, scope=scope))
    return DIALECT.combine(tuple(spec for source in sources for spec in DIALECT.load(source).specs))


@pytest.mark.parametrize(
    "said", [{"enabled": False}, {"disabled": ["pol"]}], ids=["all", "by name"]
)
@pytest.mark.parametrize(
    ("scope", "left", "count"),
    [
        ("user", ["managed"], "1 hook"),
        ("explicit", ["managed"], "1 hook"),
        ("managed", [], "2 hooks"),
    ],
)
def test_policy_is_switched_off_by_policy_only(
    said: dict[str, Any], scope: str, left: list[str], count: str
) -> None:
    """Other files do not count, and the report names only hooks that are off."""
    loaded = _left(scope, **said)

    assert [spec.origin.scope for spec in loaded.specs] == left
    assert [f"switches {count} off" in problem.message for problem in loaded.problems] == [True]
