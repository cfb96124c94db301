"""Builtins: handlers that hookline ships, by the names under which docker-agent's documents know them.

A builtin takes the event, its arguments and the environment, and returns an output object of that dialect, or None.
"""

from __future__ import annotations

from hookline.handlers.builtins import facts

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from typing import Any, TypeAlias

    from hookline.model.event import Event

    BuiltinHook: TypeAlias = Callable[[Event, tuple[str, ...], Mapping[str, str]], "dict[str, Any] | None"]

REGISTRY: dict[str, BuiltinHook] = {
    "add_date": facts.add_date,
    "add_environment_info": facts.add_environment_info,
    "add_prompt_files": facts.add_prompt_files,
}
