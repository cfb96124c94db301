"""The guard `code_changes`: sends an agent back once that edited code and checked nothing."""

from __future__ import annotations

from hookline.guards.claims.guard import IDLE, record_call
from hookline.guards.claims.record import Step, read_steps
from hookline.guards.finding import Answer, Finding
from hookline.model.event import Stop

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from typing import Any

    from hookline.guards.world import World
    from hookline.model.event import Event

_CHECKS = frozenset({"test", "build", "lint", "types"})
_YOUNG = 30 * 60.0  # seconds in which an edit counts
_MOST_REDOS = 3  # a session
_MOST_FILES = 8  # that a reason lists
_MOST_SETS = 30  # of files that the memory keeps


def judge(event: Event, options: Mapping[str, Any], world: World) -> Answer | None:
    """Record a tool call, or ask for a check of what was edited."""
    if event.kind.startswith("tool."):
        return record_call(event, world)
    body = event.body
    if not isinstance(body, Stop) or body.stop_hook_active:
        return None
    files = find_pending(read_steps(world.state), world.now)
    nagged = _read_nagged(world.state, world.now)
    if not files or sorted(files) in nagged or len(nagged) >= options.get("redos", _MOST_REDOS):
        return None
    more = len(files) - _MOST_FILES
    listed = ", ".join(files[:_MOST_FILES]) + (f" and {more} more" if more > 0 else "")
    finding = Finding(
        rule="code.unchecked",
        reason="code was edited, and no test, build or lint run has passed since",
        evidence=listed,
        instead="run the tests of what changed, or say that it is not tested",
    )
    memory = {"nagged": [*nagged, sorted(files)][-_MOST_SETS:], "nagged_at": world.now}
    return Answer(findings=(finding,), state={**world.state, **memory})


def find_pending(steps: Sequence[Step], now: float) -> list[str]:
    """Return the files that were edited in the last 30 minutes and not checked since."""
    files: dict[str, None] = {}
    for step in steps:
        if step.files and step.is_ok is not False and now - step.at <= _YOUNG:
            files |= dict.fromkeys(step.files)
        if _CHECKS & set(step.acts) and step.is_ok is not False:
            files = {}
    return list(files)


def _read_nagged(state: Mapping[str, Any], now: float) -> list[list[str]]:
    """Return the sets of files that the guard asked about, up to two idle hours ago."""
    found = state.get("nagged", ())
    if not isinstance(found, list) or now - state.get("nagged_at", 0.0) > IDLE:
        return []
    return found
