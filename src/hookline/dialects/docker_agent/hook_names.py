"""Naming: what a hook without a `name` is called in messages: the first line of its script, told apart where many begin alike."""

from __future__ import annotations

from collections import Counter

from hookline.model.handler import Command
from hookline.wire.sources import hook_name

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from typing import Any

    from hookline.model.spec import HookSpec


def unnamed(hook: Mapping[str, Any], *, whole: bool) -> str:
    """The name of a hook that has none: the first line of its script, shortened; all of it where it is to be `whole` (X6)."""
    command, model = hook.get("command"), hook.get("model") if hook.get("type") == "model" else None
    if isinstance(command, str):
        return command if whole else hook_name(command)
    return "" if not isinstance(model, str) else "model" if whole else hook_name(f"model {model}")


def told_apart(specs: Sequence[HookSpec]) -> tuple[HookSpec, ...]:
    """The hooks; those whose scripts begin alike have the end of their ids behind that line, because it tells nobody which one it is."""
    count = Counter(spec.name for spec in specs if _is_first_line(spec))
    return tuple(
        spec.replace(name=f"{spec.name} ({spec.id.rpartition('#')[2]})")
        if count[spec.name] > 1 and _is_first_line(spec)
        else spec
        for spec in specs
    )


def _is_first_line(spec: HookSpec) -> bool:
    """Whether a hook is called by the first line of several."""
    handler = spec.handler
    return (
        type(handler) is Command
        and "\n" in handler.script.strip()
        and spec.name == hook_name(handler.script)
    )
