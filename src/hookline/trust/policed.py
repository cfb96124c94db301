"""Policed: whether what policy runs is root's alone, as the file is that declares it: else whoever can write it has the policy's say."""

from __future__ import annotations

import os
import stat

from hookline.model.sight import LOOSE

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    from hookline.model.sight import Covered, Sight


def of_others(sight: Sight) -> str:
    """Why somebody besides root can change what a hook of policy certainly runs, in words; empty where nobody can."""
    return next((why for file in sight.files if file.role not in LOOSE for why in _why(file)), "")


def _why(file: Covered) -> Iterator[str]:
    if file.exposed:
        yield file.exposed
    if (
        file.role == "interpreter" or file.chosen
    ):  # policy left it to the user's path which one that is
        return
    yield from _owner(file.real, f"`{file.real}` is not root's")
    seen = set()
    for path in (file.path, file.real):
        folder = os.path.dirname(path)
        while folder.strip("/") and folder not in seen:
            seen.add(folder)
            yield from _owner(folder, f"`{folder}` is not root's, so another file may be put there")
            yield from _entered(folder)
            folder = os.path.dirname(folder)


def _owner(path: str, told: str) -> Iterator[str]:
    try:
        if os.stat(path).st_uid:
            yield told
    except OSError:
        return  # what is not there is told by who runs it


def _entered(folder: str) -> Iterator[str]:
    """Why others may put files into a folder, or take them away; in a sticky one each has only their own."""
    try:
        found = os.stat(folder)
    except OSError:
        return
    if found.st_mode & stat.S_ISVTX:
        return
    if found.st_mode & stat.S_IWOTH:
        yield f"everybody may put files into `{folder}`"
    elif found.st_mode & stat.S_IWGRP and found.st_gid and _members(found.st_gid):
        yield f"its group may put files into `{folder}`"


def _members(group: int) -> bool:
    """Whether anybody is known to be in a group; some systems have folders of groups that nobody is in."""
    import grp  # noqa: PLC0415 - only where a group may write

    try:
        return bool(set(grp.getgrgid(group).gr_mem) - {"root"})
    except KeyError:
        return True
