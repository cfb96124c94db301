"""Combines the hooks of Qwen Code's files: `disableAllHooks` disables them (docs/formats/qwen.md 1)."""

from __future__ import annotations

from hookline.dialects.kit.combine import apply_all_off

TYPE_CHECKING = False
if TYPE_CHECKING:
    from hookline.core.dialect import Loaded
    from hookline.model.spec import HookSpec


def combine(specs: tuple[HookSpec, ...]) -> Loaded:
    """Return the hooks that are left when `disableAllHooks` is applied."""
    return apply_all_off(specs)
