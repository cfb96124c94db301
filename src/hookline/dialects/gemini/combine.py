"""What several settings files become together: `hooksConfig` switches all hooks off, or some by their names (harnesses.md 4)."""

from __future__ import annotations

from hookline.core.dialect import Loaded
from hookline.dialects.gemini.table import NAME
from hookline.model import kinds
from hookline.model.conditions import Never
from hookline.model.handler import Broken
from hookline.model.problem import Problem
from hookline.model.spec import SCOPES, HookSpec
from hookline.text.suggest import did_you_mean

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    from hookline.core.dialect import Source
    from hookline.wire.fields import Node

SWITCHES = "hooksConfig"
SWITCH_KEYS = ("enabled", "disabled", "notifications")
_MANAGED = "managed"


def switches(root: Node, source: Source) -> Iterator[HookSpec]:
    """A file's `hooksConfig`, as a hook that never runs: a file may hold nothing else, and `combine` sees hooks only."""
    if root.value.get(SWITCHES) is None:
        return
    node = root.child(SWITCHES)
    if not node.is_mapping(f"`{SWITCHES}`"):
        return
    node.only(SWITCH_KEYS, f"`{SWITCHES}`", severity="warning")
    node.flag("notifications")  # whether the host shows that hooks run; nothing here does
    enabled = node.flag("enabled", default=True)
    yield HookSpec(
        id=f"{(source.file or 'config').rpartition('/')[2]}#{SWITCHES}",
        dialect=NAME,
        kind=kinds.unknown(NAME, SWITCHES),
        native_event=SWITCHES,
        handler=Broken(reason="a switch, not a hook"),
        conditions=(Never(reason="a switch, not a hook"),),
        origin=node.origin(),
        facts={"disabled": node.texts("disabled")} | ({"enabled": enabled} if node.value.get("enabled") is not None else {}),
        trusted=source.trusted,
        shadow=source.shadow,
    )


def combine(specs: tuple[HookSpec, ...]) -> Loaded:
    """The hooks that are left when the switches of all files are applied.

    A file that nobody approved, or that is only observed, has no say about the hooks of others (architecture, decision 11).
    """
    hooks = [spec for spec in specs if spec.native_event != SWITCHES]
    heard = [spec for spec in specs if spec.native_event == SWITCHES and spec.trusted and not spec.shadow]
    switch = _counting(heard)
    if switch is not None and not switch.facts["enabled"]:
        return Loaded(problems=_said(switch, f"`{SWITCHES}.enabled`", len(hooks)))
    problems: list[Problem] = []
    for each in heard:
        for name in each.facts["disabled"]:
            left = [spec for spec in hooks if spec.facts.get("called") != name]
            problems += _said(each, f"`{name}` in `{SWITCHES}.disabled`", len(hooks) - len(left))
            problems += _unheard(each, name, hooks) if len(left) == len(hooks) else ()
            hooks = left
    return Loaded(specs=tuple(hooks), problems=tuple(problems))


def _counting(heard: list[HookSpec]) -> HookSpec | None:
    """The `enabled` that counts: policy's before anybody's, else that of the nearest file; of equals the last."""
    given = [spec for spec in heard if "enabled" in spec.facts]
    return max(reversed(given), key=_nearness, default=None)


def _nearness(spec: HookSpec) -> int:
    return len(SCOPES) if spec.origin.scope == _MANAGED else SCOPES.index(spec.origin.scope)


def _said(switch: HookSpec, what: str, count: int) -> tuple[Problem, ...]:
    if not count:
        return ()
    hooks = "1 hook" if count == 1 else f"{count} hooks"
    message = f"{what} of {switch.origin.file or 'this configuration'} switches {hooks} off"
    return (Problem(name="hook.never-runs", message=message, severity="warning", origin=switch.origin),)


def _unheard(switch: HookSpec, name: str, hooks: list[HookSpec]) -> tuple[Problem, ...]:
    """A name that is nearly a hook's; any other may be that of a hook which is not loaded here."""
    hint = did_you_mean(name, [str(spec.facts["called"]) for spec in hooks if "called" in spec.facts])
    message = f"`{SWITCHES}.disabled` names `{name}`, and no hook is called that"
    return (Problem(name="value.choice", message=message, hint=hint, severity="warning", origin=switch.origin),) if hint else ()
