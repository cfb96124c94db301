"""Globs over paths, with `**`. hookline first brings each path to one form."""

from __future__ import annotations

import posixpath
from functools import lru_cache

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable


def normalise_path(path: str, cwd: str) -> str:
    """Return the path without `.` and `..`, absolute if cwd is.

    So `../x`, `a/./b` and `a//b` cannot evade a pattern.
    """
    whole = posixpath.normpath(posixpath.join(cwd, path)) if cwd else posixpath.normpath(path)
    # POSIX keeps exactly two leading slashes; to Linux they are one.
    return whole[1:] if whole.startswith("//") else whole


@lru_cache(maxsize=64)  # hooks of one event ask for the same path
def list_path_forms(path: str, cwd: str, *, climbs: bool = False) -> tuple[str, ...]:
    """Return the spellings of a path: normalised and, where cwd is known, relative to it.

    An empty path stays empty. A path outside cwd has a relative form (`../x`) only with `climbs`.
    """
    if not path:
        return ("",)
    whole = normalise_path(path, cwd)
    if not cwd:
        return (whole,)
    folder = normalise_path(cwd, "").rstrip("/")
    if whole.startswith(f"{folder}/"):
        return (whole, whole[len(folder) + 1 :])
    return (
        (whole, posixpath.relpath(whole, folder or "/"))
        if climbs and whole.startswith("/")
        else (whole,)
    )


def path_matches(path: str, patterns: Iterable[str], cwd: str) -> bool:
    """Return whether the path, absolute or relative to cwd, matches one of the patterns.

    `*` matches dot files too.
    """
    # Only rules with paths need it.
    from hookline.text.glob_regex import compile_glob  # noqa: PLC0415

    seen = list_path_forms(path, cwd)
    compiled = (compile_glob(pattern) for pattern in patterns)
    return any(
        regex is None or any(regex.is_full_match(form) for form in seen) for regex in compiled
    )
