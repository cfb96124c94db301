"""Reads the time limit of a hook, in the unit and within the limits of its host."""

from __future__ import annotations

from hookline.model.frozen import Frozen

TYPE_CHECKING = False
if TYPE_CHECKING:
    from hookline.core.dialect import EventRow, Table
    from hookline.wire.fields import Node

_LONGEST = 1e9  # seconds; what is longer is a mistake


class TimeLimit(Frozen):
    """How a host's files write a time limit.

    `keys`: where it stands; the first that is there counts. `per_second`: how many of its units are one second. `whole`:
    only whole numbers. `default`: seconds; 0: as the row or the table says. `raised`: 0 counts as one second.
    `doubtful`: a smaller number was probably meant in seconds. `seconds_below`: a smaller number is in seconds.
    """

    keys: tuple[str, ...] = ("timeout",)
    per_second: int = 1
    whole: bool = False
    default: float = 0.0
    raised: bool = False
    doubtful: int = 0
    seconds_below: int = 0


def read_timeout(hook: Node, row: EventRow, limit: TimeLimit, table: Table) -> float:
    """Return the time limit of a hook in seconds."""
    usual = limit.default or row.timeout or table.default_timeout
    key = next((key for key in limit.keys if hook.value.get(key) is not None), limit.keys[-1])
    given = hook.integer(key) if limit.whole else hook.number(key)
    if given is None:
        return usual
    least = "1 or more" if limit.whole else "more than 0"
    unit = (
        f"{'whole ' if limit.whole else ''}{'seconds' if limit.per_second == 1 else 'milliseconds'}"
    )
    if not (given > 0 or (limit.raised and given == 0)) or given > _LONGEST * limit.per_second:
        why = f"`{key}: {given}` is no time to wait"
        hook.complain("value.range", why, key, hint=f"{unit}, {least}")
        return usual
    seconds = _in_seconds(hook, key, given, limit)
    if row.longest and seconds > row.longest:
        why = f"the host ends a hook of `{row.native}` after {row.longest:g} seconds"
        hint = f"write {row.longest:g} or less"
        hook.complain("value.range", why, key, hint=hint, severity="warning")
        return row.longest
    return seconds


def _in_seconds(hook: Node, key: str, given: float, limit: TimeLimit) -> float:
    why = hint = ""
    seconds = given / limit.per_second
    if given == 0:
        why, hint, seconds = (
            f"`{key}: 0` is taken as 1 second",
            "write whole seconds, 1 or more",
            1.0,
        )
    elif given < limit.seconds_below:
        why = f"`{key}: {given}` is {given} seconds; older releases wait {given} milliseconds"
        hint = f"for {given} seconds in every release write {given * limit.per_second}"
        seconds = float(given)
    elif given < limit.doubtful:
        why = f"`{key}: {given}` is {given} milliseconds"
        hint = f"for {given} seconds write {given * limit.per_second}"
    if why:
        hook.complain("value.range", why, key, hint=hint, severity="warning")
    return float(seconds)
