"""Visible: a text as it may be shown on a terminal, whoever wrote it."""

from __future__ import annotations

# Marks that turn the direction of writing, or that nobody sees.
_UNSEEN = frozenset(map(chr, (0x061C, 0x200E, 0x200F, *range(0x202A, 0x202F), *range(0x2066, 0x206A), 0x2028, 0x2029, 0xFEFF)))


def visible(text: str, *, lines: bool = False) -> str:
    """The text with control and direction-changing characters escaped, because a hook's file may be anybody's.

    With `lines` it may go over several.
    """
    return text if text.isprintable() else "".join(char if lines and char in "\n\t" else _visible(char) for char in text)


def _visible(char: str) -> str:
    if not (char in _UNSEEN or char < " " or "\x7f" <= char < "\xa0"):
        return char
    return f"\\x{ord(char):02x}" if char < "\u0100" else f"\\u{ord(char):04x}"
