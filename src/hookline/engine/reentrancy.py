"""Dispatches an event that a running hook raised: that hook is not asked again, all others are."""

from __future__ import annotations

from hookline.core.dispatch import intercept
from hookline.handlers import recursion_guard
from hookline.handlers.recursion_guard import hook_mark
from hookline.model.outcome import Failure, Outcome

TYPE_CHECKING = False
if TYPE_CHECKING:
    from contextvars import Token

    from hookline.core.dispatch import Dispatch

    _Key = tuple[int, str, str]

_AGAIN = Outcome(failure=Failure.REENTERED)


def skip_active_hooks(asked: Dispatch, inside: frozenset[str]) -> Dispatch:
    """Return the dispatch in which a hook whose mark is `inside` fails at once, because it raised the event."""
    return intercept(asked, lambda run: _AGAIN if hook_mark(run.spec) in inside else None)


def enter_event(
    inside: recursion_guard.Reentrancy | None, key: _Key
) -> Token[tuple[_Key, ...]] | None:
    """Mark an event as being asked about, and return the token that ends it; None if it may not be.

    That is so where a hook on this very event raised it again in this process, and where hooks
    start agents that have hooks without an end. In a process that a hook started, only that hook is
    left out.

    Args:
        inside: the hooks that this process was started by, if it was.
        key: the engine, the kind of event and the session.
    """
    active = recursion_guard.ACTIVE_EVENTS.get()
    if key in active or explain_depth(inside, key[1]):
        return None
    return recursion_guard.ACTIVE_EVENTS.set((*active, key))


def explain_depth(inside: recursion_guard.Reentrancy | None, kind: str) -> str:
    """Return why hooks are nested too deeply for any to be asked, in words; "" if they are not."""
    if inside is None or inside.find_active_hooks(kind) is not None:
        return ""
    return f"hooks are nested {recursion_guard.DEEPEST} deep"
