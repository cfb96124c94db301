"""What a scan finds, and the text with it masked."""

from __future__ import annotations

from typing import NamedTuple

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable

_LONG = 14  # characters, of which the first and last ones may be shown
_FIRST, _LAST, _SHORT = 6, 4, 2


class Found(NamedTuple):
    """A secret in a text.

    Attributes:
        start, end: all of it: the whole key block, every word of a phrase, the value without its
            name.
        kind: what it is, for machines: `openai-api-key`.
        title: what a person calls it: `an OpenAI key`.
        masks: False for a shape that is refused and never rewritten, such as a seed phrase.
        is_vendor_key: its first and last characters may be shown.
    """

    start: int
    end: int
    kind: str
    title: str
    masks: bool = True
    is_vendor_key: bool = False


class Scan(NamedTuple):
    """What a scan found. `unread`: what it did not read, in words; empty if it read all."""

    found: tuple[Found, ...]
    unread: str = ""


# What words beside a value tell, and neither its shape nor a checksum proves.
TOLD_BY_WORDS = frozenset(
    ("named-secret", "spoken-password", "bearer-token", "url-password", "connection-password")
)


def merge_found(found: Iterable[Found]) -> tuple[Found, ...]:
    """Return the findings in order, those that overlap as one.

    The longest names it, but for those that only words beside a value tell.
    """
    merged: list[Found] = []
    for each in sorted(found, key=lambda one: (one.start, -one.end)):
        if not merged or each.start >= merged[-1].end:
            merged.append(each)
            continue
        last = merged[-1]
        longest = max(last, each, key=_rank)
        end = max(last.end, each.end)
        masks = last.masks and each.masks
        merged[-1] = longest._replace(start=last.start, end=end, masks=masks)
    return tuple(merged)


def _rank(found: Found) -> tuple[bool, int, bool]:
    return found.kind not in TOLD_BY_WORDS, found.end - found.start, found.is_vendor_key


def mask(text: str, found: Iterable[Found], *, shows_ends: bool = False) -> str:
    """Return a text with every finding masked.

    Args:
        text: the text.
        found: its findings, in order and without overlaps.
        shows_ends: keep the first and last characters of vendor keys, as Starchild does
            (docs/formats/starchild.md).
    """
    parts, at = [], 0
    for each in found:
        parts += [text[at : each.start], _make_mask(text[each.start : each.end], each, shows_ends)]
        at = each.end
    return "".join((*parts, text[at:]))


def _make_mask(secret: str, found: Found, shows_ends: bool) -> str:  # noqa: FBT001 - as above
    if not (shows_ends and found.is_vendor_key):
        return f"[redacted: {found.title}]"
    if len(secret) > _LONG:
        return f"{secret[:_FIRST]}***{secret[-_LAST:]} [redacted]"
    return f"{secret[:_SHORT]}*** [redacted]"
