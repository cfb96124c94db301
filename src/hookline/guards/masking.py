"""Masking of values: every text in a JSON value, with what was found in all of them."""

from __future__ import annotations

import json

from hookline.text.secrets.finding import TOLD_BY_WORDS, Found, Scan, mask

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any

_DEEPEST = 32  # objects in objects


class Masking:
    """A scan of several texts.

    Attributes:
        found: what is masked, or, of a shape that is never rewritten, was found.
        refused: what cannot be masked.
        strong: what its shape or checksum proves, and not only the name beside it.
        unread: what was not read, in words; empty if all was.
    """

    def __init__(self, look: Callable[[str], Scan], *, shows_ends: bool = False) -> None:
        self.look = look
        self.shows_ends = shows_ends
        self.found: list[Found] = []
        self.unread = ""

    @property
    def refused(self) -> list[Found]:
        """Return what cannot be masked."""
        return [each for each in self.found if not each.masks]

    @property
    def strong(self) -> list[Found]:
        """Return what more than a name proves."""
        return [each for each in self.found if each.kind not in TOLD_BY_WORDS]

    def read(self, text: str) -> list[Found]:
        """Return what a text holds, and remember it."""
        done = self.look(text)
        self.found += done.found
        self.unread = self.unread or done.unread
        return list(done.found)

    def mask(self, text: str) -> str:
        """Return a text with what it holds masked; what cannot be masked stays."""
        found = self.read(text)
        return mask(text, (each for each in found if each.masks), shows_ends=self.shows_ends)


def mask_value(value: Any, masking: Masking, depth: int = 0) -> Any:
    """Return a JSON value with every text in it masked.

    A list of numbers is looked at as its text, because a key may be written so.
    """
    if isinstance(value, str):
        return masking.mask(value)
    if depth > _DEEPEST:
        masking.unread = masking.unread or f"values more than {_DEEPEST} levels deep"
        return value
    if isinstance(value, dict):
        return {key: mask_value(inner, masking, depth + 1) for key, inner in value.items()}
    if isinstance(value, list):
        if value and all(isinstance(each, int) for each in value):
            masking.read(json.dumps(value))
            return value
        return [mask_value(inner, masking, depth + 1) for inner in value]
    return value
