"""A glob as an expression for RE2: `**`, `*`, `?`, `[a-c]`, `{a,b}`, `{1..3}` and groups such as `+(a|b)`.

A path is chosen by the agent, and no path may make a match slow: with the usual backtracking, 4 KB of it kept
`**/a/**/a/**/b` busy for minutes.
"""

from __future__ import annotations

import re
from functools import lru_cache

from hookline.errors import ConfigError
from hookline.text.regex import compile_regex

TYPE_CHECKING = False
if TYPE_CHECKING:
    from hookline.text.re2_regex import Regex

# How often what stands in the brackets of `@(a|b)` may stand there.
_GROUPS = {"@": "", "?": "?", "*": "*", "+": "+", "!": ""}
_CLASS = re.compile(r"\[(?P<negated>[!^]?)(?P<inside>\]?(?:\[:\w+:\]|\\.|[^\]\\])*)\]", re.DOTALL)
_IN_CLASS = re.compile(r"\[:\w+:\]|\\.|[\[\]^]", re.DOTALL)
_NOTHING = r"[^\x00-\x{10FFFF}]"
_BRACE = re.compile(r"\\.|\{", re.DOTALL)
_RANGE = re.compile(r"(-?\d{1,4})\.\.(-?\d{1,4})|([a-z])\.\.([a-z])|([A-Z])\.\.([A-Z])")
_MOST = 1000  # patterns that the braces of one may stand for


class _TooManyError(ValueError):
    """Braces stand for more patterns than anybody means."""


@lru_cache(maxsize=1024)
def compile_glob(pattern: str) -> Regex | None:
    """The expression that covers the paths which a glob matches.

    None, which matches everything, where it is too large: a guard had better see too much.
    """
    try:
        return compile_regex("(?s)" + "|".join(_translated(each) for each in _expanded(pattern)))
    except (ConfigError, _TooManyError, RecursionError):
        return None


def _translated(pattern: str) -> str:
    """The expression for a pattern without braces."""
    *folders, last = re.sub("/+", "/", pattern).split("/")
    above = "".join(
        "(?:.*/)?" if folder == "**" else f"{_component(folder)}/" for folder in folders
    )
    return above + (".*" if last == "**" else _component(last))


def _component(text: str) -> str:
    """What stands between two slashes; stars alone are at least something."""
    return "[^/]+" if text and not text.strip("*") else _signs(text)


def _signs(text: str) -> str:
    done, at = "", 0
    while at < len(text):
        piece, at = _sign(text, at)
        done += piece
    return done


def _sign(text: str, at: int) -> tuple[str, int]:
    """The expression of the sign that begins here, and where the next one begins."""
    sign = text[at]
    if sign in _GROUPS and text[at + 1 : at + 2] == "(" and (group := _group(text, at)):
        return group
    if sign == "[" and (found := _CLASS.match(text, at)):
        return _class(found), found.end()
    if sign == "\\" and at + 1 < len(text):
        return re.escape(text[at + 1]), at + 2
    return {"*": "[^/]*", "?": "[^/]"}.get(sign) or re.escape(sign), at + 1


def _class(found: re.Match[str]) -> str:
    """A bracket expression; one that is none, such as `[z-a]`, matches nothing, as in a shell."""
    inside = _IN_CLASS.sub(
        lambda part: part[0] if part[0].startswith("[:") else re.escape(part[0][-1]),
        found["inside"],
    )
    expression = f"[^/{inside}]" if found["negated"] else f"[{inside}]"
    try:
        compile_regex(expression)
    except ConfigError:
        return _NOTHING
    return expression


def _group(text: str, at: int) -> tuple[str, int] | None:
    """A group such as `+(a|b)`, and where it ends. RE2 cannot say `!(a)`, so it is anything."""
    sides, end = _parts(text, at + 1, "()", "|")
    if not sides:
        return None
    either = "|".join(_signs(side) for side in sides)
    return ("[^/]*" if text[at] == "!" else f"(?:{either}){_GROUPS[text[at]]}"), end


def _expanded(pattern: str) -> list[str]:
    """The patterns that the braces of one stand for.

    Raises:
        _TooManyError: more than anybody means.
    """
    for opening in _BRACE.finditer(pattern):
        sides, end = _parts(pattern, opening.start(), "{}", ",") if opening[0] == "{" else ([], 0)
        if len(sides) == 1:
            sides = _counted(sides[0])
        if not sides:
            continue
        begun = [pattern[: opening.start()] + inner for side in sides for inner in _expanded(side)]
        ended = _expanded(pattern[end:])
        if len(begun) * len(ended) > _MOST:
            raise _TooManyError
        return [one + other for one in begun for other in ended]
    return [pattern]


def _parts(text: str, at: int, brackets: str, separator: str) -> tuple[list[str], int]:
    """What stands between the bracket that opens here and its partner, parted, and where that ends; nothing if it never does."""
    parts, begin, depth, escaped = [], at + 1, 0, False
    for end in range(at, len(text)):
        char = "" if escaped else text[end]
        escaped = char == "\\"
        depth += (char == brackets[0]) - (char == brackets[1])
        if depth == 0 or (depth == 1 and char == separator):
            parts.append(text[begin:end])
            begin = end + 1
        if depth == 0:
            return parts, end + 1
    return [], at


def _counted(text: str) -> list[str]:
    """`1..3` and `a..c`, counted out; nothing for any other text."""
    found = _RANGE.fullmatch(text)
    if not found:
        return []
    first, last = (part for part in found.groups() if part is not None)
    begin, end = (int(first), int(last)) if found[1] else (ord(first), ord(last))
    counted = range(begin, end + 1) if begin <= end else range(begin, end - 1, -1)
    if len(counted) > _MOST:
        raise _TooManyError
    if not found[1]:
        return [chr(number) for number in counted]
    padded = any(
        len(part.lstrip("-")) > 1 and part.lstrip("-").startswith("0") for part in (first, last)
    )
    width = max(len(first), len(last)) if padded else 0
    return [f"{number:0{width}}" for number in counted]
