"""Globs as RE2 expressions: `**`, `*`, `?`, `[a-c]`, `{a,b}`, `{1..3}` and groups such as `+(a|b)`.

The agent chooses the path, so no path may make a match slow. With a backtracking engine, a path of
4 KB kept `**/a/**/a/**/b` busy for minutes.
"""

from __future__ import annotations

import re
from functools import lru_cache

import bracex

from hookline.errors import ConfigError
from hookline.text.regex import compile_regex

TYPE_CHECKING = False
if TYPE_CHECKING:
    from hookline.text.re2_regex import Regex

# How often the content of `@(a|b)` and its kin may occur.
_GROUPS = {"@": "", "?": "?", "*": "*", "+": "+", "!": ""}
_CLASS = re.compile(r"\[(?P<negated>[!^]?)(?P<inside>\]?(?:\[:\w+:\]|\\.|[^\]\\])*)\]", re.DOTALL)
_IN_CLASS = re.compile(r"\[:\w+:\]|\\.|[\[\]^]", re.DOTALL)
_NOTHING = r"[^\x00-\x{10FFFF}]"
_MOST = 1000  # patterns that the braces of one may expand to


@lru_cache(maxsize=1024)
def compile_glob(pattern: str) -> Regex | None:
    """Compile a glob to an expression that matches whole paths.

    None if the glob is too large; None matches every path, because a guard should rather see too
    much.
    """
    try:
        patterns = bracex.expand(pattern, keep_escapes=True, limit=_MOST)
        return compile_regex("(?s)" + "|".join(map(_translate, patterns)))
    except (ConfigError, bracex.ExpansionLimitException, RecursionError):
        return None


def _translate(pattern: str) -> str:
    """Return the expression for a pattern without braces."""
    *folders, last = re.sub("/+", "/", pattern).split("/")
    above = "".join(
        "(?:.*/)?" if folder == "**" else f"{_translate_component(folder)}/" for folder in folders
    )
    return above + (".*" if last == "**" else _translate_component(last))


def _translate_component(text: str) -> str:
    """Return the expression for the text between two slashes.

    Stars alone match at least one character.
    """
    return "[^/]+" if text and not text.strip("*") else _translate_signs(text)


def _translate_signs(text: str) -> str:
    done, at = "", 0
    while at < len(text):
        piece, at = _translate_sign(text, at)
        done += piece
    return done


def _translate_sign(text: str, at: int) -> tuple[str, int]:
    """Return the expression of the sign that begins here, and where the next one begins."""
    sign = text[at]
    if sign in _GROUPS and text[at + 1 : at + 2] == "(" and (group := _translate_group(text, at)):
        return group
    if sign == "[" and (found := _CLASS.match(text, at)):
        return _translate_class(found), found.end()
    if sign == "\\" and at + 1 < len(text):
        return re.escape(text[at + 1]), at + 2
    return {"*": "[^/]*", "?": "[^/]"}.get(sign) or re.escape(sign), at + 1


def _translate_class(found: re.Match[str]) -> str:
    """Return the expression of a bracket expression.

    An invalid one, such as `[z-a]`, matches nothing, as in a shell.
    """
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


def _translate_group(text: str, at: int) -> tuple[str, int] | None:
    """Return the expression of a group such as `+(a|b)`, and where it ends.

    RE2 has no `!(a)`, so that matches anything.
    """
    sides, end = _split_group(text, at + 1)
    if not sides:
        return None
    either = "|".join(_translate_signs(side) for side in sides)
    return ("[^/]*" if text[at] == "!" else f"(?:{either}){_GROUPS[text[at]]}"), end


def _split_group(text: str, at: int) -> tuple[list[str], int]:
    """Split the text between parentheses at each `|`.

    Return its parts and where the group ends, or no parts if it never closes.
    """
    parts, begin, depth, escaped = [], at + 1, 0, False
    for end in range(at, len(text)):
        char = "" if escaped else text[end]
        escaped = char == "\\"
        depth += (char == "(") - (char == ")")
        if depth == 0 or (depth == 1 and char == "|"):
            parts.append(text[begin:end])
            begin = end + 1
        if depth == 0:
            return parts, end + 1
    return [], at
