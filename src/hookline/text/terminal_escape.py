"""Terminal escaping: makes texts from files and programs safe for a terminal or a chat."""

from __future__ import annotations

import re

# Invisible characters whose categories otherwise hold letters and marks: fillers, joiners,
# variation selectors.
_FILLERS = frozenset(
    map(
        chr,
        (
            0x034F,
            0x115F,
            0x1160,
            0x17B4,
            0x17B5,
            *range(0x180B, 0x1810),
            0x3164,
            0xFFA0,
            *range(0xFE00, 0xFE10),
        ),
    )
)
_FURTHER = range(0xE0100, 0xE01F0)
# Controls, marks that change direction or have no width, halves of characters, ends of lines and
# paragraphs.
_UNSEEN = frozenset(("Cc", "Cf", "Cs", "Zl", "Zp"))
# Honest texts use these two to choose the glyph of a picture.
_OF_PICTURES = "\ufe0e\ufe0f"
# So many blanks can push the rest of a text to where the next line begins.
_GAP = " " * 9


def escape_text(text: str, *, lines: bool = False) -> str:
    """Escape control, direction-changing and invisible characters of a text by anyone.

    With `lines`, newlines and tabs stay.
    """
    if text.isascii() and text.isprintable():
        return text
    shown = (
        char if lines and char in "\n\t" else _escape_char(char, before)
        for char, before in zip(text, f" {text}", strict=False)
    )
    return "".join(shown)


def escape_line(text: str) -> str:
    """Escape a text that is part of one line.

    Long gaps are escaped too, because they could fake a second line.
    """
    shown = escape_text(text)
    if _GAP not in shown:
        return shown

    return re.sub(_GAP + " *", lambda found: f"\\x20{{{len(found[0])}}}", shown)


def escape_json(json: str) -> str:
    """Escape the invisible characters of a JSON document as JSON does; its meaning stays."""
    return json if json.isascii() and json.isprintable() else "".join(map(_escape_json_char, json))


def _escape_char(char: str, before: str) -> str:
    if not _is_unseen(char) or (char in _OF_PICTURES and _category(before) == "So"):
        return char
    code = ord(char)
    if code < 0x100:  # noqa: PLR2004 - two digits
        return f"\\x{code:02x}"
    return f"\\u{code:04x}" if code < 0x10000 else f"\\U{code:08x}"  # noqa: PLR2004 - 4 or 8


def _is_unseen(char: str) -> bool:
    return _category(char) in _UNSEEN or char in _FILLERS or ord(char) in _FURTHER


def _category(char: str) -> str:
    import unicodedata  # noqa: PLC0415 - only texts beyond ASCII need it

    return unicodedata.category(char)


def _escape_json_char(char: str) -> str:
    if char in "\n\r\t" or not _is_unseen(char):
        return char
    return "".join(f"\\u{unit:04x}" for unit in _utf16_units(char))


def _utf16_units(char: str) -> tuple[int, ...]:
    """Return the UTF-16 code units of a character."""
    code = ord(char) - 0x10000
    return (ord(char),) if code < 0 else (0xD800 + (code >> 10), 0xDC00 + (code & 0x3FF))
