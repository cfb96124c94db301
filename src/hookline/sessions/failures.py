"""Failures: how often each hook failed in a row, across sessions."""

from __future__ import annotations

from hookline.model.frozen import Frozen

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Collection, Mapping
    from typing import Any

_MOST = 256  # the most hooks whose failures are kept, latest first


class Failures(Frozen):
    """The failures of one hook since it last succeeded.

    `count`: how many. `at`: the time of the last one, in seconds since 1970.
    """

    count: int = 0
    at: float = 0.0


def read_failures(state: Mapping[str, Any]) -> dict[str, Failures]:
    """Return the failures in a state of `store.State`, by hook; entries that hookline did not write are left out."""
    held = state.get("failures")
    found = {}
    for hook, entry in held.items() if isinstance(held, dict) else ():
        count, at = (entry.get("count"), entry.get("at")) if isinstance(entry, dict) else (0, 0)
        if type(count) is int and count > 0 and isinstance(at, int | float):
            found[hook] = Failures(count=count, at=at)
    return found


def count_failures(
    before: Mapping[str, Failures], failed: Collection[str], succeeded: Collection[str], now: float
) -> dict[str, Failures]:
    """Return the failures after some hooks failed and others succeeded at the time `now`."""
    kept = {hook: each for hook, each in before.items() if hook not in succeeded}
    for hook in failed:
        count = kept.pop(hook, Failures()).count + 1
        kept[hook] = Failures(count=count, at=now)
    return dict(list(kept.items())[-_MOST:])
