"""Expressions with look-around or back-references, which RE2 lacks. Each match has a time limit."""

from __future__ import annotations

import re

from hookline.errors import ConfigError
from hookline.text.re2_regex import MatchTimeoutError, Regex, compile_re2

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

MATCH_LIMIT = 0.05  # seconds
LONGEST = 1_000  # characters of an expression
MOST_REPEATS = 1_000  # what the counted repetitions of an expression may multiply to
_MOST_EXCLUDED = 20  # look-aheads of one expression
_HINT = "write a shorter expression, or look at the value in the hook"
# Escapes, classes, comments and counted repetitions each count as one part of an expression.
_PARTS = re.compile(r"(?s)\\.|\[\^?\]?(?:\\.|[^\\\]])*\]|\(\?#[^)]*\)|\(\?<?[=!]|\(|\{\d*,?\d*\}|.")


class BacktrackingRegex(Regex):
    """An expression of the `regex` package; each match takes at most `MATCH_LIMIT` seconds."""

    __slots__ = ("_compiled",)

    may_time_out = True
    portable = False

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


class ExclusionRegex(Regex):
    """`^(?!A)B` as RE2 expressions: `^(?:A)` must not match, and `^B` must.

    Several `A` may follow each other.
    """

    __slots__ = ("_excluded", "_wanted")

    portable = False

    def __init__(self, source: str, excluded: tuple[Regex, ...], wanted: Regex) -> None:
        self.source = source
        self._excluded, self._wanted = excluded, wanted

    def has_match_in(self, text: str) -> bool:
        """Return whether the expression matches anywhere in the text."""
        return self._wanted.has_match_in(text) and not self._is_excluded(text)

    def is_full_match(self, text: str) -> bool:
        """Return whether the expression matches the whole text."""
        return self._wanted.is_full_match(text) and not self._is_excluded(text)

    def _is_excluded(self, text: str) -> bool:
        return any(excluded.has_match_in(text) for excluded in self._excluded)


def compile_exclusion(source: str, shown: str) -> Regex | None:
    """Compile `^(?!A)B` for RE2; None if the expression has another form, or RE2 cannot run A or B.

    Args:
        source: the expression in the syntax that RE2 and the `regex` package share.
        shown: how the person wrote it.
    """
    excluded: list[str] = []
    rest = source
    if source.count("(?!") > _MOST_EXCLUDED:
        return None
    while (parts := _split_exclusion(rest)) is not None:
        excluded.append(parts[0])
        rest = f"^{parts[1]}"
    if not excluded:
        return None
    try:
        return ExclusionRegex(
            shown, tuple(compile_re2(f"^(?:{each})") for each in excluded), compile_re2(rest)
        )
    except ConfigError:
        return None


def _split_exclusion(source: str) -> tuple[str, str] | None:
    """Return A and B of `^(?!A)B`; None if the expression has another form."""
    if not source.startswith("^(?!"):
        return None
    depth, end = 0, 0
    at = 1
    for part in _PARTS.findall(source[1:]):
        at += len(part)
        if part.startswith("(") and not part.startswith("(?#"):
            depth += 1
        elif part == ")":
            depth -= 1
            if depth == 0 and not end:
                end = at
        elif part == "|" and depth == 0:
            return None  # the look-ahead belongs to the first alternative only
    rest = source[end:]
    if not end or rest[:1] in ("*", "+", "?", "{"):
        return None
    return source[len("^(?!") : end - 1], rest


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
