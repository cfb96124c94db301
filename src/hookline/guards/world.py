"""World: what a guard may know beside the event and its options."""

from __future__ import annotations

from hookline.model.event import NOTHING
from hookline.model.frozen import Frozen

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from typing import Any


def _read_nothing(_: str) -> str | None:
    return None


def _find_nothing(_: str) -> str:
    return ""


class World(Frozen):
    """What the engine tells a guard; a guard does no IO itself.

    Attributes:
        now: seconds since 1970.
        clock: the processor time that was spent, in seconds, to end long work; None: without end.
            So a busy machine leaves no ordinary line unread.
        home: the user's home folder.
        project: the folder of the project, empty if there is none.
        environ: the variables of the process.
        read_file: returns the text of a file, None if there is none.
        find_guarded: says what an absolute path is: `store`, `entry`, `git`, `covered`, or nothing.
        state: what the guard remembered of the session (JSON); empty at first.

    `read_file` raises OSError for a file that is there and cannot be read, and ValueError for one
    that is no text, or is larger than 8 MiB.
    """

    now: float = 0.0
    clock: Callable[[], float] | None = None
    home: str = ""
    project: str = ""
    environ: Mapping[str, str] = NOTHING
    read_file: Callable[[str], str | None] = _read_nothing
    find_guarded: Callable[[str], str] = _find_nothing
    state: Mapping[str, Any] = NOTHING
