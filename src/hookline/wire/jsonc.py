"""JSON with comments, as the settings of some hosts are written: what a strict parser can read, with every place where it was."""

from __future__ import annotations

import re

# A text is skipped whole, because `//` inside of it is no comment.
_TEXT_OR_COMMENT = r'"(?:[^"\\\n]|\\.)*"?|//[^\n\r]*|/\*.*?(?:\*/|\Z)'


def without_comments(text: str) -> str:
    """The text with its `//` and `/* */` comments blanked out; lines and columns stay as they are."""
    if "//" not in text and "/*" not in text:
        return text
    return re.sub(_TEXT_OR_COMMENT, _blank, text, flags=re.DOTALL)


def _blank(found: re.Match[str]) -> str:
    piece = found[0]
    return piece if piece.startswith('"') else re.sub(r"[^\n\r]", " ", piece)
