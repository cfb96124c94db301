"""Switches: what a file says about other hooks travels to `combine` as a hook that never runs.

A file may hold nothing else, and `combine` sees hooks only.
"""

from __future__ import annotations

from hookline.model import kinds
from hookline.model.conditions import Never
from hookline.model.handler import Broken
from hookline.model.problem import Problem
from hookline.model.spec import HookSpec

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping
    from typing import Any

    from hookline.core.dialect import Source
    from hookline.model.problem import Origin

_WHY = "a switch, not a hook"
_NEVER = Never(reason=_WHY)


def switch(source: Source, dialect: str, name: str, origin: Origin, facts: Mapping[str, Any]) -> HookSpec:
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


def hooks_of(specs: Iterable[HookSpec]) -> list[HookSpec]:
    """What is left without the switches."""
    return [spec for spec in specs if not is_switch(spec)]


def switched_off(origin: Origin, what: str, count: int) -> list[Problem]:
    """A word about hooks that something switches off; nothing where it switches off none."""
    if not count:
        return []
    hooks = "1 hook" if count == 1 else f"{count} hooks"
    message = f"{what} in {origin.file or 'this configuration'} switches {hooks} off"
    return [Problem(name="hook.never-runs", message=message, severity="warning", origin=origin)]
