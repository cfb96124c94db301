"""The module `re`, with a `compile` that compiles a pattern at its first use.

The guards have some hundred patterns, and an event needs few of them. Import it as `re`.
"""

from __future__ import annotations

import re
from re import (
    DOTALL,
    IGNORECASE,
    MULTILINE,
    VERBOSE,
    Match,
    Pattern,
    escape,
    findall,
    finditer,
    fullmatch,
    match,
    search,
    split,
    sub,
)
from typing import Any, cast

__all__ = (
    "DOTALL",
    "IGNORECASE",
    "MULTILINE",
    "VERBOSE",
    "Match",
    "Pattern",
    "compile",
    "escape",
    "findall",
    "finditer",
    "fullmatch",
    "match",
    "search",
    "split",
    "sub",
)
_METHODS = ("search", "match", "fullmatch", "finditer", "findall", "split", "sub", "subn")


class _LazyPattern:
    """Has the methods of a pattern from its first use on."""

    def __init__(self, source: str, flags: int) -> None:
        self._source, self._flags = source, flags

    def __getattr__(self, name: str) -> Any:
        pattern = re.compile(self._source, self._flags)
        self.__dict__.update((each, getattr(pattern, each)) for each in _METHODS)
        return getattr(pattern, name)


def compile(source: str, flags: int = 0) -> Pattern[str]:  # noqa: A001 - as in `re`
    """Return a pattern that is compiled at its first use."""
    return cast("Pattern[str]", _LazyPattern(source, flags))
