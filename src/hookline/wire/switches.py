"""Switches: what a file says about other hooks travels to `combine` as a hook that never runs.

A file may hold nothing else, and `combine` sees hooks only.
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


def switch(
    source: Source, dialect: str, name: str, origin: Origin, facts: Mapping[str, Any]
) -> HookSpec:
    """What a source says under a key, with the facts that `combine` needs of it."""
    return HookSpec(
        id=f"{(source.file or 'config').rpartition('/')[2]}#{name}",
        dialect=dialect,
        kind=kinds.unknown(dialect, name),
        native_event=name,
        handler=Broken(reason=_WHY),
        conditions=(_NEVER,),
        origin=origin,
        facts=facts,
        trusted=source.trusted,
        shadow=source.shadow,
    )


def is_switch(spec: HookSpec) -> bool:
    """Whether this is no hook at all."""
    return spec.conditions == (_NEVER,)


def heard(specs: Iterable[HookSpec]) -> list[HookSpec]:
    """The switches that count.

    A file that nobody approved, or that is only observed, has no say about the hooks of others (architecture, decision 11).
    """
    return [spec for spec in specs if is_switch(spec) and spec.trusted and not spec.shadow]


def heard_at_home(specs: Iterable[HookSpec]) -> list[HookSpec]:
    """The switches of a clone that nobody approved: about the hooks that it brought along they have a say, as its host would hear it.

    That is no more than these files could say by leaving the hooks out.
    """
    return [spec for spec in specs if is_switch(spec) and is_at_home(spec) and not spec.shadow]


def is_at_home(spec: HookSpec) -> bool:
    """Whether a hook, or a switch, came along with a clone that nobody approved as a whole."""
    return spec.origin.scope in CLONED and not spec.trusted


def hooks_of(specs: Iterable[HookSpec]) -> list[HookSpec]:
    """What is left without the switches."""
    return [spec for spec in specs if not is_switch(spec)]


def without(hooks: Iterable[HookSpec], gone: Iterable[HookSpec]) -> list[HookSpec]:
    """The hooks less those that are gone, which are some of them."""
    ids = set(map(id, gone))
    return [spec for spec in hooks if id(spec) not in ids]


def switched_off(
    origin: Origin, what: str, gone: Sequence[HookSpec], *, at_home: bool = False
) -> list[Problem]:
    """A word about hooks that something switches off; nothing where it switches off none. `at_home`: it has no say about others."""
    if not gone:
        return []
    hooks = (
        f"{len(gone)} hook{'' if len(gone) == 1 else 's'}{' of this project' if at_home else ''}"
    )
    alone = ", and nobody else's" if at_home else ""
    message = f"{what} in {origin.file or 'this configuration'} switches {hooks} off{alone}"
    ids = tuple(spec.id for spec in gone)
    return [
        Problem(
            name="hook.never-runs", message=message, severity="warning", origin=origin, hooks=ids
        )
    ]
