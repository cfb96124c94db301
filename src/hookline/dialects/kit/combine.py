"""Combines the hooks of several files where one key of a file disables all hooks."""

from __future__ import annotations

from hookline.core.dialect import Loaded
from hookline.model.spec import MANAGED, nearness
from hookline.wire.disable_flags import (
    drop_flags,
    is_from_unapproved_project,
    make_disable_flag,
    remove_hooks,
    report_disabled_hooks,
    select_project_flags,
    select_trusted_flags,
)

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    from hookline.core.dialect import Source
    from hookline.model.problem import Problem
    from hookline.model.spec import HookSpec
    from hookline.wire.fields import Node

ALL_OFF = "disableAllHooks"


def read_all_off(root: Node, source: Source, dialect: str) -> Iterator[HookSpec]:
    """Yield the `disableAllHooks` of a file, if it is there."""
    if root.value.get(ALL_OFF) is not None:
        facts = {"on": root.flag(ALL_OFF)}
        yield make_disable_flag(source, dialect, ALL_OFF, root.origin(ALL_OFF), facts)


def apply_all_off(specs: tuple[HookSpec, ...], *, spares_policy: bool = False) -> Loaded:
    """Return the hooks that are left; of several files the nearest one's `disableAllHooks` counts, but policy's first.

    The key of a project that you have not approved reaches that project's own hooks only.

    Args:
        specs: the hooks and flags of all files.
        spares_policy: hooks of policy stay.
    """
    left = drop_flags(specs)
    problems: list[Problem] = []
    for flags in (select_trusted_flags(specs), select_project_flags(specs)):
        counts = max(flags, key=lambda spec: nearness(spec.origin.scope), default=None)
        if counts is None or not counts.facts["on"]:
            continue
        at_home = is_from_unapproved_project(counts)
        gone = [
            spec
            for spec in left
            if (is_from_unapproved_project(spec) if at_home else True)
            and not (spares_policy and spec.origin.scope == MANAGED)
        ]
        problems += report_disabled_hooks(counts.origin, f"`{ALL_OFF}`", gone, at_home=at_home)
        left = remove_hooks(left, gone)
    return Loaded(specs=tuple(left), problems=tuple(problems))
