"""Disable flags: what a file says about other hooks, passed to `combine` as a hook that never runs.

A file may contain nothing else, and `combine` receives only hooks.
"""

from __future__ import annotations

from hookline.model import kinds
from hookline.model.conditions import Never
from hookline.model.handler import Broken
from hookline.model.problem import Problem
from hookline.model.spec import CLONED, HookSpec

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence
    from typing import Any

    from hookline.core.dialect import Source
    from hookline.model.problem import Origin

_WHY = "a switch, not a hook"
_NEVER = Never(reason=_WHY)


def make_disable_flag(
    source: Source, dialect: str, name: str, origin: Origin, facts: Mapping[str, Any]
) -> HookSpec:
    """Return the flag that a source sets under a key, with the facts that `combine` needs."""
    return HookSpec(
        id=f"{(source.file or 'config').rpartition('/')[2]}#{name}",
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
    """Return the flags of an unapproved project; they disable only that project's own hooks, as its host would do.

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
    """Report the hooks that a setting disables; nothing if it disables none. `at_home`: it can disable only its own project's."""
    if not gone:
        return []
    hooks = (
        f"{len(gone)} hook{'' if len(gone) == 1 else 's'}{' of this project' if at_home else ''}"
    )
    alone = ", and no others" if at_home else ""
    message = f"{what} in {origin.file or 'this configuration'} switches {hooks} off{alone}"
    ids = tuple(spec.id for spec in gone)
    return [
        Problem(
            name="hook.never-runs", message=message, severity="warning", origin=origin, hooks=ids
        )
    ]
