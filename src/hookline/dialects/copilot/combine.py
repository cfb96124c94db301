"""`disableAllHooks`: of one file in a file of hooks, of everything but policy in a settings file (harnesses.md 6)."""

from __future__ import annotations

from hookline.core.dialect import Loaded
from hookline.dialects.copilot.table import NAME
from hookline.model.spec import MANAGED, nearness
from hookline.wire.switches import (
    heard,
    heard_at_home,
    hooks_of,
    is_at_home,
    switch,
    switched_off,
    without,
)

TYPE_CHECKING = False
if TYPE_CHECKING:
    from hookline.core.dialect import Source
    from hookline.model.problem import Problem
    from hookline.model.spec import HookSpec
    from hookline.wire.fields import Node

SWITCH = "disableAllHooks"


def is_settings(source: Source) -> bool:
    """Whether a source is a settings file, of which the hooks are a part."""
    return source.file.rpartition("/")[2] in ("settings.json", "settings.local.json")


def switched(root: Node, source: Source, specs: tuple[HookSpec, ...]) -> tuple[HookSpec, ...]:
    """A file's hooks as its own switch leaves them; a settings file's switch goes along as a hook that never runs."""
    if SWITCH not in root.value:
        return specs
    on = root.flag(SWITCH)
    if source.scope == MANAGED:
        if on:
            root.complain(
                "key.ignored",
                f"`{SWITCH}` does not reach hooks of a policy",
                SWITCH,
                severity="warning",
            )
        return specs
    if is_settings(source):
        return (switch(source, NAME, SWITCH, root.origin(SWITCH), {"on": on}), *specs)
    root.problems += switched_off(root.origin(SWITCH), f"`{SWITCH}`", specs if on else ())
    return () if on else specs


def combine(specs: tuple[HookSpec, ...]) -> Loaded:
    """The hooks that are left when the switches of settings files are applied; the nearest file's counts."""
    hooks = hooks_of(specs)
    problems: list[Problem] = []
    for said in (heard(specs), heard_at_home(specs)):
        counts = max(said, key=lambda spec: nearness(spec.origin.scope), default=None)
        if counts is not None and counts.facts["on"]:
            gone = [spec for spec in hooks if _reaches(counts, spec)]
            problems += switched_off(counts.origin, f"`{SWITCH}`", gone, at_home=is_at_home(counts))
            hooks = without(hooks, gone)
    return Loaded(specs=tuple(hooks), problems=tuple(problems))


def _reaches(thrown: HookSpec, spec: HookSpec) -> bool:
    return is_at_home(spec) if is_at_home(thrown) else spec.origin.scope != MANAGED
