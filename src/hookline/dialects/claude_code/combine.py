"""What several settings files become together: the switches that count, and the budget of `SessionEnd`."""

from __future__ import annotations

from hookline.core.dialect import Loaded
from hookline.dialects.claude_code.table import NAME, SESSION_END_BUDGET
from hookline.model import kinds
from hookline.model.conditions import Never
from hookline.model.handler import Broken
from hookline.model.problem import Problem
from hookline.model.spec import SCOPES, HookSpec

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    from hookline.core.dialect import Source
    from hookline.wire.fields import Node

# Nothing outside policy turns managed hooks off, and `allowManagedHooksOnly` is heard in policy only (2.1).
_ALL_OFF = "disableAllHooks"
_MANAGED_ONLY = "allowManagedHooksOnly"
_SWITCHES = (_ALL_OFF, _MANAGED_ONLY)
_MANAGED = "managed"
_SESSION_END = "SessionEnd"
_LONGEST_BUDGET = 60.0


def switches(root: Node, source: Source) -> Iterator[HookSpec]:
    """A file's switches, as hooks that never run: a file may hold nothing else, and `combine` sees hooks only."""
    for key in _SWITCHES:
        if key in root.value and isinstance(root.value[key], bool):
            yield HookSpec(
                id=f"{(source.file or 'config').rpartition('/')[2]}#{key}",
                dialect=NAME,
                kind=kinds.unknown(NAME, key),
                native_event=key,
                handler=Broken(reason="a switch, not a hook"),
                conditions=(Never(reason="a switch, not a hook"),),
                origin=root.origin(key),
                facts={"on": root.value[key]},
                trusted=source.trusted,
                shadow=source.shadow,
            )
        elif key in root.value:
            root.flag(key)


def combine(specs: tuple[HookSpec, ...]) -> Loaded:
    """The hooks that are left when the switches are applied, each `SessionEnd` hook within the common budget."""
    hooks = [spec for spec in specs if spec.native_event not in _SWITCHES]
    thrown = [spec for spec in specs if spec.native_event in _SWITCHES]
    problems: list[Problem] = []
    for switch in (_all_off(thrown), _managed_only(thrown)):
        if switch is not None:
            left = [spec for spec in hooks if not _reaches(switch, spec)]
            problems += _said(switch, len(hooks) - len(left))
            hooks = left
    return Loaded(specs=_within_budget(hooks), problems=tuple(problems))


def _managed_only(thrown: list[HookSpec]) -> HookSpec | None:
    given = [spec for spec in thrown if spec.native_event == _MANAGED_ONLY and spec.origin.scope == _MANAGED and not spec.shadow]
    return given[-1] if given and given[-1].facts["on"] else None


def _all_off(thrown: list[HookSpec]) -> HookSpec | None:
    """The `disableAllHooks` that counts, if it is on: policy's before anybody's, else that of the nearest file.

    A file that nobody approved, or that is only observed, has no say about the hooks of others (architecture, decision 11).
    """
    given = [spec for spec in thrown if spec.native_event == _ALL_OFF and spec.trusted and not spec.shadow]
    if not given:
        return None
    counts = max(given, key=lambda spec: len(SCOPES) if spec.origin.scope == _MANAGED else SCOPES.index(spec.origin.scope))
    return counts if counts.facts["on"] else None


def _reaches(switch: HookSpec, spec: HookSpec) -> bool:
    if spec.origin.scope != _MANAGED:
        return True
    return switch.origin.scope == _MANAGED and switch.native_event == _ALL_OFF


def _said(switch: HookSpec, count: int) -> list[Problem]:
    if not count:
        return []
    hooks = "1 hook" if count == 1 else f"{count} hooks"
    message = f"`{switch.native_event}` in {switch.origin.file or 'this configuration'} switches {hooks} off"
    return [Problem(name="hook.never-runs", message=message, severity="warning", origin=switch.origin)]


def _within_budget(specs: list[HookSpec]) -> tuple[HookSpec, ...]:
    """`SessionEnd` hooks share 1.5 s, raised to the largest timeout that one of them names, at most 60 s (2.5).

    A plugin's timeouts do not raise it. The hooks run at once, so the budget is each hook's own bound.
    """
    ending = [spec for spec in specs if spec.native_event == _SESSION_END]
    if not ending:
        return tuple(specs)
    named = [float(spec.facts["timeout"]) for spec in ending if "timeout" in spec.facts and "plugin" not in spec.facts]
    budget = max(SESSION_END_BUDGET, min(_LONGEST_BUDGET, max(named, default=0.0)))
    return tuple(
        spec.replace(timeout=min(float(spec.facts.get("timeout", budget)), budget)) if spec.native_event == _SESSION_END else spec
        for spec in specs
    )
