"""a3s's globs as expressions: `*`, `**` and `?` are signs, everything else is itself (docs/formats/a3s.md 4)."""

from __future__ import annotations

import re

_STAR, _BELOW = "[^/]*", ".*"
_ESCAPED_SIGNS = re.compile(r"(?:\\\*)+|\\\?")


def to_expression(pattern: str) -> tuple[str, bool]:
    """Return the RE2 expression for a glob, and whether the glob begins above the folder that it is seen from."""
    tidy = _normalise(pattern)
    if pattern.startswith("*") and "/" not in pattern:
        return f"(?s)(?:.*/)?{_translate_signs(pattern, _STAR)}", False
    # A component of stars only is any number of folders; at the end it is at least one more name.
    *folders, last = tidy.split("/")
    parts = [
        "(?:.*/)?" if _is_deep(folder) else f"{_translate_signs(folder, _BELOW)}/"
        for folder in folders
    ]
    ending = ".+" if _is_deep(last) and folders else _translate_signs(last, _BELOW)
    return f"(?s){''.join(parts)}{ending}", tidy.startswith("../")


def _normalise(pattern: str) -> str:
    """Return the pattern as paths are normalised: without `.`, doubled slashes and the folders that `..` takes back."""
    kept: list[str] = []
    for part in pattern.split("/"):
        if part == ".." and kept and kept[-1] != ".." and not set("*?") & set(kept[-1]):
            kept.pop()
        elif part not in ("", ".") and not (part == ".." and not kept and pattern.startswith("/")):
            kept.append(part)
    tidy = "/".join(kept)
    return f"/{tidy}" if pattern.startswith("/") else tidy


def _is_deep(component: str) -> bool:
    return len(component) > 1 and not component.strip("*")


def _translate_signs(text: str, below: str) -> str:
    """Return the text with its signs translated.

    `below` is the expression for two or more stars.
    """
    meanings = {r"\?": "[^/]", r"\*": _STAR}
    return _ESCAPED_SIGNS.sub(lambda signs: meanings.get(signs[0], below), re.escape(text))
