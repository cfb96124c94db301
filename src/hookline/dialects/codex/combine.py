"""Combines the hooks of Codex's files: the user disables single hooks, and policy all but its own (docs/formats/codex.md 1, 2)."""

from __future__ import annotations

from hookline.dialects.codex.table import NAME
from hookline.dialects.kit.combine import apply_flags
from hookline.model.spec import MANAGED, USER
from hookline.wire.disable_flags import make_disable_flag, select_trusted_flags

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    from hookline.core.dialect import Loaded, Source
    from hookline.model.spec import HookSpec
    from hookline.wire.fields import Node

_MANAGED_ONLY = "allow_managed_hooks_only"
_STATE = "state"


def read_flags(root: Node, source: Source) -> Iterator[HookSpec]:
    """Yield what a file says about other hooks. Only a user's file disables single hooks."""
    if _MANAGED_ONLY in root.value:
        if source.scope != MANAGED:
            why = f"`{_MANAGED_ONLY}` counts in a managed `requirements.toml` only"
            root.complain("key.ignored", why, _MANAGED_ONLY, severity="warning")
        elif root.flag(_MANAGED_ONLY):
            yield make_disable_flag(source, NAME, _MANAGED_ONLY, root.origin(_MANAGED_ONLY), {})
    states = (root.value.get("hooks") or {}).get(_STATE)
    if not isinstance(states, dict) or source.scope != USER:
        return
    off = {
        key.strip()
        for key, state in states.items()
        if isinstance(state, dict) and state.get("enabled") is False
    }
    if off:
        yield make_disable_flag(source, NAME, _STATE, root.origin("hooks", _STATE), {"off": off})


def combine(specs: tuple[HookSpec, ...]) -> Loaded:
    """Return the hooks that are left; those of policy always are."""
    return apply_flags(specs, select_trusted_flags(specs), _reaches)


def _reaches(flag: HookSpec, spec: HookSpec) -> bool:
    if spec.origin.scope == MANAGED:
        return False
    return flag.native_event == _MANAGED_ONLY or spec.facts.get("trust_key") in flag.facts["off"]
