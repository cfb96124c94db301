"""One call of a builtin: what it is given, and what it returns."""

from __future__ import annotations

from hookline.handlers.process_spec import Cancel, Limits
from hookline.model.frozen import Frozen

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from typing import Any, TypeAlias

    from hookline.handlers.process_spec import Program
    from hookline.model.event import Event

    # An output object of docker-agent; None if the builtin has no output.
    Output: TypeAlias = "dict[str, Any] | None"
    Change: TypeAlias = Callable[[dict[str, Any]], "dict[str, Any] | None"]
    Answer: TypeAlias = "Output | Program | Report"


class BuiltinCall(Frozen):
    """One call of a builtin.

    Attributes:
        event: what happened.
        native: the event in the words of the hook's file.
        args: the arguments of its hook.
        environ: the inherited variables, with those of its hook on top.
        declared: only the variables of its hook.
        timeout: of its hook, in seconds.
        cookie: the mark of the processes that it starts.
        is_cloned: whether a file that comes with a project declares it.
        payload: returns what a command hook would read, as JSON.
        change_state: changes what it remembers of the session in one step; returns whether that
            worked. None: it can remember nothing.
        limits: bounds of the programs that it runs itself.
        cancel: the switch that ends them.
    """

    event: Event
    args: tuple[str, ...]
    environ: Mapping[str, str]
    declared: Mapping[str, str]
    timeout: float
    cookie: str
    native: str = ""
    is_cloned: bool = False
    payload: Callable[[], str] = "{}".__str__
    change_state: Callable[[Change], bool] | None = None
    limits: Limits = Limits()
    cancel: Cancel | None = None


class Report(Frozen):
    """What a builtin is missing, so that it does nothing. The user reads it once a session."""

    text: str


def make_context(text: str) -> Output:
    """Return the output that adds a text to the model's context; None for an empty text."""
    return make_output(additional_context=text) if text else None


def make_output(note: str = "", **specific: Any) -> Output:
    """Return an output object with a text for the user and the keys of the event's part."""
    output: dict[str, Any] = {"system_message": note} if note else {}
    return output | ({"hook_specific_output": specific} if specific else {})
