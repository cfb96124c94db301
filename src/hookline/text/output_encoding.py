"""Output encoding: whether text that was decoded as UTF-8 was written in another encoding."""

from __future__ import annotations


def describe_encoding_fault(text: str) -> str:
    """Return why the text cannot be UTF-8 as its author meant it; empty if nothing shows that.

    UTF-16 shows by its NUL bytes: every second byte of ASCII text is NUL.
    """
    if "\0" not in text:
        return ""
    if text.count("\0") * 3 >= len(text):
        return "stdout is UTF-16, not UTF-8"
    return "stdout contains NUL bytes"
