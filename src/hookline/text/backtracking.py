"""Expressions with look-around or back-references, which RE2 lacks. Each match has a time limit."""

from __future__ import annotations

import re

from hookline.errors import ConfigError
from hookline.text.re2_regex import MatchTimeoutError, Regex

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

MATCH_LIMIT = 0.05  # seconds
LONGEST = 1_000  # characters of an expression
MOST_REPEATS = 1_000  # what the counted repetitions of an expression may multiply to
_HINT = "write a shorter expression, or look at the value in the hook"
# Escapes, classes, comments and counted repetitions each count as one part of an expression.
_PARTS = re.compile(r"(?s)\\.|\[\^?\]?(?:\\.|[^\\\]])*\]|\(\?#[^)]*\)|\(\?<?[=!]|\(|\{\d*,?\d*\}|.")


class BacktrackingRegex(Regex):
    """An expression of the `regex` package; each match takes at most `MATCH_LIMIT` seconds."""

    __slots__ = ("_compiled",)

    may_time_out = True

    def __init__(self, source: str, compiled: re.Pattern[str]) -> None:
        self.source = source
        self._compiled = compiled

    def has_match_in(self, text: str) -> bool:
        """Return whether the expression matches anywhere in the text.

        Raises:
            MatchTimeoutError: the match takes longer than `MATCH_LIMIT`.
        """
        return self._run_limited(self._compiled.search, text)

    def is_full_match(self, text: str) -> bool:
        """Return whether the expression matches the whole text.

        Raises:
            MatchTimeoutError: the match takes longer than `MATCH_LIMIT`.
        """
        return self._run_limited(self._compiled.fullmatch, text)

    def _run_limited(self, match: Callable[..., object], text: str) -> bool:
        try:
            return match(text, timeout=MATCH_LIMIT) is not None
        except (TimeoutError, MemoryError):
            raise MatchTimeoutError(self.source) from None


def compile_backtracking(source: str, shown: str, *, ascii_only: bool) -> Regex:
    r"""Compile an expression for the `regex` package.

    Args:
        source: the expression in that package's syntax.
        shown: how the person wrote it.
        ascii_only: `\w`, `\d`, `\s` and `\b` know ASCII only.

    Raises:
        ConfigError: `matcher.regex`; the expression is too large, or the package refuses it.
    """
    if len(source) > LONGEST:
        message = (
            f"invalid expression `{shown:.60}…`: with look-around or a back-reference, it may have"
            f" {LONGEST} characters"
        )
        raise ConfigError(message, name="matcher.regex", hint=_HINT)
    if _repeats(source) > MOST_REPEATS:
        message = (
            f"invalid expression `{shown}`: its counted repetitions multiply to more than"
            f" {MOST_REPEATS}"
        )
        raise ConfigError(message, name="matcher.regex", hint=_HINT)
    import regex  # noqa: PLC0415 - 20 ms that a configuration without look-around does not pay

    try:
        flags = regex.VERSION0 | (regex.ASCII if ascii_only else 0)
        return BacktrackingRegex(shown, regex.compile(source, flags))
    except RecursionError:
        why = "it has too many nested groups"
    except (regex.error, OverflowError, ValueError, KeyError, IndexError) as error:
        why = str(error)
    raise ConfigError(
        f"invalid expression `{shown}`: {why}",
        name="matcher.regex",
        hint="write it without look-around",
    )


def _repeats(source: str) -> int:
    """Return the highest product of nested counted repetitions; `{3,}` counts as 3."""
    most = [1]  # of the groups that are open
    last = 1  # of the part before
    for part in _PARTS.findall(source):
        if part.startswith("(") and not part.startswith("(?#"):
            most.append(1)
            last = 1
        elif part == ")" and len(most) > 1:
            last = most.pop()
        elif part[0] == "{" and part not in ("{", "{}", "{,}"):
            last *= max(int(count) for count in part[1:-1].split(",") if count)
        else:
            last = 1
        most[-1] = max(most[-1], last)
    return max(most)
