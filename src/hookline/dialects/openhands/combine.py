"""Combines the hooks of OpenHands' files: the host reads the first file that exists (docs/formats/openhands.md 1)."""

from __future__ import annotations

from hookline.core.dialect import Loaded
from hookline.wire.disable_flags import (
    drop_flags,
    remove_hooks,
    report_disabled_hooks,
    select_trusted_flags,
)

TYPE_CHECKING = False
if TYPE_CHECKING:
    from hookline.model.problem import Problem
    from hookline.model.spec import HookSpec


def combine(specs: tuple[HookSpec, ...]) -> Loaded:
    """Return the hooks without those of the user's file where the project has a file that you approved."""
    left = drop_flags(specs)
    problems: list[Problem] = []
    for flag in select_trusted_flags(specs):
        gone = [spec for spec in left if spec.origin.scope == "user"]
        problems += report_disabled_hooks(flag.origin, "the project's file", gone)
        left = remove_hooks(left, gone)
    return Loaded(specs=tuple(left), problems=tuple(problems))
