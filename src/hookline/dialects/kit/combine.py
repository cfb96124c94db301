"""Applies the keys of files that disable hooks, which `wire.disable_flags` passes to `combine`."""

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
    from collections.abc import Callable, Iterable, Iterator

    from hookline.core.dialect import Source
    from hookline.model.problem import Problem
    from hookline.model.spec import HookSpec
    from hookline.wire.fields import Node

ALL_OFF = "disableAllHooks"


def read_switches(
    root: Node, source: Source, dialect: str, keys: Iterable[str] = (ALL_OFF,)
) -> Iterator[HookSpec]:
    """Yield those of the keys that a file sets to true or false."""
    for key in keys:
        facts = {"on": root.flag(key)}
        if isinstance(root.value.get(key), bool):
            yield make_disable_flag(source, dialect, key, root.origin(key), facts)


def find_all_off(specs: tuple[HookSpec, ...]) -> list[HookSpec]:
    """Return each `disableAllHooks` that is on: of several files the nearest one's counts, but policy's first.

    Those of projects that you have not approved are counted by themselves.
    """
    given = [
        max(
            (flag for flag in flags if flag.native_event == ALL_OFF),
            key=lambda flag: nearness(flag.origin.scope),
            default=None,
        )
        for flags in (select_trusted_flags(specs), select_project_flags(specs))
    ]
    return [flag for flag in given if flag is not None and flag.facts["on"]]


def apply_flags(
    specs: tuple[HookSpec, ...],
    flags: Iterable[HookSpec],
    reaches: Callable[[HookSpec, HookSpec], bool],
) -> Loaded:
    """Return the hooks that are left, and report the others.

    The flag of a project that you have not approved reaches that project's own hooks only.

    Args:
        specs: the hooks and flags of all files.
        flags: those that count.
        reaches: returns whether a flag disables a hook.
    """
    left = drop_flags(specs)
    problems: list[Problem] = []
    for flag in flags:
        at_home = is_from_unapproved_project(flag)
        gone = [
            spec
            for spec in left
            if reaches(flag, spec) and (not at_home or is_from_unapproved_project(spec))
        ]
        what = f"`{flag.origin.pointer}`" if flag.origin.pointer else "the project's file"
        problems += report_disabled_hooks(flag.origin, what, gone, at_home=at_home)
        left = remove_hooks(left, gone)
    return Loaded(specs=tuple(left), problems=tuple(problems))


def spares_policy(_flag: HookSpec, spec: HookSpec) -> bool:
    """Return whether a hook is not one of policy."""
    return spec.origin.scope != MANAGED
