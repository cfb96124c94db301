"""Combines the hooks of Copilot's files: `disableAllHooks`, of one file or of all but policy (docs/formats/copilot.md 1)."""

from __future__ import annotations

from hookline.dialects.copilot.table import NAME
from hookline.dialects.kit.combine import (
    ALL_OFF,
    apply_flags,
    find_all_off,
    read_switches,
    spares_policy,
)
from hookline.model.spec import MANAGED
from hookline.wire.disable_flags import report_disabled_hooks

TYPE_CHECKING = False
if TYPE_CHECKING:
    from hookline.core.dialect import Loaded, Source
    from hookline.model.spec import HookSpec
    from hookline.wire.fields import Node


def is_settings(source: Source) -> bool:
    """Return whether a source is a settings file, of which the hooks are a part."""
    return source.file.rpartition("/")[2] in ("settings.json", "settings.local.json")


def apply_own_switch(
    root: Node, source: Source, specs: tuple[HookSpec, ...]
) -> tuple[HookSpec, ...]:
    """Return a file's hooks as its own switch leaves them; the switch of a settings file travels to `combine`."""
    managed = source.scope == MANAGED
    if is_settings(source) and not managed:
        return (*read_switches(root, source, NAME), *specs)
    if not root.flag(ALL_OFF):
        return specs
    if managed:
        why = f"`{ALL_OFF}` does not reach hooks of a policy"
        root.complain("key.ignored", why, ALL_OFF, severity="warning")
        return specs
    root.problems += report_disabled_hooks(root.origin(ALL_OFF), f"`{ALL_OFF}`", specs)
    return ()


def combine(specs: tuple[HookSpec, ...]) -> Loaded:
    """Return the hooks that are left when the switches of settings files are applied."""
    return apply_flags(specs, find_all_off(specs), spares_policy)
