"""Globs over paths, as people know them from `**`, with paths brought to one form first."""

from __future__ import annotations

import posixpath
from functools import lru_cache

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable


def normalised(path: str, cwd: str) -> str:
    """The path without `.` and `..`, absolute when cwd is: `../x`, `a/./b` and `a//b` cannot hide from a pattern."""
    whole = posixpath.normpath(posixpath.join(cwd, path)) if cwd else posixpath.normpath(path)
    # POSIX keeps exactly two leading slashes; to Linux they are one.
    return whole[1:] if whole.startswith("//") else whole


@lru_cache(maxsize=64)  # an event asks for the same path once a hook
def forms(path: str, cwd: str, *, climbs: bool = False) -> tuple[str, ...]:
    """A path as a pattern may spell it: normalised and, where cwd is known, relative to it; an empty path stays empty.

    What does not lie below cwd has a relative form (`../x`) only with `climbs`.
    """
    if not path:
        return ("",)
    whole = normalised(path, cwd)
    if not cwd:
        return (whole,)
    folder = normalised(cwd, "").rstrip("/")
    if whole.startswith(f"{folder}/"):
        return (whole, whole[len(folder) + 1 :])
    return (
        (whole, posixpath.relpath(whole, folder or "/"))
        if climbs and whole.startswith("/")
        else (whole,)
    )


def path_matches(path: str, patterns: Iterable[str], cwd: str) -> bool:
    """Whether the path, absolute or as seen from cwd, matches one of the patterns (`**`, braces, dot files included)."""
    from hookline.text.globregex import compile_glob  # noqa: PLC0415 - only rules with paths need it

    seen = forms(path, cwd)
    compiled = (compile_glob(pattern) for pattern in patterns)
    return any(regex is None or any(regex.covers(form) for form in seen) for regex in compiled)
