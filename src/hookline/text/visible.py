"""Visible: a text as it may be shown on a terminal or in a chat, whoever wrote it."""

from __future__ import annotations

# What nobody sees, of the categories whose other characters are letters and marks: fillers, joiners, choices of a glyph.
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
# Controls, marks that turn the direction of writing or take no room, halves of characters, ends of lines and paragraphs.
_UNSEEN = frozenset(("Cc", "Cf", "Cs", "Zl", "Zp"))
# A glyph is chosen for a picture by these two, in honest texts, too.
_OF_PICTURES = "\ufe0e\ufe0f"
# So many blanks push what comes after them to where the next line begins.
_GAP = " " * 9


def visible(text: str, *, lines: bool = False) -> str:
    """The text with control, direction-changing and unseen characters escaped, because a hook's file may be anybody's.

    With `lines` it may go over several.
    """
    if text.isascii() and text.isprintable():
        return text
    shown = (
        char if lines and char in "\n\t" else _visible(char, before)
        for char, before in zip(text, f" {text}", strict=False)
    )
    return "".join(shown)


def in_line(text: str) -> str:
    """The text as a part of one line, where what is too long goes on below: also without blanks that make it look like two."""
    shown = visible(text)
    if _GAP not in shown:
        return shown
    import re  # noqa: PLC0415 - few texts have such a gap

    return re.sub(_GAP + " *", lambda found: f"\\x20{{{len(found[0])}}}", shown)


def escaped(json: str) -> str:
    """A document of JSON that means the same, with all that is not seen in it as JSON escapes it."""
    return json if json.isascii() and json.isprintable() else "".join(map(_escaped, json))


def _visible(char: str, before: str) -> str:
    if not _is_unseen(char) or (char in _OF_PICTURES and _category(before) == "So"):
        return char
    code = ord(char)
    if code < 0x100:  # noqa: PLR2004 - two digits
        return f"\\x{code:02x}"
    return f"\\u{code:04x}" if code < 0x10000 else f"\\U{code:08x}"  # noqa: PLR2004 - 4 or 8


def _is_unseen(char: str) -> bool:
    return _category(char) in _UNSEEN or char in _FILLERS or ord(char) in _FURTHER


def _category(char: str) -> str:
    import unicodedata  # noqa: PLC0415 - where nothing but ASCII is told, nobody needs it

    return unicodedata.category(char)


def _escaped(char: str) -> str:
    if char in "\n\r\t" or not _is_unseen(char):
        return char
    return "".join(f"\\u{unit:04x}" for unit in _units(char))


def _units(char: str) -> tuple[int, ...]:
    """A character as UTF-16 has it."""
    code = ord(char) - 0x10000
    return (ord(char),) if code < 0 else (0xD800 + (code >> 10), 0xDC00 + (code & 0x3FF))
