"""a3s's globs as expressions; its signs are `*`, `**` and `?` (docs/formats/a3s.md 4)."""

from __future__ import annotations

import posixpath
import re

# What a part of a glob means: a component of stars only is any number of folders, and at the end at
# least one more name.
_MEANINGS = {
    "folders": "(?:.*/)?",
    "below": ".+",
    "anything": ".*",
    "star": "[^/]*",
    "one": "[^/]",
}
_PARTS = re.compile(
    r"(?P<folders>(?:^|(?<=/))\*\*+/)|(?P<below>(?<=/)\*\*+\Z)|(?P<anything>\*\*+)|(?P<star>\*)"
    r"|(?P<one>\?)|[^*?]+"
)


def to_expression(pattern: str) -> tuple[str, bool]:
    """Return the RE2 expression for a glob, and whether it begins above its folder (`../`)."""
    if pattern.startswith("*") and "/" not in pattern:
        name = re.sub(r"\*+", "*", pattern)
        return f"(?s)(?:.*/)?{_translate(name)}", False
    # As paths are normalised.
    tidy = posixpath.normpath(re.sub("^/+", "/", pattern)) if pattern else ""
    return f"(?s){_translate(tidy)}", tidy.startswith("../")


def _translate(glob: str) -> str:
    return _PARTS.sub(lambda part: _MEANINGS.get(part.lastgroup or "", re.escape(part[0])), glob)
