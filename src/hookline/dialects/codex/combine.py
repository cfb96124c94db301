"""What several files become together: hooks that the user turned off, and policy that lets only its own hooks run (docs/formats/codex.md 2)."""

from __future__ import annotations

from hookline.core.dialect import Loaded
from hookline.dialects.codex.table import NAME
from hookline.model.spec import MANAGED, USER
from hookline.wire.disable_flags import (
    drop_flags,
    make_disable_flag,
    remove_hooks,
    report_disabled_hooks,
    select_trusted_flags,
)

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    from hookline.core.dialect import Source
    from hookline.model.problem import Problem
    from hookline.model.spec import HookSpec
    from hookline.wire.fields import Node

_MANAGED_ONLY = "allow_managed_hooks_only"
_STATE = "state"


def read_flags(root: Node, source: Source) -> Iterator[HookSpec]:
    """A file's switches. Nobody but the user says which hooks are off: neither a project, nor policy, nor a plugin."""
    if _MANAGED_ONLY in root.value:
        if source.scope != MANAGED:
            why = f"`{_MANAGED_ONLY}` counts in a managed `requirements.toml` only"
            root.complain("key.ignored", why, _MANAGED_ONLY, severity="warning")
        elif root.flag(_MANAGED_ONLY):
            yield make_disable_flag(source, NAME, _MANAGED_ONLY, root.origin(_MANAGED_ONLY), {})
    hooks = root.value.get("hooks")
    states = hooks.get(_STATE) if isinstance(hooks, dict) else None
    if not isinstance(states, dict) or source.scope != USER:
        return
    off = {
        key.strip()
        for key, state in states.items()
        if isinstance(state, dict) and state.get("enabled") is False
    }
    if off:
        yield make_disable_flag(
            source, NAME, _STATE, root.origin("hooks", _STATE), {"off": frozenset(off)}
        )


def combine(specs: tuple[HookSpec, ...]) -> Loaded:
    """The hooks that are left when the switches are applied; policy's own hooks always are."""
    left = drop_flags(specs)
    problems: list[Problem] = []
    for each in select_trusted_flags(specs):
        gone = [spec for spec in left if _reaches(each, spec)]
        problems += report_disabled_hooks(each.origin, f"`{each.origin.pointer}`", gone)
        left = remove_hooks(left, gone)
    return Loaded(specs=tuple(left), problems=tuple(problems))


def _reaches(thrown: HookSpec, spec: HookSpec) -> bool:
    if spec.origin.scope == MANAGED:
        return False
    return (
        thrown.native_event == _MANAGED_ONLY or spec.facts.get("trust_key") in thrown.facts["off"]
    )
