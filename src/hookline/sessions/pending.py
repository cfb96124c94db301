"""Pending results: a session's late answers as files until they are delivered, and the hooks that still owe one."""

from __future__ import annotations

import contextlib
import os

from hookline.core.deferred_results import (
    DeferredResult,
    count_characters,
    describe_background_failure,
    parse_deferred,
)
from hookline.model.frozen import Frozen
from hookline.sessions.folder import BEGUN, LATE, WAKE, claim, is_abandoned, list_files, read
from hookline.sessions.memory import MOST_CHARACTERS, MOST_WAITING

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from typing import Any

    from hookline.sessions.folder import Folder

_LOST = "the process that ran it ended before the hook did"


class Mark(Frozen):
    """A background hook: a file, and the descriptor that keeps it locked for as long as this process lives."""

    file: str
    fd: int


def keep(folder: Folder, late: DeferredResult, state: Callable[[], dict[str, Any]]) -> None:
    """Add an answer; drop the oldest while there are too many, and count them in `state`.

    Raises:
        OSError: the disk does not take it.
    """
    folder.add(late.to_dict(), wakes=bool(late.wake))
    fallen = _find_excess(folder.path)
    if not fallen:
        return
    document = state()
    dropped = document.get("dropped")
    counts = dict(dropped) if isinstance(dropped, dict) else {}
    for name, hook in fallen:
        had = counts.get(hook)
        counts[hook] = (had if type(had) is int else 0) + 1
        with contextlib.suppress(FileNotFoundError):  # delivered meanwhile
            os.unlink(f"{folder.path}/{name}")
    folder.write(document | {"dropped": counts})


def _find_excess(path: str) -> list[tuple[str, str]]:
    """Return the oldest answers beyond the limits, each with its hook."""
    names = list_files(path, LATE, WAKE)
    lates = [_peek(f"{path}/{name}") for name in names]
    first = max(0, len(names) - MOST_WAITING)
    while (
        first < len(names) - 1
        and count_characters(late for late in lates[first:] if late) > MOST_CHARACTERS
    ):
        first += 1
    return [
        (name, late.hook_id if late else "")
        for name, late in zip(names[:first], lates[:first], strict=True)
    ]


def _peek(file: str) -> DeferredResult | None:
    try:
        return parse_deferred(read(file))
    except (ValueError, OSError):
        return None


def take(
    path: str,
    wakes: bool,  # noqa: FBT001 - passed on as it came
    wrong: Callable[[str, ValueError | OSError], None],
) -> list[DeferredResult]:
    """Return the waiting answers, oldest first, each to one caller only; with `wakes` only those that wake the agent.

    `wrong` receives a file that is damaged or cannot be removed; the other answers stay as they are.
    """
    return [
        *_take_each(path, (WAKE,) if wakes else (LATE, WAKE), wrong),
        *(() if wakes else _take_lost(path, wrong)),
    ]


def _take_each(
    path: str, kinds: tuple[str, ...], wrong: Callable[[str, ValueError | OSError], None]
) -> Iterator[DeferredResult]:
    for name in list_files(path, *kinds):
        try:
            held = claim(path, name)
            late = parse_deferred(held) if held is not None else None
        except (ValueError, OSError) as error:
            wrong(f"{path}/{name}", error)
        else:
            if late is not None:
                yield late


# -- hooks that owe an answer ------------------------------------------------------------------------------------------


def begin(folder: Folder, hook_id: str) -> Mark:
    """Record that a hook was started, until `finish`.

    Raises:
        OSError: the disk does not take it.
    """
    file, fd = folder.hold({"hook_id": hook_id})
    return Mark(file=file, fd=fd)


def finish(mark: Mark) -> None:
    """Remove the record of a hook that has ended."""
    with contextlib.suppress(OSError):  # the folder was removed
        os.unlink(mark.file)
    os.close(mark.fd)


def _take_lost(
    path: str, wrong: Callable[[str, ValueError | OSError], None]
) -> Iterator[DeferredResult]:
    """Yield a result for each hook whose process is gone, because it will never answer."""
    for name in list_files(path, BEGUN):
        try:
            held = claim(path, name) if is_abandoned(f"{path}/{name}") else None
            hook = str(held.get("hook_id", "")) if held is not None else None
        except (ValueError, OSError) as error:
            wrong(f"{path}/{name}", error)
        else:
            if hook is not None:
                yield DeferredResult(
                    hook_id=hook, for_user=describe_background_failure(hook, _LOST), fault=_LOST
                )
