"""HookSpec: what a hook is when nothing else was said."""

from __future__ import annotations

from hookline.model.spec import SCOPES, Command, HookSpec
from hookline.model.verdict import Stance

SPEC = HookSpec(
    id="a",
    dialect="docker-agent",
    kind="tool.before",
    native_event="pre_tool_use",
    handler=Command(script="true"),
)


def test_a_hook_fails_open_is_enforced_and_waited_for() -> None:
    """Defaults are mild: no stance on failure, a timeout of one minute, no shadow."""
    assert (SPEC.on_failure, SPEC.timeout, SPEC.detached, SPEC.shadow, SPEC.once) == (
        Stance.SILENT,
        60.0,
        False,
        False,
        False,
    )


def test_scopes_go_from_managed_policy_to_in_process_hooks() -> None:
    """The order in which sources count (docs/architecture.md 4.3)."""
    assert SCOPES == ("managed", "user", "project", "local", "explicit", "process")


def test_the_default_scope_is_one_of_them() -> None:
    """A hook without a declared scope is an explicit one."""
    assert SPEC.origin.scope in SCOPES
