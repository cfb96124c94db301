"""Combines the definitions of several sources of a3s."""

from __future__ import annotations

from hookline.core.dialect import Loaded

TYPE_CHECKING = False
if TYPE_CHECKING:
    from hookline.model.spec import HookSpec


def combine(specs: tuple[HookSpec, ...]) -> Loaded:
    """Return one definition for each id, the last one; hooks of equal priority run by id (docs/formats/a3s.md 6)."""
    by_id = {spec.name: spec for spec in specs}
    return Loaded(specs=tuple(by_id[name] for name in sorted(by_id)))
