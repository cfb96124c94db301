"""a3s's globs as expressions: `*`, `**` and `?` are signs, everything else is itself (docs/formats/a3s.md 4)."""

from __future__ import annotations

import re

_SIGN = re.compile(r"\*{2,}|\*|\?")
_STAR, _BELOW, _ONE = "[^/]*", ".*", "[^/]"


def expression(pattern: str) -> str:
    """The expression that covers exactly the paths which the pattern selects; for RE2."""
    if pattern.startswith("*") and "/" not in pattern:
        return f"(?s)(?:.*/)?{_translated(pattern, anything=_STAR)}"
    return f"(?s){_whole(_tidied(pattern))}"


def climbs(pattern: str) -> bool:
    """Whether the pattern begins above the folder that it is seen from."""
    return _tidied(pattern).startswith("../")


def _tidied(pattern: str) -> str:
    """The pattern as paths are normalised: without `.`, doubled slashes, and what `..` takes back."""
    kept: list[str] = []
    for part in pattern.split("/"):
        if part == ".." and kept and kept[-1] != ".." and not _SIGN.search(kept[-1]):
            kept.pop()
        elif part not in ("", ".") and not (part == ".." and not kept and pattern.startswith("/")):
            kept.append(part)
    tidy = "/".join(kept)
    return f"/{tidy}" if pattern.startswith("/") else tidy


def _whole(pattern: str) -> str:
    """Component by component; a component of stars only is any number of folders, at the end at least something."""
    *folders, last = pattern.split("/")
    parts = [
        "(?:.*/)?" if _is_deep(folder) else f"{_translated(folder, anything=_BELOW)}/"
        for folder in folders
    ]
    ending = ".+" if _is_deep(last) and folders else _translated(last, anything=_BELOW)
    return "".join(parts) + ending


def _is_deep(component: str) -> bool:
    return len(component) > 1 and not component.strip("*")


def _translated(text: str, *, anything: str) -> str:
    """The text with its signs translated; `anything` is what two stars stand for."""
    done, at = "", 0
    for sign in _SIGN.finditer(text):
        done += re.escape(text[at : sign.start()])
        done += _ONE if sign.group() == "?" else _STAR if sign.group() == "*" else anything
        at = sign.end()
    return done + re.escape(text[at:])
