"""`disableAllHooks`: of one file in a file of hooks, of everything but policy in a settings file (harnesses.md 6)."""

from __future__ import annotations

from hookline.core.dialect import Loaded
from hookline.dialects.copilot.table import NAME
from hookline.model import kinds
from hookline.model.conditions import Never
from hookline.model.handler import Broken
from hookline.model.problem import Problem
from hookline.model.spec import SCOPES, HookSpec

TYPE_CHECKING = False
if TYPE_CHECKING:
    from hookline.core.dialect import Source
    from hookline.wire.fields import Node

SWITCH = "disableAllHooks"
_MANAGED = "managed"


def is_settings(source: Source) -> bool:
    """Whether a source is a settings file, of which the hooks are a part."""
    return source.file.rpartition("/")[2] in ("settings.json", "settings.local.json")


def switched(root: Node, source: Source, specs: tuple[HookSpec, ...]) -> tuple[HookSpec, ...]:
    """A file's hooks as its own switch leaves them; a settings file's switch goes along as a hook that never runs."""
    if SWITCH not in root.value:
        return specs
    on = root.flag(SWITCH)
    if source.scope == _MANAGED:
        if on:
            root.complain("key.ignored", f"`{SWITCH}` does not reach hooks of a policy", SWITCH, severity="warning")
        return specs
    if is_settings(source):
        return (_thrown(root, source, on=on), *specs)
    if on and specs:
        root.complain("hook.never-runs", _words(source.file, len(specs)), SWITCH, severity="warning")
    return () if on else specs


def _thrown(root: Node, source: Source, *, on: bool) -> HookSpec:
    return HookSpec(
        id=f"{source.file.rpartition('/')[2]}#{SWITCH}",
        dialect=NAME,
        kind=kinds.unknown(NAME, SWITCH),
        native_event=SWITCH,
        handler=Broken(reason="a switch, not a hook"),
        conditions=(Never(reason="a switch, not a hook"),),
        origin=root.origin(SWITCH),
        facts={"on": on},
        trusted=source.trusted,
        shadow=source.shadow,
    )


def _words(file: str, count: int) -> str:
    hooks = "1 hook" if count == 1 else f"{count} hooks"
    return f"`{SWITCH}` in {file or 'this configuration'} switches {hooks} off"


def combine(specs: tuple[HookSpec, ...]) -> Loaded:
    """The hooks that are left when the switches of settings files are applied; the nearest file's counts.

    A file that nobody approved, or that is only observed, has no say about the hooks of others (architecture, decision 11).
    """
    hooks = tuple(spec for spec in specs if spec.native_event != SWITCH)
    given = [spec for spec in specs if spec.native_event == SWITCH and spec.trusted and not spec.shadow]
    counts = max(given, key=lambda spec: SCOPES.index(spec.origin.scope), default=None)
    if counts is None or not counts.facts["on"]:
        return Loaded(specs=hooks)
    left = tuple(spec for spec in hooks if spec.origin.scope == _MANAGED)
    off = len(hooks) - len(left)
    if not off:
        return Loaded(specs=left)
    problem = Problem(name="hook.never-runs", message=_words(counts.origin.file, off), severity="warning", origin=counts.origin)
    return Loaded(specs=left, problems=(problem,))
