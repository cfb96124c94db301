"""The call of a builtin hook, and the forms of its answer."""

from __future__ import annotations

from hookline.model.frozen import Frozen

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from typing import Any, TypeAlias

    from hookline.handlers.process_spec import Job
    from hookline.model.event import Event

    # An output object of docker-agent; None if the builtin has no output.
    Output: TypeAlias = "dict[str, Any] | None"
    BuiltinHook: TypeAlias = "Callable[[BuiltinCall], Output | Job]"

NOTHING: Mapping[str, str] = {}


class BuiltinCall(Frozen):
    """One call of a builtin.

    `environ`: the inherited variables with those of its hook on top; `declared`: only those of its
    hook. `timeout`: of its hook, in seconds. `cookie`: the mark of the processes that it starts.
    """

    event: Event
    args: tuple[str, ...] = ()
    environ: Mapping[str, str] = NOTHING
    declared: Mapping[str, str] = NOTHING
    timeout: float = 60.0
    cookie: str = ""


def make_context(text: str) -> Output:
    """Return the output that adds a text to the model's context; None for an empty text."""
    return {"hook_specific_output": {"additional_context": text}} if text else None


def parse_count(text: str) -> int:
    """Return a whole number of at most nine digits; 0 for any other text."""
    # As the docstring says.
    return int(text) if text.isascii() and text.isdigit() and len(text) < 10 else 0  # noqa: PLR2004
