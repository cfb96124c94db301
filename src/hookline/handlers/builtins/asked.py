"""Asked: what a builtin is asked, and the forms of its answer."""

from __future__ import annotations

from hookline.model.frozen import Frozen

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from typing import Any, TypeAlias

    from hookline.handlers.program import Errand
    from hookline.model.event import Event

    # An output object of docker-agent; None where the builtin has nothing to say.
    Output: TypeAlias = "dict[str, Any] | None"
    BuiltinHook: TypeAlias = "Callable[[Asked], Output | Errand]"

NOTHING: Mapping[str, str] = {}


class Asked(Frozen):
    """One call of a builtin.

    `environ`: what it inherits, with what its hook declares on top; `declared`: that part alone. `timeout`: of its hook, in
    seconds. `cookie`: the mark of what it starts.
    """

    event: Event
    args: tuple[str, ...] = ()
    environ: Mapping[str, str] = NOTHING
    declared: Mapping[str, str] = NOTHING
    timeout: float = 60.0
    cookie: str = ""


def context(text: str) -> Output:
    """The output that adds a text to what the model is told; nothing for an empty one."""
    return {"hook_specific_output": {"additional_context": text}} if text else None


def whole(text: str) -> int:
    """A whole number of at most nine digits; 0 for any other text."""
    return int(text) if text.isascii() and text.isdigit() and len(text) < 10 else 0  # noqa: PLR2004 - as the docstring says
