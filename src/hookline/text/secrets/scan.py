"""Scans a text for secrets: rows and wallet keys, also where the secret is disguised or wrapped."""

from __future__ import annotations

import base64
import binascii
import re
import unicodedata
from functools import cache
from typing import TYPE_CHECKING

import re2

from hookline.text.secrets.checks import passes
from hookline.text.secrets.context import is_placeholder, measure_entropy
from hookline.text.secrets.finding import Found, Scan, mask, merge_found
from hookline.text.secrets.rows import CORE, GENERIC, read_vendor_rows
from hookline.text.secrets.wallets import find_wallet_keys

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from hookline.text.secrets.rows import Row

_MOST = 1 << 20  # characters that are read
_MASKS = re.compile(r"\[redacted: [^\]\n]{1,60}\]|\S{2,6}\*\*\*\S{0,4} \[redacted\]|\[masked \d+\]")
_BREAK = re.compile(
    r"(?<=[A-Za-z0-9_/+=.-]{6})(?:\\n|\r?\n[ \t>|#*]{0,8}|\"\s*\+?\s*\n?\s*\")"
    r"(?=[A-Za-z0-9_/+=-]{4})"
)
_BASE64 = re.compile(r"(?<![A-Za-z0-9+/_-])[A-Za-z0-9+/_-]{40,4096}={0,2}")
_INVISIBLE = "\u200b\u200c\u200d\u2060\ufeff\u00ad\u180e\u200e\u200f\u202a\u202b\u202c\u2066\u2069"


def find_secrets(text: str) -> tuple[Found, ...]:
    """Return the secrets in a text, in order and without overlaps; it takes linear time."""
    return scan(text).found


def scan(text: str) -> Scan:
    """Return the secrets in a text, and what of it was not read."""
    unread = ""
    if len(text) > _MOST:
        unread = f"only the first {_MOST >> 20} MiB of the text were looked at"
        text = text[:_MOST]
    found = list(_scan_plain(text))
    for other, offsets in _list_forms(text):
        found += [each._replace(start=offsets[each.start], end=offsets[each.end - 1] + 1)
                  for each in _scan_plain(other)]  # fmt: skip
    found += _scan_joined(text)
    found += _scan_encoded(text)
    return Scan(_drop_masks(text, merge_found(found)), unread)


def mask_all(text: str, *, shows_ends: bool = False) -> str:
    """Return a text with each secret masked that can be."""
    return mask(text, (each for each in find_secrets(text) if each.masks), shows_ends=shows_ends)


def _drop_masks(text: str, found: tuple[Found, ...]) -> tuple[Found, ...]:
    """Return the findings that are no mask of an earlier scan."""
    if "[redacted" not in text and "[masked" not in text:
        return found
    masks = [match.span() for match in _MASKS.finditer(text)]
    return tuple(
        each
        for each in found
        if not any(each.start < end and start < each.end for start, end in masks)
    )


# -- rows ------------------------------------------------------------------------------------------


@cache
def _compile(pattern: str) -> re2._Regexp:
    options = re2.Options()
    options.log_errors = False
    options.max_mem = 64 << 20
    return re2.compile(pattern, options)


def _scan_plain(text: str) -> Iterator[Found]:
    lower = text.lower()
    rows = {row: None for keyword, several in _index_rows() if keyword in lower for row in several}
    for row in rows:
        yield from _match_row(row, text)
    yield from find_wallet_keys(text)


@cache
def _index_rows() -> tuple[tuple[str, tuple[Row, ...]], ...]:
    """Return each keyword with its rows; the empty one is in every text."""
    index: dict[str, list[Row]] = {}
    for row in (*CORE, *read_vendor_rows(), *GENERIC):
        for keyword in row.keywords or ("",):
            index.setdefault(keyword, []).append(row)
    return tuple((keyword, tuple(rows)) for keyword, rows in index.items())


def _match_row(row: Row, text: str) -> Iterator[Found]:
    for match in _compile(row.pattern).finditer(text):
        start, end = match.span(row.group)
        if start < 0:
            continue
        value = match[row.group]
        if row.entropy and measure_entropy(value) < row.entropy:
            continue
        if not row.is_strict and is_placeholder(value):
            continue
        if row.is_strict and _is_sample(value):
            continue
        if passes(row.check, text, start, end, match.start()):
            yield Found(start, end, row.kind, row.title, is_vendor_key=row.is_vendor_key)


def _is_sample(value: str) -> bool:
    """Return whether a value with a decisive shape is one that documents print."""
    body = value[-20:]
    return len(set(body)) < 6 or bool(re.search(r"(?i)example|x{6,}|your|placeholder|\.{3}|\*{3}",  # noqa: PLR2004
                                                value))  # fmt: skip


# -- disguises -------------------------------------------------------------------------------------


def _list_forms(text: str) -> Iterator[tuple[str, Sequence[int]]]:
    """Yield the text without invisible characters and in plain letters, with a map back."""
    if text.isascii():
        return
    if not (any(sign in text for sign in _INVISIBLE) or _has_wide(text)):
        return
    chars: list[str] = []
    offsets: list[int] = []
    for at, char in enumerate(text):
        if not char.isascii() and unicodedata.category(char) == "Cf":
            continue
        plain = char if char.isascii() else unicodedata.normalize("NFKC", char)
        chars += plain
        offsets += [at] * len(plain)
    yield "".join(chars), offsets


def _has_wide(text: str) -> bool:
    return any(
        "\uff01" <= char <= "\uff5e" or "\U0001d400" <= char <= "\U0001d7ff" for char in text
    )


def _scan_joined(text: str) -> Iterator[Found]:
    """Yield secrets that a line break splits."""
    cuts = [match.span() for match in _BREAK.finditer(text)]
    if not cuts:
        return
    parts: list[str] = []
    offsets: list[int] = []
    at = 0
    for start, end in cuts:
        parts.append(text[at:start])
        offsets += range(at, start)
        at = end
    parts.append(text[at:])
    offsets += range(at, len(text))
    joined = "".join(parts)
    lower = joined.lower()
    for row in CORE:
        if row.is_strict and any(keyword in lower for keyword in row.keywords):
            for each in _match_row(row, joined):
                start, end = offsets[each.start], offsets[each.end - 1] + 1
                if end - start > each.end - each.start:
                    yield each._replace(start=start, end=end)


def _scan_encoded(text: str) -> Iterator[Found]:
    """Yield base64 texts that hold a secret."""
    for match in _BASE64.finditer(text):
        value = match[0].replace("-", "+").replace("_", "/")
        try:
            plain = base64.b64decode(value + "=" * (-len(value) % 4)).decode("ascii")
        except (ValueError, binascii.Error):
            continue
        if not all(char.isprintable() or char in "\r\n\t" for char in plain):
            continue
        lower = plain.lower()
        for row in CORE:
            if row.is_strict and any(keyword in lower for keyword in row.keywords):
                hit = next(_match_row(row, plain), None)
                if hit is not None:
                    title = f"{row.title} in base64"
                    yield Found(*match.span(), row.kind, title)
                    break
