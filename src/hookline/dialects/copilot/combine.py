"""`disableAllHooks`: of one file in a file of hooks, of everything but policy in a settings file (docs/formats/copilot.md 2)."""

from __future__ import annotations

from hookline.core.dialect import Loaded
from hookline.dialects.copilot.table import NAME
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
        return (make_disable_flag(source, NAME, SWITCH, root.origin(SWITCH), {"on": on}), *specs)
    root.problems += report_disabled_hooks(root.origin(SWITCH), f"`{SWITCH}`", specs if on else ())
    return () if on else specs


def combine(specs: tuple[HookSpec, ...]) -> Loaded:
    """The hooks that are left when the switches of settings files are applied; the nearest file's counts."""
    hooks = drop_flags(specs)
    problems: list[Problem] = []
    for said in (select_trusted_flags(specs), select_project_flags(specs)):
        counts = max(said, key=lambda spec: nearness(spec.origin.scope), default=None)
        if counts is not None and counts.facts["on"]:
            gone = [spec for spec in hooks if _reaches(counts, spec)]
            problems += report_disabled_hooks(
                counts.origin, f"`{SWITCH}`", gone, at_home=is_from_unapproved_project(counts)
            )
            hooks = remove_hooks(hooks, gone)
    return Loaded(specs=tuple(hooks), problems=tuple(problems))


def _reaches(thrown: HookSpec, spec: HookSpec) -> bool:
    return (
        is_from_unapproved_project(spec)
        if is_from_unapproved_project(thrown)
        else spec.origin.scope != MANAGED
    )
