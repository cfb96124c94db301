"""Handlers: turns an object with a `handle` method, or a function, into what the core runs."""

from __future__ import annotations

from inspect import iscoroutinefunction

from hookline.a3s.events import HookEvent
from hookline.dialects.a3s import make_payload
from hookline.dialects.a3s.table import TABLE
from hookline.errors import ConfigError
from hookline.model.spec import InProcess

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from typing import Any, Protocol, TypeAlias

    from hookline.handlers.workers import Workers
    from hookline.model.event import Event

    class Handles(Protocol):
        """An object that handles events.

        It returns a response, a mapping, None, or an awaitable of these.
        """

        def handle(self, event: HookEvent, /) -> object: ...

    Handle: TypeAlias = Callable[[HookEvent], Any]
    HookHandler: TypeAlias = Handles | Handle | Mapping[str, Handle]


def make_handler(given: HookHandler) -> Handle:
    """Return the function to call for an event: `handle` of an object or mapping, or itself.

    Raises:
        ConfigError: there is nothing to call.
    """
    found: Any = given.get("handle") if isinstance(given, dict) else getattr(given, "handle", given)
    if not callable(found):
        hint = "give an object with `handle`, or a function"
        raise ConfigError(f"{given!r:.80} cannot handle events", name="handler.type", hint=hint)
    handle: Handle = found
    return handle


def make_in_process(handle: Handle, hook_id: str, native: str, workers: Workers) -> InProcess:
    """Return a handler for the core.

    A plain one runs on a worker thread, so that its time limit can end the wait.

    `workers`: the threads of the engine of this handler.
    """
    asynchronous = iscoroutinefunction(handle) or iscoroutinefunction(
        getattr(handle, "__call__", None)  # noqa: B004 - an object's own
    )

    def call(event: Event) -> Any:
        payload = make_payload(event, TABLE.rows[native], native)
        return handle(HookEvent.copy_of(native, payload))

    return InProcess(
        call=call, name=hook_id, read_by_dialect=True, worker=None if asynchronous else workers
    )
