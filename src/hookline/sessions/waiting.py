"""Waiting: a session's late answers, as files of its folder, until somebody tells them."""

from __future__ import annotations

import contextlib
import os

from hookline.core.late import late_from, size_of
from hookline.sessions.folder import WAKE, claim, late_files, read
from hookline.sessions.memory import MOST_CHARACTERS, MOST_WAITING

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any

    from hookline.core.late import Late
    from hookline.sessions.folder import Folder


def keep(folder: Folder, late: Late, state: Callable[[], dict[str, Any]]) -> None:
    """Add an answer; the oldest fall out while there are too many, which `state` remembers.

    Raises:
        OSError: the disk does not take it.
    """
    folder.add(late.to_dict(), wakes=bool(late.wake))
    fallen = _beyond(folder.path)
    if not fallen:
        return
    document = state()
    dropped = document.get("dropped")
    counts = dict(dropped) if isinstance(dropped, dict) else {}
    for name, hook in fallen:
        counts[hook] = counts.get(hook, 0) + 1
        with contextlib.suppress(FileNotFoundError):  # told meanwhile
            os.unlink(f"{folder.path}/{name}")
    folder.write(document | {"dropped": counts})


def _beyond(path: str) -> list[tuple[str, str]]:
    """The oldest answers that are too many or too much, each with its hook."""
    names = late_files(path)
    lates = [_peeked(f"{path}/{name}") for name in names]
    first = max(0, len(names) - MOST_WAITING)
    while first < len(names) - 1 and size_of(late for late in lates[first:] if late) > MOST_CHARACTERS:
        first += 1
    return [(name, late.hook_id if late else "") for name, late in zip(names[:first], lates[:first], strict=True)]


def _peeked(file: str) -> Late | None:
    try:
        return late_from(read(file))
    except ValueError:
        return None


def take(path: str, wakes: bool, damaged: Callable[[str, ValueError], None]) -> list[Late]:  # noqa: FBT001 - passed on as it came
    """The answers that wait, oldest first, each to one taker only; with `wakes` only those that wake the agent.

    Raises:
        OSError: they cannot be taken away.
    """
    lates: list[Late] = []
    for name in late_files(path):
        if wakes and not name.endswith(WAKE):
            continue
        try:
            held = claim(path, name)
            if held is not None:
                lates.append(late_from(held))
        except ValueError as error:
            damaged(f"{path}/{name}", error)
    return lates
