"""Evaluates parameters: `$NAME`, and `${NAME...}` with what it does to the value."""

from __future__ import annotations

from hookline.text import lazy_re as re
from hookline.text.script.reading import UNKNOWN, UNKNOWN_WORD, Word, replace_text

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from hookline.text.script.state import Shell

_PARAMETER = re.compile(
    r"\$?\{?([#!]?)([A-Za-z_]\w*|\d+|[@*#?$!-])(?:\[([^\]]*)\])?(.*?)\}?$", re.DOTALL
)
_DEFAULT = re.compile(r"(:?[-=+?])(.*)", re.DOTALL)
_SLICE = re.compile(r":\s*(-?\d{1,9})(?:\s*:\s*(-?\d{1,9}))?")
_TRIM = re.compile(r"(##?|%%?)(.*)", re.DOTALL)
_REPLACE = re.compile(r"/([/#%]?)((?:[^/\\]|\\.)+)/?(.*)", re.DOTALL)
_CASES: Mapping[str, Callable[[str], str]] = {
    "^^": str.upper,
    ",,": str.lower,
    "^": lambda text: text[:1].upper() + text[1:],
    ",": lambda text: text[:1].lower() + text[1:],
}
_GLOB = re.compile(r"[*?\[]")
_SEVERAL = re.compile(
    r"\"?\$(?:@|\{@(:.*)?\}|\{([A-Za-z_]\w*)\[@\](:\s*\d+\s*(?::\s*\d+\s*)?)?\})\"?"
)


def expand_several(text: str, shell: Shell) -> list[Word] | None:
    """Return the positions or elements that `"$@"` or `"${NAME[@]}"` is; None for another text."""
    match = _SEVERAL.fullmatch(text)
    if match is None:
        return None
    values = shell.list_values(match[2] or "@")
    cut = _SLICE.fullmatch((match[1] or match[3] or "").strip())
    if cut is None:
        return None if match[1] or match[3] else values
    if not match[2]:  # the first position has the number one
        values = [shell.program, *values]
    start = int(cut[1])
    return values[start : start + int(cut[2])] if cut[2] else values[start:]


def expand_parameter(text: str, shell: Shell) -> Word:
    """Return the value of `$NAME`, or of `${NAME...}` with what it does to the value."""
    match = _PARAMETER.match(text.lstrip())
    if match is None:
        return UNKNOWN_WORD
    sign, name, index, rest = match.groups()
    if sign == "#":
        return UNKNOWN_WORD
    value = shell.get(name, index)
    if sign == "!" and value.is_known:
        value = shell.get(value.text, None)
    if not rest:
        return value
    if operator := _DEFAULT.match(rest):
        return _choose(name, value, operator[1], operator[2], shell)
    if not value.is_known:
        return value
    return value._replace(text=_change(value.text, rest))


def _choose(name: str, value: Word, operator: str, text: str, shell: Shell) -> Word:
    """Return the value of `${NAME:-text}` and its kin; a variable that may be unset is taken so."""
    other = shell.expand_text(text.strip("\"'"))
    is_set = shell.has(name)
    if operator[-1] == "?":
        return value
    if operator[-1] == "+":
        return other if is_set else Word("")
    if is_set and (value.text or operator[0] != ":"):
        return value
    if operator[-1] == "=":
        shell.set(name, other)
    return other._replace(names=tuple(dict.fromkeys((*value.names, *other.names))))


def _change(text: str, rest: str) -> str:
    """Return a value after a slice, a trim, a replacement or a change of case."""
    if match := _SLICE.fullmatch(rest):
        start = int(match[1])
        size = int(match[2]) if match[2] else None
        part = text[start:] if start >= 0 or -start <= len(text) else ""
        return part if size is None else part[:size]
    if rest in _CASES:
        return _CASES[rest](text)
    if match := _TRIM.fullmatch(rest):
        return _trim(text, match[1], match[2].strip("\"'"))
    if (match := _REPLACE.fullmatch(rest)) and not _GLOB.search(match[2]):
        old, new = match[2].strip("\"'"), match[3].strip("\"'")
        return replace_text(text, old, new, -1 if match[1] == "/" else 1)
    return text if rest.startswith("@") else UNKNOWN


def _trim(text: str, operator: str, pattern: str) -> str:
    if not _GLOB.search(pattern):
        return text.removeprefix(pattern) if operator[0] == "#" else text.removesuffix(pattern)
    mark = pattern.strip("*")
    if _GLOB.search(mark) or not mark:
        return UNKNOWN
    if operator[0] == "#" and pattern == f"*{mark}":
        return text.rpartition(mark)[2] if operator == "##" else text.partition(mark)[2] or text
    if operator[0] == "%" and pattern == f"{mark}*":
        before = text.partition(mark) if operator == "%%" else text.rpartition(mark)
        return before[0] if before[1] else text
    return UNKNOWN
