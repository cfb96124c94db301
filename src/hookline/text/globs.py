"""Globs over paths as RE2 expressions: `**`, `*`, `?`, `[a-c]`, `{a,b}` and `+(a|b)`.

hookline first brings each path to one form. The agent chooses the path, so no path may make a match
slow. With a backtracking engine, a path of 4 KB kept `**/a/**/a/**/b` busy for minutes.
"""

from __future__ import annotations

import posixpath
import re
from functools import lru_cache

from hookline.errors import ConfigError
from hookline.text.regex import compile_regex

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable

    from hookline.text.re2_regex import Regex


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
    seen = list_path_forms(path, cwd)
    compiled = (compile_glob(pattern) for pattern in patterns)
    return any(
        regex is None or any(regex.is_full_match(form) for form in seen) for regex in compiled
    )


# How often the content of `@(a|b)` and its kin may occur.
_GROUPS = {"@": "", "?": "?", "*": "*", "+": "+", "!": ""}
# Texts, so that `re` compiles them only when the first pattern needs one.
_CLASS = r"(?s)\[(?P<negated>[!^]?)(?P<inside>\]?(?:\[:\w+:\]|\\.|[^\]\\])*)\]"
_IN_CLASS = r"(?s)\[:\w+:\]|\\.|[\[\]^]"
_NOTHING = r"[^\x00-\x{10FFFF}]"
_MOST = 1000  # patterns that the braces of one may expand to


@lru_cache(maxsize=1024)
def compile_glob(pattern: str) -> Regex | None:
    """Compile a glob to an expression that matches whole paths.

    None if the glob is too large; None matches every path, because a guard should rather see too
    much.
    """
    import bracex  # noqa: PLC0415 - only rules with paths expand braces

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
    if sign == "[" and (found := re.compile(_CLASS).match(text, at)):
        return _translate_class(found), found.end()
    if sign == "\\" and at + 1 < len(text):
        return re.escape(text[at + 1]), at + 2
    return {"*": "[^/]*", "?": "[^/]"}.get(sign) or re.escape(sign), at + 1


def _translate_class(found: re.Match[str]) -> str:
    """Return the expression of a bracket expression.

    An invalid one, such as `[z-a]`, matches nothing, as in a shell.
    """
    inside = re.sub(
        _IN_CLASS,
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
