"""Waiting: a session's late answers, as files of its folder, until somebody tells them; and who still owes one."""

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
from hookline.sessions.folder import BEGUN, LATE, WAKE, abandoned, claim, files, read
from hookline.sessions.memory import MOST_CHARACTERS, MOST_WAITING

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from typing import Any

    from hookline.sessions.folder import Folder

_LOST = "the process that ran it ended before the hook did"


class Mark(Frozen):
    """A hook that runs in the background: a file, and the descriptor that keeps it locked for as long as this process lives."""

    file: str
    fd: int


def keep(folder: Folder, late: DeferredResult, state: Callable[[], dict[str, Any]]) -> None:
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
        had = counts.get(hook)
        counts[hook] = (had if type(had) is int else 0) + 1
        with contextlib.suppress(FileNotFoundError):  # told meanwhile
            os.unlink(f"{folder.path}/{name}")
    folder.write(document | {"dropped": counts})


def _beyond(path: str) -> list[tuple[str, str]]:
    """The oldest answers that are too many or too much, each with its hook."""
    names = files(path, LATE, WAKE)
    lates = [_peeked(f"{path}/{name}") for name in names]
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


def _peeked(file: str) -> DeferredResult | None:
    try:
        return parse_deferred(read(file))
    except (ValueError, OSError):
        return None


def take(
    path: str,
    wakes: bool,  # noqa: FBT001 - passed on as it came
    wrong: Callable[[str, ValueError | OSError], None],
) -> list[DeferredResult]:
    """The answers that wait, oldest first, each to one taker only; with `wakes` only those that wake the agent.

    A file that is `wrong`, or cannot be taken away, leaves the others as they are.
    """
    return [
        *_taken(path, (WAKE,) if wakes else (LATE, WAKE), wrong),
        *(() if wakes else _lost(path, wrong)),
    ]


def _taken(
    path: str, kinds: tuple[str, ...], wrong: Callable[[str, ValueError | OSError], None]
) -> Iterator[DeferredResult]:
    for name in files(path, *kinds):
        try:
            held = claim(path, name)
            late = parse_deferred(held) if held is not None else None
        except (ValueError, OSError) as error:
            wrong(f"{path}/{name}", error)
        else:
            if late is not None:
                yield late


# -- who still owes an answer ------------------------------------------------------------------------------------------


def begin(folder: Folder, hook_id: str) -> Mark:
    """Write down that a hook was started, until it is `over`.

    Raises:
        OSError: the disk does not take it.
    """
    file, fd = folder.hold({"hook_id": hook_id})
    return Mark(file=file, fd=fd)


def over(mark: Mark) -> None:
    """The hook came to its end."""
    with contextlib.suppress(OSError):  # its folder was removed
        os.unlink(mark.file)
    os.close(mark.fd)


def _lost(
    path: str, wrong: Callable[[str, ValueError | OSError], None]
) -> Iterator[DeferredResult]:
    """The hooks whose process is gone, so that nobody will ever hear of them."""
    for name in files(path, BEGUN):
        try:
            held = claim(path, name) if abandoned(f"{path}/{name}") else None
            hook = str(held.get("hook_id", "")) if held is not None else None
        except (ValueError, OSError) as error:
            wrong(f"{path}/{name}", error)
        else:
            if hook is not None:
                yield DeferredResult(
                    hook_id=hook, for_user=describe_background_failure(hook, _LOST), fault=_LOST
                )
