"""Disable flags: what a file says about other hooks, passed to `combine` as a hook that never runs.

A file may contain nothing else, and `combine` receives only hooks.
"""

from __future__ import annotations

from hookline.core.dialect import Loaded, Source
from hookline.model import kinds
from hookline.model.spec import CLONED, MANAGED, Broken, HookSpec, Never, Origin, Problem, nearness
from hookline.wire.hook_ids import name_source

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
    from typing import Any

    from hookline.wire.fields import Node

ALL_OFF = "disableAllHooks"
_WHY = "a switch, not a hook"
_NEVER = Never(reason=_WHY)


def make_disable_flag(
    source: Source, dialect: str, name: str, origin: Origin, facts: Mapping[str, Any]
) -> HookSpec:
    """Return the flag that a source sets under a key, with the facts that `combine` needs."""
    return HookSpec(
        id=f"{name_source(source)}#{name}",
        dialect=dialect,
        kind=kinds.unknown_kind(dialect, name),
        native_event=name,
        handler=Broken(reason=_WHY),
        conditions=(_NEVER,),
        origin=origin,
        facts=facts,
        trusted=source.trusted,
        shadow=source.shadow,
    )


def is_disable_flag(spec: HookSpec) -> bool:
    """Return whether this is a flag and not a hook."""
    return spec.conditions == (_NEVER,)


def select_trusted_flags(specs: Iterable[HookSpec]) -> list[HookSpec]:
    """Return the flags that count.

    An unapproved or merely observed file cannot disable other hooks (docs/architecture.md 4.11).
    """
    return [spec for spec in specs if is_disable_flag(spec) and spec.trusted and not spec.shadow]


def select_project_flags(specs: Iterable[HookSpec]) -> list[HookSpec]:
    """Return the flags of an unapproved project.

    They disable only that project's own hooks, as its host would do.

    The project could have left those hooks out just as well.
    """
    return [
        spec
        for spec in specs
        if is_disable_flag(spec) and is_from_unapproved_project(spec) and not spec.shadow
    ]


def is_from_unapproved_project(spec: HookSpec) -> bool:
    """Return whether a hook or flag belongs to a project that you have not approved."""
    return spec.origin.scope in CLONED and not spec.trusted


def drop_flags(specs: Iterable[HookSpec]) -> list[HookSpec]:
    """Return the hooks without the flags."""
    return [spec for spec in specs if not is_disable_flag(spec)]


def remove_hooks(hooks: Iterable[HookSpec], gone: Iterable[HookSpec]) -> list[HookSpec]:
    """Return the hooks without those in `gone`."""
    ids = set(map(id, gone))
    return [spec for spec in hooks if id(spec) not in ids]


def report_disabled_hooks(
    origin: Origin, what: str, gone: Sequence[HookSpec], *, at_home: bool = False
) -> list[Problem]:
    """Report the hooks that a setting disables; nothing if it disables none.

    `at_home`: it can disable only its own project's.
    """
    if not gone:
        return []
    hooks = f"{len(gone)} hook{'' if len(gone) == 1 else 's'}"
    which = f"{hooks} of this project off, and no others" if at_home else f"{hooks} off"
    message = f"{what} in {origin.file or 'this configuration'} switches {which}"
    ids = tuple(spec.id for spec in gone)
    return [Problem.warning("hook.never-runs", message, origin=origin, hooks=ids)]


def read_switches(
    root: Node, source: Source, dialect: str, keys: Iterable[str] = (ALL_OFF,)
) -> Iterator[HookSpec]:
    """Yield those of the keys that a file sets to true or false."""
    for key in keys:
        facts = {"on": root.flag(key)}
        if isinstance(root.value.get(key), bool):
            yield make_disable_flag(source, dialect, key, root.origin(key), facts)


def find_all_off(specs: tuple[HookSpec, ...]) -> list[HookSpec]:
    """Return each `disableAllHooks` that is on: the nearest file's counts, but policy's first.

    Those of projects that you have not approved are counted by themselves.
    """
    on: list[HookSpec] = []
    for flags in (select_trusted_flags(specs), select_project_flags(specs)):
        given = [flag for flag in flags if flag.native_event == ALL_OFF]
        nearest = max(given, key=lambda flag: nearness(flag.origin.scope), default=None)
        if nearest is not None and nearest.facts["on"]:
            on.append(nearest)
    return on


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
    """Return whether a hook is not one of policy, for `apply_flags`."""
    return spec.origin.scope != MANAGED
