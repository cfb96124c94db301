"""JSON with comments, as in some hosts' settings, made readable for a strict parser."""

from __future__ import annotations

import re

# Skip each text as a whole, because `//` in a text is not a comment.
_TEXT_OR_COMMENT = r'"(?:[^"\\\n]|\\.)*"?|//[^\n\r]*|/\*.*?(?:\*/|\Z)'


def without_comments(text: str) -> str:
    """Blank out the `//` and `/* */` comments of a text; lines and columns stay as they are."""
    if "//" not in text and "/*" not in text:
        return text
    return re.sub(_TEXT_OR_COMMENT, _blank, text, flags=re.DOTALL)


def _blank(found: re.Match[str]) -> str:
    piece = found[0]
    return piece if piece.startswith('"') else re.sub(r"[^\n\r]", " ", piece)
