"""Soundness: what can be said of hooks that nobody runs."""

from __future__ import annotations

import pytest

from hookline.engine.soundness import by_policy, conflicts, duplicates
from hookline.model.conditions import OneOf
from hookline.model.handler import Command
from hookline.model.spec import HookSpec
from hookline.model.verdict import Stance

_BASH = (OneOf(field="tool", names=frozenset({"Bash"})),)


def _hook(name: str, program: str = "/opt/a", **fields: object) -> HookSpec:
    given = {"kind": "tool.before", "on_failure": Stance.DENY, "conditions": _BASH, **fields}
    return HookSpec(id=name, dialect="claude-code", native_event="PreToolUse", handler=Command(argv=(program,)), **given)  # type: ignore[arg-type]  # fields by name


@pytest.mark.parametrize(
    ("hook", "told"),
    [
        (_hook("a", on_failure=Stance.SILENT), ["check.fails-open"]),
        (_hook("a", on_failure=Stance.ASK), []),
        (_hook("a", on_failure=Stance.SILENT, shadow=True), []),
        (_hook("a", on_failure=Stance.SILENT, detached=True), []),
        (_hook("a", on_failure=Stance.SILENT, kind="session.end"), []),
    ],
)
def test_only_a_guard_fails_open(hook: HookSpec, told: list[str]) -> None:
    """Where nothing can be refused, or the hook only looks on, its failure lets nothing through."""
    assert [problem.name for problem in by_policy(hook)] == told


@pytest.mark.parametrize(
    ("second", "told"),
    [
        (_hook("b"), ["b"]),
        (_hook("b", "/opt/b"), []),
        (_hook("b", kind="tool.after"), []),
        (_hook("b", conditions=()), []),
    ],
)
def test_a_duplicate_does_the_same_at_the_same_moment(second: HookSpec, told: list[str]) -> None:
    """Another program, another event or another condition is another hook."""
    assert [problem.hook for problem in duplicates([_hook("a"), second])] == told


@pytest.mark.parametrize(
    ("first", "second", "said", "why"),
    [
        (_hook("a"), _hook("b", "/opt/b"), {"a": Stance.ALLOW, "b": Stance.DENY}, "vouches"),
        (_hook("a"), _hook("b", "/opt/b"), {"a": Stance.SILENT, "b": Stance.DENY}, ""),
        (_hook("a"), _hook("b", "/opt/b"), {}, ""),
        (_hook("a"), _hook("b", "/opt/b", on_failure=Stance.SILENT), {}, "fails open"),
        (_hook("a"), _hook("b", "/opt/b", on_failure=Stance.SILENT, conditions=()), {}, ""),
        (_hook("a", "/h/check_publish.sh"), _hook("b", "/h/verify_publish_claims.py"), {}, "verify_publish_claims.py"),
        (_hook("a", "/h/security_guard.py"), _hook("b", "/h/block_secrets.py"), {}, "security_guard.py"),
        (_hook("a", "/h/security_guard.py"), _hook("b", "/h/block_secrets.py", kind="tool.after"), {}, ""),
    ],
)
def test_guards_that_do_not_go_together(first: HookSpec, second: HookSpec, said: dict[str, Stance], why: str) -> None:
    """They contradict each other, fail differently, or do the same work."""
    told = [problem.message for problem in conflicts([first, second], said)]

    assert len(told) == bool(why)
    assert why in "".join(told)
