"""What several files become together: hooks that the user turned off, and policy that lets only its own hooks run (harnesses.md 3)."""

from __future__ import annotations

from hookline.core.dialect import Loaded
from hookline.dialects.codex.table import NAME
from hookline.model import kinds
from hookline.model.conditions import Never
from hookline.model.handler import Broken
from hookline.model.problem import Problem
from hookline.model.spec import HookSpec

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    from hookline.core.dialect import Source
    from hookline.wire.fields import Node

_MANAGED_ONLY = "allow_managed_hooks_only"
_STATE = "state"
_SWITCHES = (_MANAGED_ONLY, _STATE)
_MANAGED = "managed"
# Nobody else writes what the user said of a hook: neither a project, nor policy, nor a plugin.
_USER = "user"


def switches(root: Node, source: Source) -> Iterator[HookSpec]:
    """A file's switches, as hooks that never run: a file may hold nothing else, and `combine` sees hooks only."""
    if _MANAGED_ONLY in root.value:
        if source.scope != _MANAGED:
            why = f"`{_MANAGED_ONLY}` counts in a managed `requirements.toml` only"
            root.complain("key.ignored", why, _MANAGED_ONLY, severity="warning")
        elif root.flag(_MANAGED_ONLY):
            yield _switch(root, source, _MANAGED_ONLY)
    hooks = root.value.get("hooks")
    states = hooks.get(_STATE) if isinstance(hooks, dict) else None
    if not isinstance(states, dict) or source.scope != _USER:
        return
    off = {key.strip() for key, state in states.items() if isinstance(state, dict) and state.get("enabled") is False}
    if off:
        yield _switch(root, source, "hooks", _STATE, off=frozenset(off))


def _switch(root: Node, source: Source, *key: str, **facts: object) -> HookSpec:
    return HookSpec(
        id=f"{(source.file or 'config').rpartition('/')[2]}#{key[-1]}",
        dialect=NAME,
        kind=kinds.unknown(NAME, key[-1]),
        native_event=key[-1],
        handler=Broken(reason="a switch, not a hook"),
        conditions=(Never(reason="a switch, not a hook"),),
        origin=root.origin(*key),
        facts=facts,
        trusted=source.trusted,
        shadow=source.shadow,
    )


def combine(specs: tuple[HookSpec, ...]) -> Loaded:
    """The hooks that are left when the switches are applied; policy's own hooks always are."""
    left = [spec for spec in specs if spec.native_event not in _SWITCHES]
    problems: list[Problem] = []
    for switch in (spec for spec in specs if spec.native_event in _SWITCHES):
        # A file that nobody approved, or that is only observed, has no say about the hooks of others (architecture, decision 11).
        if switch.trusted and not switch.shadow:
            off = [spec for spec in left if _reaches(switch, spec)]
            problems += [_said(switch, len(off))] if off else []
            left = [spec for spec in left if spec not in off]
    return Loaded(specs=tuple(left), problems=tuple(problems))


def _reaches(switch: HookSpec, spec: HookSpec) -> bool:
    if spec.origin.scope == _MANAGED:
        return False
    return switch.native_event == _MANAGED_ONLY or spec.facts.get("trust_key") in switch.facts["off"]


def _said(switch: HookSpec, count: int) -> Problem:
    hooks = "1 hook" if count == 1 else f"{count} hooks"
    message = f"`{switch.origin.pointer}` in {switch.origin.file or 'this configuration'} switches {hooks} off"
    return Problem(name="hook.never-runs", message=message, severity="warning", origin=switch.origin)
