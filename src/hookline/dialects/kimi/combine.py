"""Reports hooks of Kimi's files that stand twice (docs/formats/kimi.md 6)."""

from __future__ import annotations

from hookline.core.dialect import Loaded
from hookline.model.problem import Problem

TYPE_CHECKING = False
if TYPE_CHECKING:
    from hookline.model.spec import HookSpec


def combine(specs: tuple[HookSpec, ...]) -> Loaded:
    """All hooks, as they are: equal command lines run once an event, the first one that matches, and that is said (docs/formats/kimi.md 6)."""
    firsts: dict[tuple[str, str, bool, bool], HookSpec] = {}
    problems: list[Problem] = []
    for spec in specs:
        first = firsts.setdefault(
            (spec.native_event, spec.identity, spec.shadow, spec.trusted), spec
        )
        if first is not spec and spec.identity and _overlap(first, spec):
            message = f"`{spec.name}` stands twice for `{spec.native_event}`; where both match, only `{first.id}` runs, with its timeout"
            problems.append(
                Problem(
                    name="hook.duplicate",
                    message=message,
                    severity="warning",
                    origin=spec.origin,
                    hook=spec.name,
                )
            )
    return Loaded(specs=specs, problems=tuple(problems))


def _overlap(first: HookSpec, second: HookSpec) -> bool:
    """Whether two hooks of one event are bound to match the same event, as far as their matchers tell without trying."""
    return not first.conditions or not second.conditions or first.conditions == second.conditions
