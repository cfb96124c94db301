"""Whereabouts: in which folders a clone may have brought what lies there, and whether a file lies in one of them."""

from __future__ import annotations

import os

from hookline.paths import nearest_with, real_path

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping

_REPOSITORY = ".git"


def projects_of(folders: Iterable[str], environ: Mapping[str, str]) -> Iterator[str]:
    """These folders and the repositories around them, as they are named and without links.

    None that the user's home lies in: what is in the home is the user's, also while an agent works there, and also where the
    home is a repository.
    """
    home = home_of(environ)
    for folder in folders:
        if not folder:
            continue
        named = os.path.abspath(folder)
        for each in dict.fromkeys((named, real_path(named))):
            yield from (
                root
                for root in dict.fromkeys((each, repository(each)))
                if root and not is_below(home, real_path(root))
            )


def home_of(environ: Mapping[str, str]) -> str:
    """The user's home, without links."""
    return real_path(environ.get("HOME") or os.path.expanduser("~"))


def is_kept_with(declared: str, root: str, environ: Mapping[str, str]) -> bool:
    """Whether a folder is whose the file is that declares a hook: the file lies in it, or it lies beside the file, in no clone."""
    if not declared or is_below(declared, root):
        return bool(declared)
    beside, around = os.path.dirname(declared), repository(root)
    # What lies in the home itself is no folder of settings: projects lie there, too.
    return (
        is_below(root, beside)
        and not is_below(home_of(environ), beside)
        and (not around or is_below(declared, around))
    )


def repository(folder: str) -> str:
    """The nearest repository that a folder lies in; empty where there is none."""
    return nearest_with(folder, _REPOSITORY)


def upwards(folder: str) -> Iterator[str]:
    """A folder and all that it lies in, the nearest first."""
    while True:
        yield folder
        above = os.path.dirname(folder)
        if above == folder:
            return
        folder = above


def places(path: str, real: str) -> tuple[str, ...]:
    """Where a file lies: as it is named, where the link itself lies, and where that leads."""
    folder, name = os.path.split(os.path.normpath(path))
    return (os.path.join(folder, name), os.path.join(real_path(folder), name), real)


def is_below(path: str, folder: str) -> bool:
    """Whether a path is a folder, or lies in it."""
    return path == folder or path.startswith(folder.rstrip("/") + "/")
